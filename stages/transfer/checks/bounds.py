"""How a number may stand in a target text: in digits, or as it is said. Shared by the checks on numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stages.transfer.checks.pair import Words

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


def numbers_in_digits(text: str, scales: dict[str, int]) -> list[float]:
    """Values written in digits; with `scales`, scale words count in: `3.5` + ten-thousand is 35000, and parts add up."""
    names = "|".join(map(re.escape, sorted(scales, key=len, reverse=True)))
    pattern = rf"({_DIGITS.pattern})((?:\s?(?:{names}))*)" if scales else rf"({_DIGITS.pattern})()"
    values: list[float] = []
    end, last_scale = 0, 1
    for match in re.finditer(pattern, text):
        scale = 1
        for name in re.findall(names, match[2]) if scales else ():
            scale *= scales[name]
        value = float(match[1].replace(",", "")) * scale
        if values and scale < last_scale and value < last_scale and not text[end : match.start()].strip():
            values[-1] += value
        else:
            values.append(value)
        end, last_scale = match.end(), scale
    return values


def spoken_forms(number: int, words: Words) -> tuple[str, ...]:
    """How `number` is said, as far as the rulebook's frames show: without the frame's own words."""
    if number not in words.spoken:
        forms = list(words.lexicon.number_words.get(number, []))
        for frame in words.lexicon.number_frames:
            before, after = frame.split("{n}")
            said = words.language.read(frame.format(n=number)).text.removeprefix(before).removesuffix(after).strip()
            if said and said not in forms and not said.isdigit():
                forms.append(said)
        words.spoken[number] = tuple(forms)
    return words.spoken[number]


def said_in(number: int, text: str, words: Words) -> int:
    """How often `number` seems to be said in `text` by a word of its own (not inside another word)."""
    return max((sum(1 for _ in _own_words(form, text, words)) for form in spoken_forms(number, words)), default=0)


def _own_words(form: str, text: str, words: Words) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!{words.lexicon.script}){re.escape(form)}", text)
