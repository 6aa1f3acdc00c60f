"""language:response_language: which language an answer is in, by its script first, then by its commonest words.

Korean: more than half of the letters are Hangul, a syllable counted as its letters, so that an answer full of Latin terms passes and
one that is half English does not. Other languages: more than half of the letters are of the language's script; where others share the
script, none of them may have more of its commonest words (or letters of its own) in the answer. Without such evidence the script
decides. Digits and marks alone are in no language. Nothing here is random or depends on the run.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from stages.core.errors import UserError, nearest
from stages.languages.constraints import Kwargs, needed

ID = "language:response_language"

_LATIN, _CYRILLIC, _ARABIC, _DEVANAGARI = "A-Za-zÀ-ɏḀ-ỿ", "Ѐ-ԯ", "؀-ۿݐ-ݿ", "ऀ-ॿ"


_CLUSTER = re.compile("[\u11aa\u11ac\u11ad\u11b0-\u11b6\u11b9\u3133\u3135\u3136\u313a-\u3140\u3144]")
"""Two Hangul letters that are one character: they count as two."""


@dataclass(frozen=True)
class Tongue:
    script: str
    """Its letters, as a class of a regular expression."""
    words: str = ""
    """Its commonest words; they also stand in for an answer in this language."""
    own: str = ""
    """Letters that the other languages of the script do not have."""

    @cached_property
    def common(self) -> frozenset[str]:
        return frozenset(self.words.split())


TONGUES = {
    "ko": Tongue("\uac00-\ud7a3\u3131-\u3163\u1100-\u11ff"),
    "en": Tongue(_LATIN, "the of and to is in that it you for was are with this have not i a"),
    "de": Tongue(_LATIN, "der die das und ist nicht ein eine zu mit den für auf ich sie es guten wie danke", "ß"),
    "fr": Tongue(_LATIN, "le les des et est une dans que pour qui pas sur vous avec je du nous bonjour merci", "œ"),
    "es": Tongue(_LATIN, "el los las y es una en que por para con no se del como muy hola gracias está", "ñ¿¡"),
    "it": Tongue(_LATIN, "il gli di e è una che per non con sono della nel si anche più", ""),
    "pt": Tongue(_LATIN, "o os as e é uma que para não com do da em mais se muito você está olá obrigado", "ãõ"),
    "nl": Tongue(_LATIN, "de het een en is van niet dat in op te voor met zijn ik aan", ""),
    "sv": Tongue(_LATIN, "och att det är en som på inte av för med jag har till den vi", "å"),
    "fi": Tongue(_LATIN, "ja on ei se että hän oli ovat mutta kun niin myös tämä joka kuin", ""),
    "pl": Tongue(_LATIN, "i w na nie się jest z do to że jak o po ale przez od", "łąęśźżćń"),
    "tr": Tongue(_LATIN, "ve bir bu için ile çok de da ne gibi daha olarak ben sen var değil", "ığş"),
    "vi": Tongue(_LATIN, "là và của có không được cho một người trong này với các những đã rất", "đơưạảấầẩậắằẳặẹẻẽếềểệịỉọỏốồổộớờởợụủứừửựỳỵỷỹ"),
    "sw": Tongue(_LATIN, "na ya wa kwa ni katika la kuwa hii za si yako yangu sana lakini cha", ""),
    "ru": Tongue(_CYRILLIC, "и в не на что это он она как то но мы они для вы очень", "ыэё"),
    "bg": Tongue(_CYRILLIC, "и да на е се за от не са че това ще като но си много", ""),
    "uk": Tongue(_CYRILLIC, "і в не на що це він вона як та але ми вони для ви дуже", "іїєґ"),
    "el": Tongue("Ͱ-Ͽἀ-῿", "και το να είναι η ο για με που"),
    "he": Tongue("א-ת", "של את על הוא לא זה אני עם"),
    "ar": Tongue(_ARABIC, "في من على أن إلى هذا هو التي الذي ما لا كان", "ةىأإ"),
    "fa": Tongue(_ARABIC, "و در به از که این است را با برای آن یک", "ژگچپ"),
    "ur": Tongue(_ARABIC, "ہے کے میں کی اور کا سے کو نہیں یہ ہیں نے", "ےںٹڈڑہھ"),
    "hi": Tongue(_DEVANAGARI, "है के में की और का से को नहीं यह हैं ने"),
    "mr": Tongue(_DEVANAGARI, "आहे आणि हे ते मी तो ही नाही आहेत या त्या होते", "ळ"),
    "ne": Tongue(_DEVANAGARI, "छ र यो हो छन् मा को लाई पनि भएको गर्न हुन्छ"),
    "bn": Tongue("ঀ-৿", "এবং এই একটি না করে হয় আমি তুমি"),
    "pa": Tongue("਀-੿", "ਹੈ ਅਤੇ ਇਹ ਦੇ ਵਿੱਚ ਨੂੰ ਦਾ ਨਹੀਂ"),
    "gu": Tongue("઀-૿", "છે અને આ તે માટે એક નથી હું"),
    "ta": Tongue("஀-௿", "ஒரு மற்றும் இது என்று அது நான் இல்லை மிக"),
    "te": Tongue("ఀ-౿", "ఒక మరియు ఇది అని ఆ నేను లేదు చాలా"),
    "kn": Tongue("ಀ-೿", "ಒಂದು ಮತ್ತು ಇದು ಎಂದು ಆ ನಾನು ಇಲ್ಲ ಬಹಳ"),
    "ml": Tongue("ഀ-ൿ", "ഒരു ഇത് എന്ന് അത് ഞാൻ ഇല്ല വളരെ ആണ്"),
    "th": Tongue("ก-๛", "และ เป็น ที่ ของ ไม่ มี ใน ได้"),
    "ja": Tongue("぀-ヿ一-鿿々", "は の に を が です ます と", "぀-ヿ"),
    "zh": Tongue("一-鿿", "的 是 了 在 我 有 和 不"),
}  # fmt: skip
"""Every language that the constraint of the source may name."""


def follows(code: str, text: str) -> bool:
    """Whether `text` is in the language `code`. Raises UserError for a code that is not in the table."""
    code = code.lower().split("-")[0]
    if code not in TONGUES:
        raise UserError(f"The constraint {ID} names the language {code!r}, which its table lacks.{nearest(code, TONGUES)}")
    tongue = TONGUES[code]
    spread = _CLUSTER.sub(r"\g<0>\g<0>", unicodedata.normalize("NFD", text))
    in_script = len(re.findall(rf"[{tongue.script}]", spread))
    foreign = sum(char.isalpha() for char in re.sub(rf"[{tongue.script}]", "", spread))
    if in_script <= foreign:
        return False
    if code == "ja":
        return re.search(rf"[{tongue.own}]", text) is not None
    siblings = [other for name, other in TONGUES.items() if name != code and set(other.script) & set(tongue.script) - {"-"} and name != "ko"]
    return evidence(tongue, text) >= max((evidence(other, text) for other in siblings), default=0)


def evidence(tongue: Tongue, text: str) -> int:
    """How many words of `text` speak for a language among those of its script."""
    words = [word.strip(".,!?;:\"'“”’()[]*<>|।۔،؟ ") for word in unicodedata.normalize("NFC", text).casefold().split()]
    own = re.compile(f"[{tongue.own}]") if tongue.own else None
    return sum(word in tongue.common or bool(own and own.search(word)) for word in words)


def check(kwargs: Kwargs, answer: str, prompt: str) -> bool:
    return follows(str(needed(kwargs, "language", ID)), answer)
