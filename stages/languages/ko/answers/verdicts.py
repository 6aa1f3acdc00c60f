"""Korean: whether an answer says yes or no, also by the statements that the yes/no tasks of BBH ask for.

네 is yes only as a reply (네 걸음 is four steps, 네 말 is what you say), 예 not in 예를 들어. 아닙니다 is no where it is a reply; behind 이 or 가 it
denies what precedes it, which may itself be the no (거짓말이 아닙니다). Without a verdict word the last statement decides by its content and its
negation (않, 못, 안, 아니, 없).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.languages.verdicts import Said, decide

_CORRECTION = re.compile(
    r"잠깐(?:만요?)?[,.…!\s]*|잠시만요?[,.…!\s]*|다시\s*(?:생각|확인|계산|보니|말)\S*[,.\s]*|정정(?:하|합|할)\S*[,.\s]*|"
    r"아\s?참[,.!\s]*|아이고[,.!\s]*|앗[,.!\s]*|생각해\s*보니까?[,\s]*|사실은[,\s]*|실수(?:했|입|예)\S*[,.\s]*|취소[,.\s]+"
)
_QUESTION = re.compile(r"[^.?!\n]*\?")
_MASKED = re.compile(
    r"(?:네|예)\s*(?:/|또는|혹은|나|,|와)\s*(?:아니[요오]|아뇨)(?:로|라고|를|중)?|아니[요오]\s*(?:/|또는|혹은|,)\s*(?:네|"
    r"예)(?:로|라고)?|예를\s*들\S*|예컨대|예시\S*|예상\S*|예측\S*|예외\S*|만약[^,.]*|만일[^,.]*|뿐만\s*아니라|"
    r"네\s?(?:걸음|번|개|명|사람|시|살|마리|칸|발|블록|차례|가지|대|장|권|층|바퀴|방향|곳|군데|글자|단계|미터|보|분|달|주|쪽|"
    r"배|팀|선수|말|생각|의견|것|바퀴째|번째|시간|자리|잎|면|변|모서리|줄|문장)(?!요[.!])\S*|아니면|인지\s*아닌지|"
    r"는지\s*아닌지|여부\S*|잠깐,?\s*아니[요,.]?|아니,?\s*(?=잠깐)"
)
_START = (
    r"(?:^|[.?!\n:;,⇒…~\"'(\[]|(?<=\s)(?=[네예아응])|(?:답변?|정답|결론|대답|최종\s*답|최종|판단|결과)(?:은|는|:)?|따라서|"
    r"그러므로|그래서|결국|즉|결론적으로|음|어|아|그럼|당연히|물론|확실히|정답)\s*[\"'(\[]*"
)
_YES = re.compile(
    _START + r"(?P<word>네네?|넵|넹|예|응|옙|그렇습니다|그렇다|그래요|그래|그렇죠|그렇지요|그럼요|맞습니다|맞아요|맞아|맞다|맞음|맞네요|맞죠|"
    r"옳습니다|옳다|참|참입니다|참이다|사실입니다|사실이에요|당연하죠|물론입니다|물론이죠|물론이에요|긍정|예스|yes|true|O)"
    r"(?:입니다|이에요|예요|이다|임|이라고|라고|요|이요|이며|이죠|죠)?(?=\s*(?:[.,!?~…\"')\]\n:;-]|$)|\s+(?!하|할|한|되|생각하))",
    re.IGNORECASE,
)
_NO = re.compile(
    _START + r"(?P<word>아니요|아니오|아뇨|아닙니다|아니에요|아니예요|아니다|아니야|아님|아닌\s*것\s*같\S*|아닐\s*것\s*같\S*|아니죠|"
    r"아닌데요|아니|전혀요|틀립니다|"
    r"틀렸습니다|틀려요|틀렸어요|틀리다|틀림|틀렸다|그렇지\s*않\S*|그렇지\s*못\S*|거짓입니다|거짓이다|노|노우|부정|no|false|"
    r"X)"
    r"(?:입니다|이에요|예요|이다|임|이라고|라고|요|이요|이죠|죠)?(?=\s*(?:[.,!?~…\"')\]\n:;-]|$)|\s)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"(?:이|가|은|는|도)\s+$")
"""아닙니다 behind a particle denies what precedes the particle."""
_MATCHES = re.compile(
    r"(?P<word>맞|옳)(?:습니다|아요|다|는\s*말|음|네요|는\s*것|을\s*것|는\s*답)(?=[\s.,!]|$)|(?P<no>맞지\s*않|옳지\s*않|틀렸|틀립|틀린)"
)
_ANSWER_IS = re.compile(
    r"(?:답변?|정답|결론|대답)(?:은|는|이|:)?\s*[\"'(\[]*(?P<word>네|예|그렇다|맞다|참|아니요|아니오|아뇨|아니다|틀리다|거짓|"
    r"yes|no|true|false)(?:가|이|는|은)?(?P<not>\s*(?:가|이)?\s*아니(?:라|고|며|다|에|ㅂ)|\s*아닙)?",
    re.IGNORECASE,
)

_NEGATION = re.compile(r"않|못|아니|아닙|아닌|아님|아녜|없|(?<![가-힣])안\s?[가-힣]|말이\s*안|(?<=[가-힣])지\s*는?\s*않|불가")
_DOUBLE = re.compile(
    r"(?:않|아니|없|못)(?:는)?(?:다고|라고)(?:는)?\s*(?:할|볼|말할|생각할)\s*수(?:는|가)?\s*없|(?:않|아니|아닌|없|"
    r"못)\S*\s*(?:은|는|것은|것이|지)?\s*(?:것도|수|다고는|게|건|것은)?\s*(?:아니|아닙|않|없)"
)

_STATEMENTS: dict[str, list[tuple[re.Pattern[str], bool]]] = {
    "navigate": [
        (
            re.compile(
                r"(?:출발|시작|처음|원래)\S*에서\s[^,.]*(?:앞|뒤|옆|쪽)에\s?(?:있|위치|서|도착)|떨어져|떨어진|벗어나|벗어났|"
                r"다른\s?(?:위치|곳|자리|지점)|엉뚱한\s?(?:위치|곳)|멀어|멀리"
            ),
            False,
        ),
        (
            re.compile(
                r"제\s?자리|출발(?:한)?\s?(?:점|지점|지|위치|했던\s?(?:곳|자리)|한\s?(?:곳|자리)|선)|시작(?:한|했던)?\s?(?:점|지점|위치|"
                r"곳|자리)|원점|처음(?:의)?\s?(?:위치|자리|지점|곳|있던)|원래(?:의)?\s?(?:위치|자리|지점|곳|있던)|같은\s?(?:자리|위치|곳|"
                r"지점)|되돌아|원위치|원래대로|돌아[오왔온올갔간가옴옵]|복귀"
            ),
            True,
        ),
    ],
    "sports_understanding": [
        (re.compile(r"불가능|터무니|어색|부자연|이상(?:한|합|하)|거짓|모순|부적절"), False),
        (
            re.compile(
                r"비현실|말(?:이|도|은)?\s?(?:안|되지|되질)|있을\s?수\s?없|맞지\s?않|틀린|틀렸|틀립|"
                r"타당하지|타당성이\s?없|그럴듯하지|그럴\s?듯하지|개연성이\s?(?:없|낮|떨어)|현실적이지|가능하지\s?않|가능성이\s?(?:없|낮|"
                r"희박|거의)|성립하지|자연스럽지|옳지\s?않|관련이\s?없|부적절|적절하지|할\s?수\s?없|일어날\s?수\s?없|"
                r"쓰(?:이)?지\s?않|하지\s?않|사용하지\s?않|존재하지\s?않|아닌\s?문장|아닙니다|아니에요|아니다"
            ),
            False,
        ),
        (
            re.compile(
                r"그럴듯|그럴\s?듯|그럴싸|타당|가능(?!성)|말이\s?(?:됩|돼|된|되는|되네|되고|되므로|되니)|말\s?됩|현실적(?!이지)|"
                r"있을\s?(?:수\s?있|법)|자연스럽(?!지)|자연스러|개연성이\s?(?:있|높)|가능성이\s?(?:있|높|충분|큽|크)|옳|맞(?!지)|"
                r"성립(?!하지)|적절(?!하지)|사실입|사실이|할\s?수\s?있|일어날\s?수\s?있|참입|참이|일리가|합당|충분히"
            ),
            True,
        ),
    ],
    "web_of_lies": [
        (re.compile(r"거짓|사실이\s?아닌|진실이\s?아닌|속이|속였|허위|진실하지"), False),
        (re.compile(r"진실|참말|참을\s?말|사실을|사실대로|사실이|사실입|정직|솔직|진짜를|바른\s?말|참되|옳은\s?말"), True),
    ],
}
_SUBJECT = re.compile(r"([가-힣A-Za-z]{1,12}?)(?:이는|이가|은|는|이|가)\s*(?:진실|사실|참말|참을|거짓|정직)")
_SAYS = re.compile(r"(?:다고|라고|자고|냐고)\s*(?:말|주장|했|하|얘기|이야기|합|함|한|전)")


def verdict(text: str, question: str = "", task: str = "") -> bool | None:
    """Whether `text`, which is clean, says yes. `task` names the BBH sub-task, whose statements are then read, too."""
    name = next((name for name in _STATEMENTS if name in task), "")
    asked = text if _QUESTION.fullmatch(text.strip()) else _QUESTION.sub(lambda found: " " * (len(found[0]) - 1) + ".", text)
    masked = _MASKED.sub(lambda found: " " * len(found[0]), asked)
    said = list(_explicit(masked, name))
    if name:
        said += _implied(masked, question, name)
    found = decide(said, _CORRECTION.finditer(text))
    return _by_ending(masked, question) if found is None and not name else found


def _explicit(text: str, task: str) -> Iterator[Said]:
    for found in _YES.finditer(text):
        if not re.match(r"\s*(?:가|이|은|는)?\s*(?:아니|아닙)", text[found.end() :]):
            yield Said(found.start("word"), True, True)
    for found in _NO.finditer(text):
        before = text[: found.start("word")]
        if found["word"].startswith("아니") or found["word"].startswith("아닙") or found["word"] == "아님":
            if _DENIES.search(before) or re.search(r"[가-힣](?:이|가)\s?$|(?:게|건|것은|것이|수는|수도)\s*$", before):
                continue
            if found["word"] == "아니" and not re.match(r"[.,!…~\s]*(?:$|[,.!…~])", text[found.end() :]):
                continue
        yield Said(found.start("word"), False, True)
    for found in _ANSWER_IS.finditer(text):
        yes = found["word"].casefold() in ("네", "예", "그렇다", "맞다", "참", "yes", "true")
        yield Said(found.start("word"), yes != bool(found["not"]), True)
    if task != "sports_understanding":
        for found in _MATCHES.finditer(text):
            yield Said(found.start(), bool(found["word"]), True)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """(start, clause) of the clauses of `text`, cut where one ends and another begins."""
    start = 0
    for found in re.finditer(
        r"[.!?\n;]+|(?<=[^다라자냐]고),?\s|(?<=며),?\s|(?<=[^에]서),?\s|(?<=지만),?\s|(?<=데),?\s|(?<=니까),?\s|(?<=므로),?\s|"
        r"(?<=니),\s|(?<=면),?\s|,\s",
        text,
    ):
        yield start, text[start : found.start()]
        start = found.end()
    yield start, text[start:]


def _implied(text: str, question: str, task: str) -> Iterator[Said]:
    subject = next(iter(reversed(_SUBJECT.findall(question))), None) if task == "web_of_lies" else None
    for start, clause in _clauses(text):
        for pattern, yes in _STATEMENTS[task]:
            found = pattern.search(clause)
            if not found:
                continue
            rest = clause[found.end() :] if task != "navigate" else clause[found.start() :]
            if task == "web_of_lies" and not _is_about(subject, clause, found):
                break
            denied = bool(_NEGATION.search(rest))
            if task == "sports_understanding" and not yes:
                # Most of these are denials themselves; only the words that are not can be denied.
                denied = (
                    pattern is _STATEMENTS[task][0][0] and re.match(r"[가-힣]{0,3}(?:지|이|가)\s?(?:는|도)?\s?(?:않|아니|아닙)", rest) is not None
                )
            if task == "navigate":
                denied = (
                    re.search(r"않|아니|아닙|아님" if not yes else _NEGATION.pattern, rest) is not None
                    or re.search(r"(?<![가-힣])안\s$", clause[: found.start()]) is not None
                )
            if denied and _DOUBLE.search(rest):
                denied = False
            yield Said(start + found.start(), yes != denied, False)
            break


def _is_about(subject: str | None, clause: str, found: re.Match[str]) -> bool:
    """Whether a statement is the answer's own about the person asked for, not what one person says of another."""
    if _SAYS.search(clause[found.end() :]) and not re.search(r"볼\s*수\s*있|할\s*수\s*있|알\s*수\s*있|결론|판단", clause[found.end() :]):
        return False
    if subject is None:
        return True
    who = re.findall(r"([가-힣A-Za-z]{1,12}?)(?:이는|이가|은|는|이|가|도)(?=\s)", clause[: found.start()] + " ")
    return not who or any(subject in name or name in subject for name in who) or subject in clause[: found.start()]


def _by_ending(text: str, question: str) -> bool | None:
    """By the last sentence alone: it says again what was asked, with or without a negation."""
    sentences = [one for one in re.split(r"[.!?\n]+", text) if re.search("[가-힣]", one)]
    asked = re.split(r"[.!?\n]+", question.strip().rstrip("?!. "))[-1]
    if not sentences or not asked:
        return None
    stems = {word[:2] for word in re.findall(r"[가-힣]{2,}", asked)}
    last = sentences[-1]
    if not any(stem in last for stem in stems):
        return None
    negated = bool(_NEGATION.search(last)) and not _DOUBLE.search(last)
    return negated == bool(_NEGATION.search(asked))
