"""How a number may stand in a target text: in digits, or as it is said. Shared by the checks on numbers."""

from __future__ import annotations

import re

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


def spoken_patterns(number: int, words: Words) -> tuple[str, ...]:
    """Regular expressions for `number` as it is said: the rulebook's number words, and the readings of its frames.

    A form of one letter is too common to stand alone: it must end a word, or have one of the frames' words behind it.
    """
    if number not in words.spoken:
        script, starts = words.lexicon.script, "".join(sorted({frame.split("{n}")[1][:1] for frame in words.lexicon.number_frames}))
        forms = [(form, rf"(?=[{starts}]|(?!{script}))" if len(form) == 1 else "") for form in words.lexicon.number_words.get(number, [])]
        for frame in words.lexicon.number_frames:
            said = words.language.read(frame.format(n=number)).text.strip()
            if frame != "{n}" or len(said) > 1:
                forms.append((said, ""))
        patterns = [rf"(?<!{script})" + r"\s*".join(map(re.escape, form.split())) + ending for form, ending in forms if not re.search(r"\d", form)]
        words.spoken[number] = tuple(dict.fromkeys(patterns))
    return words.spoken[number]


def said_in(number: int, text: str, words: Words) -> int:
    """How often `number` seems to be said in `text`."""
    return max((len(re.findall(pattern, text)) for pattern in spoken_patterns(number, words)), default=0)
