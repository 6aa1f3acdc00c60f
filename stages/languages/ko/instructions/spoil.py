"""Near misses: what is changed in a draft so that one constraint is just not kept."""

from __future__ import annotations

from stages.languages import markup, tongues, wholes
from stages.languages.constraints import AT_LEAST, PARAGRAPHS, Kwargs
from stages.languages.ko.instructions import keywords, lengths, letters
from stages.languages.ko.instructions.draft import Draft, Range

_OTHER_WORDS = 60
"""Words in another language, enough to outweigh those that the other constraints ask for."""


def just_outside(relation: str, bound: int) -> int:
    """The count nearest to `bound` that does not keep the relation; -1 where every count keeps it."""
    return bound - 1 if relation == AT_LEAST else bound


def spoil(draft: Draft, id: str, kwargs: Kwargs) -> None:
    """Change `draft` so that it misses the constraint by as little as possible: one too few, one mark off, a word inside another."""
    if id == keywords.EXISTENCE:
        lost = kwargs["keywords"][-1]
        draft.uses.remove(lost)
        draft.extra.append(f"겉{lost}" if "가" <= lost[0] <= "힣" else f"x{lost}")
    elif id == keywords.FREQUENCY:
        draft.counts[kwargs["keyword"]] = _only(just_outside(kwargs["relation"], int(kwargs["frequency"])))
    elif id == keywords.FORBIDDEN:
        draft.extra.append(f"{kwargs['forbidden_words'][0]}도")
    elif id == letters.ID:
        draft.letters[kwargs["letter"]] = _only(just_outside(kwargs["let_relation"], int(kwargs["let_frequency"])))
    elif id == tongues.ID:
        draft.language = "en" if kwargs["language"] != "en" else "ko"
        draft.words.low = max(draft.words.low, min(_OTHER_WORDS, draft.words.high))
    elif id == lengths.WORDS:
        draft.words.fix(just_outside(kwargs["relation"], int(kwargs["num_words"])))
    elif id == lengths.SENTENCES:
        draft.sentences.fix(just_outside(kwargs["relation"], int(kwargs["num_sentences"])))
    elif id == PARAGRAPHS:
        draft.parts += 1
    elif id == lengths.FIRST_WORD:
        draft.first_word = (draft.first_word[0], f"또 {draft.first_word[1]}")
    elif id == markup.PLACEHOLDERS:
        draft.placeholders -= 1
    elif id == markup.POSTSCRIPT:
        draft.postscript = draft.postscript[1:]
    elif id == markup.BULLETS:
        draft.bullets += 1
    elif id == markup.HIGHLIGHTS:
        draft.highlights -= 1
    elif id == markup.SECTIONS:
        draft.sections -= 1
    elif id == markup.TITLE:
        draft.title = "<{}>"
    elif id == markup.COMMA:
        draft.extra.append("{}、")
    elif id == markup.QUOTATION:
        draft.quotes = (draft.quotes[0], "")
    elif id == wholes.JSON:
        draft.json = ""
    elif id == wholes.CHOICE:
        draft.choice = f"{draft.choice.split()[0]} 글쎄요."
    elif id == wholes.TWO:
        draft.same_responses = True
    elif id == wholes.REPEAT:
        draft.opening = draft.opening[1:]
    elif id == wholes.END:
        draft.closing += " 네"


def _only(count: int) -> Range:
    return Range(count, count)
