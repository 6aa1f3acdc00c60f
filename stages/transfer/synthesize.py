"""Synthesize: each question is said aloud, heard again and kept only if it was understood.

Source: paper 2605.27984, section 3.1.4: sentence by sentence, Korean male and female reference voices, transcribed by a
recognizer, and synthesized again when the error rate against the normalized text exceeds a threshold. Ours adds: the
threshold is on characters (Korean spacing is free, so words are the weaker measure; both are kept), both sides pass the
same reading rules, what varies between attempts is config, the best attempt is kept, and audio is checked for silence,
clipping, level and pace. Everything said and heard is in the store (stages/speech/store.py): a new threshold, recognizer
or killed run synthesizes nothing twice.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import Field

from stages.core.app import main
from stages.core.errors import UserError
from stages.core.files import Row
from stages.core.progress import Progress
from stages.core.settings import Settings
from stages.core.stage import Context, Outcome, Rejection, Stage
from stages.languages import Language, load
from stages.speech.casting import choose_voice, group
from stages.speech.checks import AudioChecks, problems
from stages.speech.pool import Pool
from stages.speech.scoring import NONE, Errors, compare
from stages.speech.settings import RecognizerSettings, SynthesizerSettings, Voice
from stages.speech.store import StoredAudio, default_path, key_of
from stages.speech.studio import Candidate, Order, Studio, StudioPlan


class SynthesizeSettings(Settings):
    language: str
    synthesizer: SynthesizerSettings
    recognizer: RecognizerSettings
    max_cer: float = Field(ge=0)
    """Above it a sentence is said again, and an item is not published."""
    max_attempts: int = Field(default=3, ge=1)
    """Attempts at a sentence: the first so many variations of the synthesizer."""
    min_sentence_chars: int = Field(default=12, ge=0)
    """Shorter sentences, such as the options of a question, are said in one breath with the next ones: a word by itself is
    too little for a recognizer to go by. Letters or syllables as in `comparable`."""
    pause_s: float = Field(default=0.4, ge=0)
    loudness_lufs: float = Field(default=-23.0, lt=0)
    ceiling_dbtp: float = Field(default=-1.0, le=0)
    """No true peak above it; where loudness and ceiling conflict, the item is quieter."""
    sample_rate_hz: int = Field(default=24000, ge=8000)
    checks: AudioChecks = AudioChecks()
    workers: int = Field(default=2, ge=1)


@dataclass
class Tools:
    language: Language
    studio: Studio
    pool: Pool[tuple[int, Order], Candidate]
    progress: Progress


@dataclass
class Attempt:
    candidate: Candidate
    errors: Errors
    problems: list[str]
    settings: dict[str, Any]
    from_store: bool


@dataclass
class Sentence:
    """A sentence of an item on its way: what was tried so far."""

    item: int
    number: int
    text: str
    voice: Voice
    attempts: list[Attempt] = field(default_factory=list)

    def best(self) -> Attempt:
        return min(self.attempts, key=lambda attempt: (bool(attempt.problems), attempt.errors.cer))


def run(rows: list[Row], settings: SynthesizeSettings, tools: Tools) -> Outcome:
    sentences = _sentences(rows, settings, tools.language)
    _speak(sentences, rows, settings, tools)
    by_item: dict[int, list[Sentence]] = {}
    for sentence in sentences:
        by_item.setdefault(sentence.item, []).append(sentence)
    kept, rejected, audio = [], [], []
    for index, row in enumerate(rows):
        said = by_item[index]
        told = {**row, **_columns(row, said, settings, tools.studio)}
        rejection = _rejection(told, said, settings)
        if rejection is not None:
            rejected.append(rejection)
            continue
        key, columns = _join(said, settings, tools.studio)
        kept.append({**told, **columns})
        audio.append((row["id"], key))
    stored = StoredAudio(tools.studio.store.path, tuple(sorted(audio)))
    return Outcome(kept, rejected, _report(sentences, kept, rejected, settings, tools.studio), stored)


def _sentences(rows: list[Row], settings: SynthesizeSettings, language: Language) -> list[Sentence]:
    sentences = []
    for index, row in enumerate(rows):
        voice = choose_voice(row["id"], settings.synthesizer.voices)[1]
        texts = group(language.split_sentences(row["spoken"]), settings.min_sentence_chars, lambda text: len(language.comparable(text)))
        if not texts:
            raise UserError(f"Item {row['id']} has nothing to say in its column spoken ({row['spoken'][:40]!r}); mend its normalization.")
        sentences += [Sentence(index, number, text, voice) for number, text in enumerate(texts)]
    return sentences


def _speak(sentences: list[Sentence], rows: list[Row], settings: SynthesizeSettings, tools: Tools) -> None:
    """Fill the attempts of every sentence from the store, and from the pool what it lacks."""
    studio, language = tools.studio, tools.language

    def note(sentence: Sentence, order: Order, candidate: Candidate, from_store: bool) -> None:
        errors = compare(sentence.text, candidate.transcript, language)
        found = problems(candidate, errors, settings.checks)
        sentence.attempts.append(Attempt(candidate, errors, found, order.variation.model_dump(), from_store))

    def next_order(sentence: Sentence) -> Order | None:
        """What the store lacks of the sentence, after taking from it what it has."""
        variations = settings.synthesizer.variations[: settings.max_attempts]
        while len(sentence.attempts) < len(variations):
            if sentence.attempts and _good(sentence.attempts[-1], settings):
                return None
            order = Order(sentence.text, sentence.voice, variations[len(sentence.attempts)])
            candidate = studio.stored(order)
            if candidate is None:
                return order
            note(sentence, order, candidate, from_store=True)
        return None

    with tools.progress.task("sentences", len(sentences)) as task:

        def then(done: tuple[int, Order], candidate: Candidate) -> tuple[int, Order] | None:
            number, order = done
            sentence = sentences[number]
            note(sentence, order, candidate, from_store=False)
            further = next_order(sentence)
            if further is not None:
                return number, further
            task.advance(1, note=f"CER {sentence.best().errors.cer:.2f}")
            return None

        missing = [(number, order) for number, sentence in enumerate(sentences) if (order := next_order(sentence)) is not None]
        task.advance(len(sentences) - len(missing))
        if not missing:
            return
        studio.synthesizer.prepare()
        studio.recognizer.prepare()
        failures = tools.pool.run(missing, then)
    if failures:
        items = sorted({rows[sentences[failure.task[0]].item]["id"] for failure in failures})
        listed = ", ".join(items[:5]) + (" …" if len(items) > 5 else "")
        what = f"{len(items)} items could not be spoken ({listed}), the first because: {failures[0].why}"
        raise UserError(f"{what} The others are stored; run again to go on.")


def _good(attempt: Attempt, settings: SynthesizeSettings) -> bool:
    return not attempt.problems and attempt.errors.cer <= settings.max_cer


def _columns(row: Row, said: list[Sentence], settings: SynthesizeSettings, studio: Studio) -> Row:
    """The columns that a rejected row has too."""
    best = [sentence.best() for sentence in said]
    errors = sum((attempt.errors for attempt in best), NONE)
    gender, voice = choose_voice(row["id"], settings.synthesizer.voices)
    return {
        "voice": voice.name,
        "voice_gender": gender,
        "synthesizer": f"{studio.synthesizer.name}@{studio.synthesizer.revision}",
        "recognizer": f"{studio.recognizer.name}@{studio.recognizer.revision}",
        "transcript": " ".join(attempt.candidate.transcript for attempt in best if attempt.candidate.transcript),
        "cer": errors.cer,
        "wer": errors.wer,
        "attempts": [
            {
                "sentence": sentence.number,
                "attempt": number,
                "settings": orjson.dumps(attempt.settings, option=orjson.OPT_SORT_KEYS).decode(),
                "transcript": attempt.candidate.transcript,
                "cer": attempt.errors.cer,
                "wer": attempt.errors.wer,
                "kept": attempt is kept,
                "audio_sha256": attempt.candidate.audio_sha256,
                "problems": attempt.problems,
            }
            for sentence, kept in zip(said, best, strict=True)
            for number, attempt in enumerate(sentence.attempts)
        ],
    }


def _rejection(row: Row, said: list[Sentence], settings: SynthesizeSettings) -> Rejection | None:
    for sentence in said:
        wrong = sentence.best().problems
        if wrong:
            tried = f"all {len(sentence.attempts)} attempts at sentence {sentence.number + 1} have problems"
            return Rejection(row, "bad_audio", wrong[0].partition(":")[0], f"{tried}; the best: {'; '.join(wrong)}")
    if row["cer"] > settings.max_cer:
        worst = max(said, key=lambda sentence: sentence.best().errors.cer)
        seen = f"CER {row['cer']:.3f} over {len(said)} sentences is above {settings.max_cer}"
        heard = worst.best().candidate.transcript
        return Rejection(row, "unintelligible", "max_cer", f"{seen} after {len(row['attempts'])} attempts; worst: {worst.text!r} heard as {heard!r}")
    return None


def _join(said: list[Sentence], settings: SynthesizeSettings, studio: Studio) -> tuple[str, Row]:
    """The item's audio in the store, by key, and the columns that describe it."""
    best = [sentence.best().candidate for sentence in said]
    request = {
        "sentences": [candidate.audio_sha256 for candidate in best],
        "pause_s": settings.pause_s,
        "loudness_lufs": settings.loudness_lufs,
        "ceiling_dbtp": settings.ceiling_dbtp,
        "sample_rate_hz": settings.sample_rate_hz,
    }
    key = key_of(request)
    joined = studio.store.joined(key)
    if joined is None:
        from stages.speech import audio

        rate = settings.sample_rate_hz
        clips = [audio.resample(*audio.decode(studio.store.flac(candidate.speech_key)), rate) for candidate in best]
        samples, reached = audio.normalize(audio.join(clips, rate, settings.pause_s), rate, settings.loudness_lufs, settings.ceiling_dbtp)
        joined = studio.store.put_joined(request, audio.encode_flac(samples, rate), round(len(samples) / rate, 3), round(reached, 2))
    return key, {
        "speech_sha256": joined.sha256,
        "sample_rate_hz": settings.sample_rate_hz,
        "duration_s": joined.duration_s,
        "loudness_lufs": joined.loudness_lufs,
    }


def _report(sentences: list[Sentence], kept: list[Row], rejected: list[Rejection], settings: SynthesizeSettings, studio: Studio) -> dict[str, Any]:
    attempts = [attempt for sentence in sentences for attempt in sentence.attempts]
    cers = sorted(row["cer"] for row in [*kept, *(rejection.row for rejection in rejected)])
    return {
        "synthesizer": {"name": studio.synthesizer.name, "revision": studio.synthesizer.revision, "origin": studio.synthesizer.origin},
        "recognizer": {"name": studio.recognizer.name, "revision": studio.recognizer.revision, "origin": studio.recognizer.origin},
        "n_sentences": len(sentences),
        "n_attempts": len(attempts),
        "n_from_store": sum(attempt.from_store for attempt in attempts),
        "n_sentences_above_max_cer": sum(not _good(sentence.best(), settings) for sentence in sentences),
        "problems": dict(sorted(Counter(problem.partition(":")[0] for attempt in attempts for problem in attempt.problems).items())),
        "voices": dict(sorted(Counter(row["voice"] for row in kept).items())),
        "cer": _spread(cers),
        "cer_of_first_attempts": _spread(sorted(sentence.attempts[0].errors.cer for sentence in sentences)),
        "n_items_above": {str(bound): sum(cer > bound for cer in cers) for bound in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)},
        "audio_s": round(sum(row["duration_s"] for row in kept), 1),
        "speech_seconds": round(sum(attempt.candidate.seconds for attempt in attempts), 1),
    }


def _spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    p90 = values[min(int(0.9 * len(values)), len(values) - 1)]
    return {"mean": round(statistics.fmean(values), 4), "median": round(statistics.median(values), 4), "p90": round(p90, 4), "max": values[-1]}


@contextmanager
def open_tools(settings: SynthesizeSettings, context: Context) -> Iterator[Tools]:
    plan = StudioPlan(settings.synthesizer, settings.recognizer, settings.language, context.root, default_path())
    studio = plan.open()
    threads = studio.synthesizer.remote and studio.recognizer.remote
    with studio.store, Pool(plan.worker, settings.workers, threads) as pool:
        yield Tools(load(settings.language), studio, pool, context.progress)


def explain(row: Row) -> list[str]:
    if row.get("attempts") is None:
        return []
    lines = [f"said by {row['voice']} ({row['voice_gender']}), CER {row['cer']:.3f}, WER {row['wer']:.3f}; heard: {row['transcript']}"]
    for attempt in row["attempts"]:
        verdict = "kept" if attempt["kept"] else "passed over"
        wrong = f"; {'; '.join(attempt['problems'])}" if attempt["problems"] else ""
        lines.append(f"sentence {attempt['sentence'] + 1}, attempt {attempt['attempt'] + 1}, CER {attempt['cer']:.3f}, {verdict}{wrong}")
    return lines


STAGE = Stage(
    "synthesize",
    run,
    SynthesizeSettings,
    reads="normalize",
    input_schema="Normalized",
    output_schema="Synthesized",
    tools=open_tools,
    explain=explain,
)

if __name__ == "__main__":
    main(STAGE)
