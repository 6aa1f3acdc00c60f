"""Korean: where an answer mentions an option, and what it says about it. See stages/languages/choices.py for what counts.

A label is a consonant (ㄴ), its name (니은), a Latin letter, a syllable in brackets ((나)), or a position (2번, 두 번째). What is said about
it follows it: particles, then 아니라, 틀렸고, 맞습니다. An option's text goes before a position, or 3번 as a count would be the third option.
"""

from __future__ import annotations

import re
from functools import lru_cache

from stages.languages.choices import Kind, Mention, Options, Status, apart
from stages.languages.ko.answers.quantities import digits
from stages.languages.ko.answers.texts import LETTERS, in_words, partial, predicates
from stages.languages.ko.instructions.keywords import ATTACHED

NAMES = (
    "기역|기윽|그윽",
    "니은|니언",
    "디귿|디긋|디귿|디읃",
    "리을|리얼|리을",
    "미음",
    "비읍",
    "시옷|시읏",
    "이응",
    "지읒|지읏",
    "치읓|치읏",
    "키읔|키윽",
    "티읕|티긑",
    "피읖|피읍",
    "히읗|히읏",
)
SYLLABLES = "가나다라마바사아자차카타파하"
LATIN = "ABCDEFGHIJKLMN"

correction = re.compile(
    r"(?<![가-힣이가은는])아니(?=[,.…!~\s]|요[,.…!\s]|지[,.…!\s]|다[,.…!\s])(?:요|지|다)?[,.…!~\s]*|아니에요[,.…!]\s*|"
    r"아닙니다[,.…!]\s*(?=[ㄱ-ㅎA-Da-d\d]|정답|답)|잠깐(?:만요?)?[,.…!\s]*|잠시만요?[,.…!\s]*|다시\s*(?:생각|확인|계산|보니|"
    r"말|정정|검토)\S*[,.\s]*"
    r"|정정(?:하|합|할)\S*[,.\s]*|정정[:,]\s*|아\s?참[,.!\s]*|아이고[,.!\s]*|앗[,.!\s]*|수정(?:하|합|할)\S*[,.\s]*|"
    r"사실은?[,\s]+|실은[,\s]+|실수(?:했|입|예|네)\S*[,.\s]*|그게\s*아니라[,\s]*|생각해\s*보니까?[,\s]*|죄송(?:합니다|"
    r"해요)[,.!]\s*|취소[,.\s]+|번복\S*[,.\s]*"
)
conjunction = re.compile(
    r"[\"')\]]*\s*(?:번)?\s*(?:와|과|이랑|랑|하고|,?\s*및|,?\s*또는|이나|나|,?\s*혹은|,?\s*그리고|이거나|거나|,?\s*아니면|"
    r"이?고|&|/|·)\s*(?:보기|선택지|옵션)?\s*[\"'(\[]*"
)
comma = re.compile(r"[\"')\]]*\s*,\s*[\"'(\[]*")
pairing = re.compile(r"[\s.,:;)\]\-=]{0,4}(?:번|은|는|이|가)?[\s.,:;)\]\-=]{0,3}")
list_end = re.compile(r"\s*(?:[.!?\n]|$|은|는|을|를|이|가|도|만|모두|다\s|중)")
explained = re.compile(r"\s*(?:[,:;(-]|왜냐|이유)")

_CLOSE = r"^[\"')\].:]*\s*(?:번|번째|항|항목|보기|선택지|옵션|답|\([^)]{0,40}\))?[\"')\]]*\s*"
_JOSA = (
    r"(?:이라고\s*하는\s*것은|이라는\s*것은|라는\s*것은|이라는\s*답은|라는\s*답은|이라는\s*선택지는|이라는|라는|은|는|이|가|"
    r"도|을|를|만|만이|의\s*경우는?|의\s*경우에는|에\s*대해서는|에\s*대한\s*설명은|에서|에|으로|로|인\s*것은|인|의)?\s*"
)
_FILLER = (
    r"(?:정답|답|확실히|당연히|일단|우선|먼저|모두|다|둘\s*다|셋\s*다|전부|전혀|명백히|분명히?|분명|옳은|맞는|올바른|적절한|"
    r"이|그|것|것이|것은|게|건|아마도?|역시|또한|절대로?|결코|사실상?|완전히|조금|좀|더|가장|제일|바로|선택지|보기|옵션|설명|"
    r"내용|답변|"
    r"질문에|문제에|여기서는?|이\s*경우|문맥상|의미상|문법적으로|문법상|정답으로|답으로|나머지는|나머지|선택지는|"
    r"선택지이?므로|정답이|답이|정답은|대답이|표현|표현이|문장|문장이|조사|정답에서|답에서|후보에서)"
)
_FILL = rf"(?:{_FILLER}(?:이|가|은|는|을|를|도|으로|로|에|의)?[\s,]*){{0,5}}"
_OUT_WORD = (
    r"(?:아니|아닌|아닙|아녜|아닐|틀리|틀렸|틀린|틀림(?!없)|틀려|오답|제외|배제|빼고|빼면|뺍|뺄|말고|대신|보다|제하|소거|"
    r"탈락|될\s*수\s*없|될\s*수는\s*없|불가능|불가|맞지\s*않|맞진\s*않|맞지는\s*않|적절하지|적합하지|옳지\s*않|옳지\s*못|"
    r"올바르지|알맞지|정답이\s*아|답이\s*아|거리가\s*멀|해당하지\s*않|"
    r"해당되지\s*않|해당\s*안|관계없|관련\s*없|관련이\s*없|관계가\s*없|상관없|상관이\s*없|무관|잘못|부적절|부적합|부정확|"
    r"어색|이상하|안\s*되|안\s*돼|안\s*맞|못\s|불필요|버리|버려|그르|그릅|거짓|사실이\s*아|너무|낮|높(?!은\s*확률)|부족|어긋|"
    r"모순|말이\s*안|말이\s*되지\s*않|성립하지\s*않|있을\s*수\s*없|비문|외에|외의|이외|제외하|제쳐|x\b|✗|❌)"
)
_OUT_RIGHT = re.compile(
    rf"{_CLOSE}{_JOSA}{_FILL}{_OUT_WORD}|^\s*이?라기보다|^\s*(?:이었|였)(?:는데|지만|으나)|^\s*에서(?=\s*[ㄱ-ㅎA-D])|"
    rf"^[가-힣]{{0,2}}지(?:는|도)?\s*(?:않|못)",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    _CLOSE + _JOSA + r"(?:아닐\s*수(?:가)?\s*없|아닌\s*(?:것|게|다른)?(?:은|이)?\s*없|말고는?\s*(?:다른\s*)?(?:정답|답|맞는\s*것|것|게)?(?:이|"
    r"은)?\s*없|밖에\s*(?:는\s*)?(?:정답이|답이)?\s*없|외에는?\s*(?:다른\s*)?(?:정답|답|것)?(?:이|은)?\s*(?:없|틀)|틀림\s*없|"
    r"(?:을|를)?\s*제외한?\s*(?:하고는?\s*)?(?:나머지|다른)?[^.]{0,12}(?:틀|오답|아니|아닙|제거)|(?:을|"
    r"를)?\s*제외하고는?[^.]{0,12}(?:틀|오답|아니|아닙))"
)
_CLAIM_RIGHT = re.compile(
    _CLOSE
    + r"(?:은|는|이|가|을|를|만|도|만이|으로|로|라고|이라고)?\s*"
    + _FILL
    + r"(?:바꾸|바꿀|바꿉|정정|변경|수정|정답|답|맞|옳|적절|적합|올바|올발|알맞|타당|고르|고를|고릅|골라|골랐|선택|택하|택할|"
    r"택합|하겠|하죠|할게|할래|합니다|"
    r"생각|봅니다|보입|보여|보인|판단|여겨|가장|제일|확실|분명|분명합|유력|자연|어울|해당|✓|✅)"
    r"|" + _CLOSE + r"(?:이|으)?(?:입니다|이에요|예요|에요|이다|다(?=[\s.!,]|$)|이죠|죠|지요|이야|야(?=[\s.!,]|$)|임(?=[\s.!,]|$)|이요|"
    r"요(?=[\s.!,]|$)|이라고|라고|이라|겠|이겠|일\s*(?:것|거|듯|겁)|인\s*(?:것|거|듯)|인데요|이네|네요|이군|군요|같아|같습|"
    r"같다|이랍|랍니다|이며|이고(?!\s*[ㄱ-ㅎ])|이므로|이니|니까|이지(?!\s*않)|지(?=[\s.!]|$)|이올|거든|일세|이었|였)",
    re.IGNORECASE,
)
_YES_MARK = re.compile(r"^[\"')\].]*\s*[:(=-]+\s*(?:맞|정답|옳|적절|o\b|✓|✅)", re.IGNORECASE)
_NO_MARK = re.compile(r"^[\"')\].]*\s*[:(=-]+\s*(?:틀|오답|아니|아님|x\b|✗|❌|부적절|부적합)", re.IGNORECASE)
_WEAK_RIGHT = re.compile(
    _CLOSE + r"(?:이|가|은|는|도|을|를|으로|로|라고|이라고)?\s*(?:(?:정답|답)(?:이라고|으로)?\s*)?(?:생각했(?:지만|는데|으나|다가)|"
    r"생각할\s*수도|줄\s*알았|보일\s*수|보이지만|일\s*수도|일수도|가능성도|가능하지만|가능성이|가능은|그럴듯|그럴싸|헷갈|"
    r"혼동|같지만|같기도|같았|이라면|라면|인지(?!도)|일지|인가|일까|아닌가|아닐까|이면|였다면|이었다면|중에서|중\s|사이|부터\s*(?:보|살펴|"
    r"검토)|할까|하려|하려다|고민|도\s*(?:비슷|맞지만)|처럼\s*(?:보|느)|로\s*보이지만|일\s*것\s*같지만|인\s*것\s*같지만|"
    r"도\s*생각해)"
)
_WEAK_LEFT = re.compile(
    r"(?:만약|만일|혹시|처음에는?|언뜻|얼핏|예를\s*들어|가정하|가령|비교하면|물론|사람들은)(?:(?!지만|는데|으나|니까|아니라|이고)[^,.]){0,25}$"
)
_CLAIM_LEFT = re.compile(
    r"(?:정답|답|답변|대답|선택|결론|최종|해답|제\s*생각|생각에는?|생각엔|따라서|그러므로|그래서|그러니까?|그렇다면|결국|즉|"
    r"곧|당연히|확실히|분명히?|아마도?|바로|⇒|:|=|→|->|골라|고르자면|고른다면|택한다면|"
    r"맞는\s*것은?|옳은\s*것은?|적절한\s*것은?|알맞은\s*것은?|올바른\s*것은?|것은|것이|건|자연스러운\s*문장은|표현은|문장은|"
    r"저는|전|나는|난|제가|이건|이것은|그건|그것은|여기는|여기서는|이는)"
    r"(?:은|는|이|가|을|를|으로|로|로는|에는|엔|의|도|까지|하자면)?[\s,:;=\"'(\[→>-]*(?:(?:아마도?|바로|당연히|확실히|"
    r"분명히?|역시|가장|제일|그냥|일단|음|어|보기|선택지|옵션|번호|정답은|답은|그\s*중|이\s*중|네\s*개\s*중|것은|적절한|맞는|"
    r"옳은|제\s*생각에는?|제가\s*보기에는?|보기에|위의|다음|결국|최종적으로|저는)[\s,:\"'(\[]*){0,5}$"
)
_TAG_QUESTION = re.compile(r",\s*(?:맞죠|맞지요|그렇죠|맞나요)\s*\?\s*$")


def status(before: str, inside: str, after: str, several: bool, kind: Kind) -> Status:
    """What the sentence says about a group of mentions."""
    if _DOUBLE.match(after):
        return "claimed"
    if _WEAK_RIGHT.match(after):
        return "weak"
    if _OUT_RIGHT.match(after) or _NO_MARK.match(after):
        return "ruled_out"
    if after.rstrip().endswith("?") and not _TAG_QUESTION.search(after) and len(after.strip()) < 25:
        return "weak"
    explicit = re.search(r"(?:정답|답|결론|⇒)(?:은|는|이|:)?\s*[^,.]{0,12}$", before)
    if _WEAK_LEFT.search(before) and not explicit:
        return "weak"
    if _CLAIM_LEFT.search(before) or _YES_MARK.match(after) or _CLAIM_RIGHT.match(after):
        return "claimed"
    return "bare"


def mentions(text: str, options: Options) -> list[Mention]:
    """Labels, positions and texts, longest first where one is inside another."""
    texts = in_words(text, options)
    found = [*texts, *_positions(text, options, texts), *_labels(text, options)]
    kept = apart(found, len(text))
    return kept or predicates(text, options) or partial(text, options)


def _labels(text: str, options: Options) -> list[Mention]:
    labels = tuple(label for label, _ in options)
    found = []
    for match in _label_pattern(labels, len(options)).finditer(text):
        name = next(group for group in match.groups() if group)
        place = _place(name, labels)
        if place is not None and place < len(options):
            found.append(Mention(match.start(), match.end(), place, "label"))
    return found


@lru_cache(maxsize=512)
def _label_pattern(labels: tuple[str, ...], count: int) -> re.Pattern[str]:
    jamo, names = LETTERS[:count], "|".join(NAMES[:count])
    latin = LATIN[:count] + LATIN[:count].lower()
    syllables = SYLLABLES[:count]
    parts = [
        rf"(?<![ㄱ-ㅎㅏ-ㅣ가-힣])(?:[(\[]\s?)?([{jamo}])(?:\s?[)\]])?(?![ㄱ-ㅎㅏ-ㅣ])",
        rf"(?<=[은는답])([{jamo}])(?![ㄱ-ㅎㅏ-ㅣ])",
        rf"(?<![가-힣])({names})(?![가-힣]*[ㄱ-ㅎ])",
        rf"(?<![A-Za-z0-9°_&+/'.])[(\[]?([{latin}])[)\]]?(?![A-Za-z0-9&+/_]|['.-][A-Za-z])",
        rf"[(\[]([{syllables}])[)\]]",
        rf"^\W*([{syllables}])\W*$",
        rf"(?<![가-힣])([{syllables}])번(?={ATTACHED}(?![가-힣]))",
        rf"(?:정답은|답은|정답:|답:)\s*[\"']?([{syllables}])(?=[\"']?(?:\s*[.!,]|\s*$|입니다|예요|이에요|번))",
    ]
    own = [label for label in labels if label and not re.fullmatch(rf"[{LETTERS}A-Na-n]|\d{{1,2}}", label)]
    if own:
        parts.insert(0, rf"(?<![\w])({'|'.join(map(re.escape, own))})(?![\w])")
    return re.compile("|".join(parts))


def _place(name: str, labels: tuple[str, ...]) -> int | None:
    if name in labels:
        return labels.index(name)
    if name in LETTERS:
        return LETTERS.index(name)
    if name.upper() in LATIN:
        return labels.index(name.upper()) if name.upper() in labels else LATIN.index(name.upper())
    if name in SYLLABLES:
        return SYLLABLES.index(name)
    return next((place for place, names in enumerate(NAMES) if name in names.split("|")), None)


_ORDINALS = {
    "첫": 0,
    "첫째": 0,
    "한": 0,
    "두": 1,
    "둘째": 1,
    "둘": 1,
    "세": 2,
    "셋째": 2,
    "셋": 2,
    "네": 3,
    "넷째": 3,
    "넷": 3,
    "다섯": 4,
    "다섯째": 4,
    "여섯": 5,
}
_SINO = {"일": 0, "이": 1, "삼": 2, "사": 3, "오": 4, "육": 5}
_POSITION = re.compile(
    r"(?<![\d가-힣.,])(\d{1,2})\s?번(?:째)?(?!\s?(?:이나|씩|정도|만에|의\s|쯤|만\s))|(?<![가-힣])(첫|두|세|네|다섯|"
    r"여섯)\s?번\s?째|(?<![가-힣])(첫째|둘째|셋째|넷째|다섯째)(?![가-힣]*[날딸아])"
    r"|(?<![가-힣])([일이삼사오육])\s?번(?=[\s.!,]*$|입니다|이에요|예요|이요|요|이 정답|이 맞)|(?<![가-힣])(마지막|맨\s?끝|"
    r"맨\s?뒤)\s?(?:것|거|보기|선택지|번|문장|옵션|답)|(?<![가-힣])(전자|앞의\s?(?:것|문장)|앞\s?문장|앞쪽\s?문장|첫\s?문장)|"
    r"(?<![가-힣])(후자|뒤의\s?(?:것|문장)|뒤\s?문장|뒤쪽\s?문장)"
    r"|(?<![가-힣])(?:보기|선택지|옵션|번호)\s?(\d{1,2})(?![\d.])"
)


def _positions(text: str, options: Options, texts: list[Mention]) -> list[Mention]:
    labels = [label for label, _ in options]
    counts = any(re.fullmatch(r"(?:약\s*)?(?:\d+|[가-힣]{1,3})\s?번(?:\s?이상)?", digits(option.strip())) for _, option in options)
    found = []
    for match in _POSITION.finditer(text):
        number, ordinal, nth, sino, last, former, _, named = match.groups()
        if counts and (number or sino) and "째" not in match[0]:
            continue
        if any(one.start < match.end() and match.start() < one.end for one in texts):
            continue
        if number or named:
            written = number or named
            place = labels.index(written) if written in labels else int(written) - 1
        elif ordinal or nth:
            place = _ORDINALS[ordinal or nth]
        elif sino:
            place = _SINO[sino]
        elif last:
            place = len(options) - 1
        else:
            place = 0 if former else 1
            if len(options) != 2:
                continue
        if 0 <= place < len(options):
            found.append(Mention(match.start(), match.end(), place, "position"))
    counted = _counted(text, options)
    if counted is not None and not texts:
        return [Mention(0, len(text), counted, "text")]
    whole = re.fullmatch(r"[\s\"'(\[#]*(\d)[\s\"')\].!:]*", text)
    if whole and not texts and (whole[1] in labels or 1 <= int(whole[1]) <= len(options)):
        place = labels.index(whole[1]) if whole[1] in labels else int(whole[1]) - 1
        found.append(Mention(0, len(text), place, "label"))
    return found


_NUMERALS = {"하나": 1, "둘": 2, "셋": 3, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10}
_GENDERS = {"남": ("남성", "남자"), "여": ("여성", "여자")}


def _counted(text: str, options: Options) -> int | None:
    """The option that an answer of one number names by its own number (3 or 셋 of 2명, 3명, 4명); 남 and 여 in the same way."""
    said = re.sub(r"(?:입니다|이에요|예요|이요|요)?\W*$", "", text.strip(" \"'([.")).strip()
    plain = [digits(option.strip()) for _, option in options]
    number = str(_NUMERALS[said]) if said in _NUMERALS else said
    if said in _GENDERS:
        found = [place for place, one in enumerate(plain) if one in _GENDERS[said]]
    elif number.isdigit():
        found = [place for place, one in enumerate(plain) if re.fullmatch(rf"{number}\s?[^\d\W]{{1,3}}", one)]
    else:
        return None
    return found[0] if len(found) == 1 else None
