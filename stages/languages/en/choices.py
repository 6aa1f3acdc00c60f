"""English: where an answer mentions an option, and what it says about it. See stages/languages/choices.py for what counts."""

from __future__ import annotations

import re
from functools import lru_cache

from stages.languages.choices import Kind, Mention, Options, Status, apart
from stages.languages.en.numbers import alternatives

correction = re.compile(
    r"\b(?:no,? wait|wait,? no|wait|actually|scratch that|correction|i meant?|sorry,? (?:no|it'?s|that'?s|it is)|my mistake|on second thoughts?|"
    r"i take (?:that|it) back|hold on|hmm,? no|oops|or rather|i misspoke|strike that|let me correct (?:that|myself)|to correct myself|reconsidering|"
    r"let me (?:reconsider|rethink|re-?check)|no, no|sorry)\b[\s,.:!…-]*|(?<=[,.?!…-])\s*no\s*[,.…!-]+\s*",
    re.IGNORECASE,
)
pairing = re.compile(r"[\s.,:;)\]\-=]{0,4}(?:is\s+)?(?:an?\s+|the\s+)?", re.IGNORECASE)
list_end = re.compile(r"\s*(?:[.!?\n]|$|are\b|were\b|can\b|all\b|don't\b|do not\b)", re.IGNORECASE)
explained = re.compile(r"\s*(?:[,:;(-]|because\b|since\b|as\b|for\b|due\b)", re.IGNORECASE)
conjunction = re.compile(
    r"\s*,?\s*(?:and|or|&|/|as well as|and/or|nor|or maybe|or even)\s*(?:the\s+|an?\s+)?(?:option|choice|letter|answer)?\s*[\"'(\[]*", re.IGNORECASE
)
comma = re.compile(r"[\"')\]]*\s*,\s*[\"'(\[]*")

_FILLER = (
    r"(?:\w+ly|most|in fact|indeed|just|thus|so|therefore|then|hence|um+|uh+|er|hmm+|well|the|an?|option|choice|letter|"
    r"answer|alternative|number|called|namely|of course|"
    r"i think|i believe|i guess|i'd say|i would say|would be|must be|should be|be|to be|that|it'?s|it is|still|my|your|one|again|in this case|here|"
    r"without (?:a )?doubt|no doubt|for sure|no other than|none other than|nothing other than|nothing but|correct|right|best|"
    r"final|following|obviously|"
    r"as follows|given by|represented by|labell?ed|marked|under|in|with|by)"
)
_TAIL = rf"[\s,:;=>\"'(\[-]*(?:{_FILLER}\b[\s,:;=>\"'(\[-]*){{0,7}}$"
_CLAIM_LEFT = re.compile(
    r"(?:\b(?:answer|choice|option|solution|selection|pick|guess|bet|response|letter|result|verdict|conclusion|decision|vote|"
    r"one|key|statement|sentence|order|device|thing)s?"
    r"\b[^.?!\n]{0,90}?(?:\b(?:is|are|was|be|becomes?|as)\b|'s\b|:|=|->|-)"
    r"|\b(?:choose|chose|pick|picked|select|selected|go with|going with|go for|going for|opt for|opting for|say|said|"
    r"vote for|settle on|settled on|went with|leans? towards?|"
    r"leaning towards?|conclude|concluding|prefer|favou?r|answer|answers|answered|guess|matches|corresponds to|points to|"
    r"leaves(?: us with)?|leaving|(?:change|switch|revise|correct|amend)(?:d|ing)? (?:my |the )?(?:answer|choice|mind)? ?to)\b(?: that)?"
    r"|\b(?:it|that|this|which|there|he|she|they|what)(?:'s|\s+(?:is|was|must be|should be|would be|has to be|will be|"
    r"can only be|could only be|means|makes))\b"
    r"|\b(?:so|therefore|thus|hence|finally|final|answer|ans|accordingly|consequently|in conclusion|in short|overall|i think|"
    r"i believe|must be|has to be|definitely|surely)\b"
    r"|\b(?:none|nothing|no(?:ne)?|anything|no other)\s+(?:other\s+than|but)\b"
    r"|⇒|->|=>)" + _TAIL,
    re.IGNORECASE,
)
_EXPLICIT = re.compile(r"\b(?:answer|choice|pick|choose|select|go with|option)\b", re.IGNORECASE)
_OUT_FILLER = (
    r"(?:be|being|it'?s|it is|that it'?s|that it is|the|an?|option|choice|answer|letter|number|options|choices|either|both|"
    r"really|necessarily|quite|just|possibly|clearly|likely|"
    r"actually|at all|think|believe|go|going|with|choose|pick|select|say|for|of|to|so|simply|correct|right|best|any|even|"
    r"consider|considering|see|find|how|why|could|would|can|out|is|was)"
)
_OUT_LEFT = re.compile(
    r"(?:\b(?:\w+n't|not|cannot|never|except|excluding|besides|unlike|instead of|(?:the )?(?:opposite|reverse) of|"
    r"contrary to|confus(?:e|ed) (?:it |this )?with|rather than|other than|as opposed to|nor|"
    r"neither|rul(?:e|es|ed|ing) out|"
    r"eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|discard(?:s|ed|ing)?|reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|"
    r"cross(?:es|ed|ing)? (?:out|off)|(?:i|would|we) doubt(?: that)?|avoid|"
    r"remov(?:e|es|ed|ing)|dropp?(?:s|ed|ing)?|(?:incorrect|wrong|false)(?=\s*:))\b|✗|❌)"
    rf"[\s,:\"'(\[-]*(?:{_OUT_FILLER}\b[\s,\"'(\[-]*){{0,6}}$",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"\b(?:everything|all|every(?: \w+)?|all (?:the )?(?:other )?(?:options|choices|answers)|the others|each) (?:except|but|"
    r"other than|besides)(?: for)?\s*(?:option|choice)?[\s\"'(]*$",
    re.IGNORECASE,
)
_NOT_OUT = re.compile(
    r"\b(?:(?:nothing|none|anything|no(?:ne)? ?(?:one|answer|option|choice)?) (?:other than|but|except)|not only|why not|"
    r"if not|cannot be (?:anything|any) \w* ?(?:but|other than|except))[\s\"'(]*(?:option|choice)?[\s\"'(]*$",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:choose|pick|select|prefer|favou?r|go with|take)\b.{0,40}\b(?:over|to)\s+(?:option |choice |the |an? )?[\"'(]*$", re.IGNORECASE
)
_OPEN = r"^[\"')\].:,]*\s*(?:\([^)]{0,60}\)\s*)?"
_ADVERB = (
    r"(?:\w+ly\s+|also\s+|just\s+|all\s+|both\s+|each\s+|an?\s+|the\s+|of course\s+|indeed\s+|by far\s+|still\s+|my\s+|"
    r"our\s+|your\s+|to be\s+|in fact\s+|most\s+|only\s+|one\s+|thus\s+|therefore\s+|even\s+|far\s+|then\s+|more\s+|"
    r"single\s+|very\s+|quite\s+|much\s+)*"
)
_BE = (
    r"(?:is|are|was|were|seems?|looks?|sounds?|appears?|would be|must be|has to be|should be|could be|might be|may be|can be|"
    r"being|remains?|'s|'re|as|feels)"
)
_OUT_RIGHT = re.compile(
    _OPEN + r"(?:,?\s*(?:which|that|it|this|they|these|both|all|then|however),?\s+)?(?:"
    rf"{_BE}\s+{_ADVERB}(?:not|never|no\b|wrong|incorrect|false|out\b|excluded|eliminated|ruled out|impossible|unlikely|"
    rf"inaccurate|invalid|implausible|irrelevant|unrelated|too\s|"
    r"mistaken|off\b|nonsense|bad|poor|opposite|distractors?|misleading|less|untrue|nowhere|unsuitable|inappropriate|ruled)"
    r"|(?:isn't|aren't|wasn't|weren't|can't|cannot|couldn't|won't|wouldn't|shouldn't|doesn't|don't|didn't|hasn't|haven't|"
    r"does not|do not|did not|can not|would not|could not|will not|"
    r"should not|must not|has not|has no|have no|fails?|lacks?|makes? no sense|goes? away|seems? wrong|got|"
    r"can be (?:ruled out|eliminated|excluded|discarded)|gets? eliminated)\b)",
    re.IGNORECASE,
)
_NOT_WRONG = re.compile(
    _OPEN + rf"(?:{_BE}|isn't|wasn't)\s+(?:certainly |definitely |really )?(?:not\s+)?(?<=t )(?:wrong|incorrect|false|mistaken)\b", re.IGNORECASE
)
_OUT_MARK = re.compile(
    r"^[\"')\].]*\s*[:(=-]+\s*(?:this is |that is |it is |it's |is |this is clearly )?(?:incorrect|wrong|false|no\b|not |out\b|"
    r"eliminated|ruled out|impossible|✗|❌|✘|x\b)",
    re.IGNORECASE,
)
_NO_MARK = re.compile(r"^[\"')\].:]*\s*(?:✗|❌|✘)")
_YES_MARK = re.compile(
    r"^[\"')\].]*\s*(?:[:(=-]+\s*(?:this is |that is |it is |it's |is )?(?:correct|right|true|yes\b|the answer|the correct|✓|"
    r"✅|✔)|[:]?\s*(?:✓|✅|✔))",
    re.IGNORECASE,
)
_CLAIM_RIGHT = re.compile(
    _OPEN + r"(?:,?\s*(?:which|that),?\s+)?(?:"
    rf"{_BE}\s+{_ADVERB}(?:correct|right|best|answer|true|choice|pick|final|likely|appropriate|accurate|suitable|solution|"
    rf"option|it\b|what|guess|valid|better|fit|match|plausible answer|proper|"
    r"standard|usual|natural|logical|normal|winner|closest|sensible|bet\b|one\b)"
    r"|(?:it is|it's the one|wins|for sure|all the way|fits|makes (?:the )?(?:most |more |perfect )?sense|works (?:best|"
    r"well)|matches|has the (?:correct|right|proper|usual|natural|standard)|"
    r"follows the|uses the (?:correct|right|proper|usual)|would fit|sounds (?:right|better|best)|seems (?:right|best)|"
    r", final(?: answer)?|, definitely|, i think|, i believe)\b)",
    re.IGNORECASE,
)
_WEAK_RIGHT = re.compile(
    _OPEN + rf"(?:{_BE}|could|might|may)\s+{_ADVERB}(?:tempting|possible|plausible|close\b|an option|attractive|similar|possibility|"
    rf"work\b|reasonable|candidate|appealing|popular|common)",
    re.IGNORECASE,
)
_WEAK_LEFT = re.compile(
    r"\b(?:while|whereas|although|though|if|whether|suppose|supposing|assuming|unless|thought|considered|considering|consider|at first|initially|"
    r"first thought|between|what about|how about|compared? (?:to|with)|versus|vs\.?|"
    r"is it|could it be|might think|may think|would think|some (?:people )?(?:say|think|might)|people often|tempted|"
    r"going to say|wanted to say|almost|maybe|perhaps|might be|may be|could be|look(?:ing)? at|regarding|as for|"
    r"check|checking|option list|similar to|like)\b[^,;:.]{0,45}$",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\s*(?:is|are|was|could|can|would|should|does|do|which|what|why|how|did|am)\b", re.IGNORECASE)
_TAG_QUESTION = re.compile(r",\s*(?:right|correct|isn't it|no|okay|ok|yes)\s*\?\s*$", re.IGNORECASE)


def status(before: str, inside: str, after: str, several: bool, kind: Kind) -> Status:
    """What the sentence says about a group of mentions."""
    if _NOT_OUT.search(before) or _NOT_WRONG.match(after):
        return "claimed"
    if _ALL_BUT.search(before):
        return "claimed" if _OUT_RIGHT.match(after) else "ruled_out"
    if _OUT_LEFT.search(before) or _OVER.search(before):
        return "ruled_out"
    if _OUT_RIGHT.match(after) or _OUT_MARK.match(after) or _NO_MARK.match(after):
        return "ruled_out"
    if after.rstrip().endswith("?") and not _TAG_QUESTION.search(after):
        return "asked" if _ASKING.match(before) else "weak"
    claimed = _CLAIM_LEFT.search(before)
    weak = _WEAK_LEFT.search(before)
    if weak and not (claimed and _EXPLICIT.search(claimed[0]) and claimed.start() >= weak.start()):
        return "weak"
    if _WEAK_RIGHT.match(after):
        return "weak"
    if claimed or _YES_MARK.match(after) or _CLAIM_RIGHT.match(after):
        return "claimed"
    return "bare"


_OPTION_WORD = r"(?:options?|choices?|letters?|answers?|alternatives?|sentences?|statements?|phrases?|label)"
_ATTRIBUTE = re.compile(
    r"\b(?:vitamin|hepatitis|plan|type|group|class|grade|point|figure|table|section|team|part|schedule|category|line|person|"
    r"player|city|town|object|sample|block|model|country|appendix|exhibit|"
    r"company|store|blood|side|station|factor|string|key of|note|drive|battery|size|vertex|angle|node|node|site|gate|room|"
    r"platform|route|party|patient|subject|product|stock|firm|state|region|zone|box|ball|car|"
    r"train|phase|step|stage|case|clause|article|rule|variable|set|event|event|gene|allele|chain|cell|strain|system|of the|"
    r"serie|series|world war|nation|agent|layer)\s+[\"'(]?$",
    re.IGNORECASE,
)
_AFTER_A = re.compile(
    r"\s*(?:$|[^\w\s]|\s(?:is|isn't|was|wasn't|are|and|or|but|because|since|as|for|would|must|should|seems|looks|has|it|"
    r"which|so|if|in|on|not|by|than|then|can't|cannot|can|could|doesn't|does|"
    r"fits|works|makes|matches|here|again|definitely|clearly|obviously|though|if|due|follows|sounds|uses)\b)"
)
_MATH = re.compile(r"(?:[+*/^<>×÷]|(?<![A-Za-z])\s*=|\b[a-zA-Z]\s*=)\s*$")
_WHOLE = re.compile(r"[\s\"'(\[.]*([^\W_])[\s\"')\].!:]*")


def mentions(text: str, options: Options) -> list[Mention]:
    """Labels, positions and texts, longest first where one is inside another."""
    texts = _texts(text, options)
    labels = _labels(text, options, texts)
    positions = _positions(text, options, texts)
    found = [*texts, *positions, *labels]
    kept = apart(found, len(text))
    return kept or _partial(text, options)


def names(options: Options) -> list[str]:
    """The labels; letters by position where the options have none."""
    return [label or "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place % 26] for place, (label, _) in enumerate(options)]


def _labels(text: str, options: Options, texts: list[Mention]) -> list[Mention]:
    labels = names(options)
    places = {label.casefold(): place for place, label in enumerate(labels)}
    found = []
    for match in _label_pattern(tuple(labels)).finditer(text):
        name = match[2]
        before, after = text[max(0, match.start(2) - 60) : match.start(2)], text[match.end(2) : match.end(2) + 60]
        if _is_label(name, before, after, match, text):
            found.append(Mention(match.start(), match.end(), places[name.casefold()], "label"))
    return found


@lru_cache(maxsize=1024)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    return re.compile(rf"(?<![\w&+/])(?<!\w')(?<!\d[.,])([(\[]\s*)?({names})(\s*[)\]])?(?![\w&+]|['/-](?!s\b)\w|[.,]\d)", re.IGNORECASE)


def _is_label(name: str, before: str, after: str, match: re.Match[str], text: str) -> bool:
    if (len(text) < 40 and _WHOLE.fullmatch(text)) or (match[1] and match[3]):
        return True
    named = re.search(rf"\b{_OPTION_WORD}\b\s*(?:is|:|=|was|be)?\s*[\"'(\[]*$", before, re.IGNORECASE)
    if not name.isalpha() or len(name) > 1:
        return bool(named or re.match(r"\s*[).:]", after)) or not (name.isdigit() or before.strip())
    if _MATH.search(before) or re.match(r"\s*[+*/=^<>×÷](?![=>])", after):
        return False
    if _ATTRIBUTE.search(before) and not named:
        return False
    if name in "aAI":
        if name == "I" and re.match(r"\s+[a-z']", after) and not named:
            return False
        ends = re.match(r"[\"']?\s*(?:$|[).:;!?\n]|,(?!\s*(?:um+|uh+|er+|hmm+|well|you know|like)\b))", after) is not None
        if name == "a":
            quoted = before[-1:] in "\"'" and after[:1] in "\"'"
            lead = re.search(
                r"(?:\b(?:is|be|was|with|choose|pick|select|say|so|not|and|or|but|answer|option|choice|letter)|:|=|⇒|->|^|\n)\s*[\"'(]*$",
                before,
                re.IGNORECASE,
            )
            return quoted or (ends and bool(lead or match[3])) or bool(named and _AFTER_A.match(after))
        return ends or bool(named) or _AFTER_A.match(after) is not None
    return True


_ORDINALS = {
    "first": 0,
    "1st": 0,
    "former": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "fifth": 4,
    "5th": 4,
    "sixth": 5,
    "6th": 5,
}
_CARDINALS = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4, "six": 5}
_POSITION = re.compile(
    r"\b(?:the\s+)?(first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|5th|6th|last|final|former|latter)\s+(?:option|"
    r"choice|one|answer|alternative|statement|sentence|item|possibility|phrase|version|ordering|order)\b"
    r"|\b(?:option|choice|alternative|sentence|statement|answer|number|no\.|answer choice|answer number)\s*#?\s*(\d{1,2}|one|"
    r"two|three|four|five|six)\b(?![.,]\d|%)|#\s?(\d)\b|\bthe (former|latter)\b",
    re.IGNORECASE,
)


def _positions(text: str, options: Options, texts: list[Mention]) -> list[Mention]:
    labels = {label.casefold() for label, _ in options}
    found = []
    for match in _POSITION.finditer(text):
        word = (match[1] or match[2] or match[3] or match[4]).casefold()
        if word in labels or any(one.start < match.end() and match.start() < one.end for one in texts):
            continue
        if word in ("last", "latter") or (word == "final" and "answer" not in match[0].casefold()):
            place = len(options) - 1
        else:
            place = _ORDINALS.get(word, _CARDINALS.get(word, int(word) - 1 if word.isdigit() else -1))
        if 0 <= place < len(options) and not (word in ("former", "latter") and len(options) != 2):
            found.append(Mention(match.start(), match.end(), place, "position"))
    ordinal = re.fullmatch(r"\W*(?:the\s+)?(\w+)\W*", text)
    if ordinal and not texts and _ORDINALS.get(ordinal[1].casefold(), 99) < len(options):
        found.append(Mention(0, len(text), _ORDINALS[ordinal[1].casefold()], "position"))
    whole = re.fullmatch(r"[\s\"'(\[#]*(\d)[\s\"')\].!:]*", text)
    if whole and not texts and whole[1] not in labels and 1 <= int(whole[1]) <= len(options):
        found.append(Mention(0, len(text), int(whole[1]) - 1, "position"))
    return found


def _texts(text: str, options: Options) -> list[Mention]:
    found = []
    said = text.casefold()
    for place, (_, option) in enumerate(options):
        # A text with a word that the answer does not have needs no expression of its own.
        for name in (option, *_SAME.get(option.strip().casefold(), ())):
            pattern = text_pattern(name) if all(word in said for word in _words(name)) else None
            if pattern is None:
                continue
            found += [Mention(match.start(), match.end(), place, "text") for match in pattern.finditer(text)]
    return found


_SAME = {"male": ("man", "a male speaker"), "female": ("woman", "a female speaker"), "man": ("male",), "woman": ("female",)}
"""Other names of an option that is just this word."""


@lru_cache(maxsize=65536)
def _words(option: str) -> frozenset[str]:
    """The words of a text that stand in every form of it: all but numbers."""
    from stages.languages.cleaning import clean

    return frozenset(token for token in tokens(clean(option)) if token.isalpha() and alternatives(token) == token)


_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[+*/=<>%^°$€£²³-]")
_ARTICLES = {"a", "an", "the"}


def tokens(text: str) -> list[str]:
    """Words, numbers and signs that carry meaning, in small letters; a hyphen between words is none, articles in front are none."""
    text = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", text.casefold())
    found = _TOKEN.findall(text)
    while len(found) > 1 and found[0] in _ARTICLES:
        found = found[1:]
    return found


@lru_cache(maxsize=65536)
def text_pattern(option: str) -> re.Pattern[str] | None:
    from stages.languages.cleaning import clean

    parts = tokens(clean(option))
    if not parts or (len(parts) == 1 and len(parts[0]) == 1 and not parts[0].isdigit()):
        return None
    body = r"[^\w+*/=<>%^]*?(?:-)?[^\w+*/=<>%^]*?".join(alternatives(part) for part in parts)
    left = r"(?<![\w])(?<!\d[.,])" if parts[0][0].isalnum() else ""
    right = r"(?:'s|s|es)?(?![\w])(?![.,]\d)" if parts[-1][-1].isalpha() else r"(?![\w])(?![.,]\d)" if parts[-1][-1].isdigit() else ""
    return re.compile(left + body + right, re.IGNORECASE)


_LEAD = re.compile(
    r"^(?:(?:so|well|um+|uh+|hmm+|i think|i believe|i guess|i'd say|it'?s|it is|it|they|that'?s|that is|this is|the answer is|"
    r"the correct answer is|answer|because|probably|maybe|by|to|for|in|on|of|the|an?)\b[\s,:-]*)*",
    re.IGNORECASE,
)


def _partial(text: str, options: Options) -> list[Mention]:
    """An answer that is nothing but a part of one option's text."""
    said = tokens(_LEAD.sub("", text))
    if not said or (len(" ".join(said)) < 4 and not said[0].isdigit()) or len(said) > 12:
        return []
    within = [place for place, (_, option) in enumerate(options) if f" {' '.join(said)} " in f" {' '.join(tokens(option))} "]
    return [Mention(0, len(text), within[0], "text")] if len(within) == 1 else []
