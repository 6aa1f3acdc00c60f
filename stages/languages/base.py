"""What a language must offer so that the stages can stay free of any one language's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Change(NamedTuple):
    """One reading: the span [start, end) of the written text (in NFC, counted in characters), the rule, before and after.

    Putting every `after` in the place of its span, right to left, turns the written text into the spoken one.
    """

    start: int
    end: int
    rule_id: str
    before: str
    after: str


class Candidate(NamedTuple):
    """One way to read a span."""

    rule_id: str
    reading: str
    why: str
    """When the span is read so."""


class Unsure(NamedTuple):
    """A change whose context decided nothing, so that a default was taken: its span, and what it may be."""

    start: int
    end: int
    before: str
    candidates: tuple[Candidate, ...]
    """At least two, the default first. They differ in their reading."""


class Reading(NamedTuple):
    """A text as it is said aloud, and how it came to be."""

    text: str
    changes: tuple[Change, ...]
    kept: tuple[str, ...] = ()
    """Foreign names that the reader left as written on purpose."""
    unsure: tuple[Unsure, ...] = ()
    """Spans, each that of one of `changes`, for which a default was taken."""


class Decision(NamedTuple):
    """What a person decided about one kind of span, for the rulebook."""

    kind: str
    """`sense`: one of a span's candidates; `word`: how a word in letters is said; `sign`: how a sign is said, silence included."""
    written: str
    """The span; the word; the sign."""
    after: str
    """What stands right after it, as far as it decides."""
    default: str
    """Rule id of what is read without the decision."""
    candidate: str
    """Rule id of the candidate that was chosen, for `sense`."""
    reading: str
    """How it is said, for `word` and `sign`; empty is silence."""
    example: tuple[str, str]
    """A text, and how it is said by the decision."""
    decided_by: Mapping[str, str]


class Word(NamedTuple):
    """What a writer sets between two spaces, as it is said."""

    text: str
    """Without punctuation."""
    stem: str
    """The word itself where particles or endings are only attached to it, so that it is the same word in other forms; else empty."""
    kind: str
    """noun, verb, linking (a conjunction or interjection), other."""
    firm: bool
    """Whether it is certain that it counts as one, and that a space stands before it: not a matter of the writer's habit."""


class Lexicon(Protocol):
    """Words as units of questions about a text that is heard."""

    def analyse(self, texts: list[str]) -> list[list[Word]]:
        """The words of each text, in order. Texts are in NFC and as said (`Language.read`)."""

    def same_sound(self, text: str) -> str:
        """A key that is equal for texts that sound alike."""

    def ordinal(self, number: int) -> str:
        """`number`-th, as the option of a question. Raises ValueError for a number that has none."""

    def times(self, number: int) -> str:
        """`number` times, as the option of a question. Raises ValueError for a number that has none."""

    def rules(self) -> Mapping[str, Any]:
        """The rules of rulebooks/<language>/understanding/transcript.yaml, wording of the questions included."""


class Entry(NamedTuple):
    """A new entry of a rulebook: `value` under `key` of `section`, or one more of the list there."""

    section: str
    key: str
    value: Any


class Rulebook(Protocol):
    """The reading rules of a language as the loop with people sees them."""

    @property
    def categories(self) -> dict[str, str]:
        """Name of each category to its title, in the order of the file."""

    def category(self, rule_id: str) -> str:
        """The category that a rule, or what the code calls one, belongs to."""

    def propose(self, decision: Decision) -> Entry | None:
        """The entry that makes the reader follow `decision`; None where the rulebook has no place for it, so that a person writes the rule."""

    def with_entry(self, entry: Entry) -> Language:
        """The language with `entry` in its rulebook, to try it."""


class Unsatisfiable(Exception):
    """No answer could be made that keeps a set of constraints. The best try is the second argument."""


class Checks(Protocol):
    """The constraints of IFEval in a language."""

    def check(self, instruction_id: str, kwargs: Mapping[str, Any], answer: str, prompt: str = "") -> bool:
        """Whether `answer` keeps the constraint. Raises UserError for an id without a checker or wrong keyword arguments."""


class Instructions(Checks, Protocol):
    """The constraints of IFEval in a language that items are carried into: checkers, and answers that prove them."""

    def witness(self, instructions: Sequence[tuple[str, Mapping[str, Any]]], prompt: str = "") -> str:
        """An answer that keeps all of them. Raises Unsatisfiable."""

    def near_miss(self, instructions: Sequence[tuple[str, Mapping[str, Any]]], at: int, prompt: str = "") -> str:
        """An answer that keeps all but the one at `at`. Raises Unsatisfiable."""

    def stand_in(self, name: str, value: Any) -> Any:
        """A text of the language in the place of a keyword argument that is still to be translated."""


class Answers(Protocol):
    """Reading what a model answered, and what a judge said about it. Texts may come with markup, chains of thought and in any normal form."""

    def choice(self, answer: str, options: Sequence[tuple[str, str]]) -> int | None:
        """Position of the option of (label, text) that `answer` chooses; None where it chooses none, or cannot be read."""

    def pair(self, question: str) -> tuple[tuple[str, str], tuple[str, str]]:
        """(label, text) of the two options that a question offers; empty texts where it does not show them."""

    def verdict(self, answer: str, question: str = "", task: str = "") -> bool | None:
        """Whether `answer` says yes; `task` names a BBH sub-task whose own words (lying, plausible) are verdicts, too."""

    def refuses(self, answer: str) -> bool:
        """Whether `answer` refuses a request and gives nothing of it. An empty answer does not."""

    def matches(self, answer: str, aliases: Sequence[str], question: str = "") -> bool:
        """Whether `answer` gives one of the accepted short answers, in whatever spelling, number form or inflection."""

    def loops(self, transcript: str) -> bool:
        """Whether a recognizer got stuck: the same piece again and again."""

    def silence(self, transcript: str) -> bool:
        """Whether a transcript is only what a recognizer makes of silence."""

    def mark(self, reply: str, low: float, high: float) -> float | None:
        """The mark within [low, high] that a judge's reply ends with; None where there is none."""

    def vote(self, reply: str) -> bool | None:
        """Whether a judge's reply says right (yes, correct) or wrong; None where it says neither."""


class Language(Protocol):
    """Everything a stage may ask about a language. Building one is cheap; what is heavy is loaded at first use."""

    code: str
    name: str
    option_labels: list[str]
    """Labels of the options of a multiple-choice question, in order."""
    yes: list[str]
    """Answers that mean yes, the preferred one first."""
    no: list[str]

    def read(self, text: str, chosen: Mapping[tuple[int, int], Candidate] | None = None) -> Reading:
        """`text` as it is said aloud. Reading the result again changes nothing.

        `chosen` maps spans of unsure changes to the reading to be taken there. It decides nothing else but the form of a particle
        right after the span; what was chosen is not unsure any more.
        """

    def check_reading(self, written: str, reading: str) -> list[str]:
        """What makes `reading` unfit in the place of the span `written`, as `check: detail`: another number, or no plain speech."""

    def check_spoken(self, text: str, protected: list[str] | tuple[str, ...] = ()) -> list[str]:
        """What makes `text` unfit for a voice, as `check: detail`; empty when it is fit. Every protected string must be in it."""

    def split_sentences(self, text: str) -> list[str]:
        """The sentences of `text` in order, without surrounding white space; none of them is empty."""

    def comparable(self, text: str) -> str:
        """The form in which a written text and a transcript are compared by character error rate."""

    def alias_key(self, text: str) -> str:
        """The normal form in which two spellings of one answer are equal."""

    def decompose(self, text: str) -> str:
        """`text` in the letters it is written with, for counting letters and for fine-grained error rates."""

    @property
    def rulebook(self) -> Rulebook:
        """The reading rules as data."""

    @property
    def lexicon(self) -> Lexicon:
        """What a word is, for questions about a word's place or count."""

    @property
    def instructions(self) -> Instructions:
        """What checks the constraints of IFEval on an answer in this language."""

    @property
    def answers(self) -> Answers:
        """What reads answers in this language."""
