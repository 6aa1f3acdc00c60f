"""The embedded voice says what it is given, the same way every time."""

from __future__ import annotations

import numpy as np
import pytest

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages.ko.phonemes import phonemes, respell
from stages.speech.kokoro import Kokoro, _style, _with_breaths, split_phonemes
from stages.speech.settings import KokoroVariation, Voice
from stages.speech.whisper import Whisper

SENTENCE = "이 문제의 정답은 세 번째 보기입니다."


@pytest.mark.parametrize(
    ("text", "linking", "signs"),
    [
        ("아이", "utterance", "ai"),
        ("국물", "utterance", "kuŋmul"),
        ("까치", "utterance", "ʔkaʨʰi"),
        ("신라", "utterance", "ɕilla"),
        ("밥이 좋아?", "utterance", "pabi ʨoa?"),
        ("소금 오 그램", "utterance", "soɡɯ mo kɯɾɛm"),
        ("소금 오 그램", "word", "soɡɯm o kɯɾɛm"),
    ],
)
def test_phonemes(text: str, linking: str, signs: str) -> None:
    assert phonemes(text, linking)[0] == signs


def test_names_in_latin_letters_are_said() -> None:
    assert respell("Minnie는 school에 갔다") == "미니는 스쿨에 갔다"
    assert phonemes("Minnie") == phonemes("미니")
    assert respell("Qwzxr") == "Qwzxr"
    assert set(phonemes("Qwzxr는")[1]) == set("Qwzxr")


def test_what_has_no_sound_is_told() -> None:
    assert phonemes("ㄱ 그리고 Ω")[1] == "ㄱΩ"
    assert phonemes(SENTENCE)[1] == ""


@pytest.mark.parametrize("limit", [20, 50, 500])
def test_a_long_sentence_is_cut_at_breaks(limit: int) -> None:
    signs = ", ".join(["kuŋmul pabi"] * 12) + "."
    pieces = split_phonemes(signs, limit)
    assert all(len(piece) <= limit for piece in pieces)
    assert " ".join(pieces) == signs
    assert all(piece[-1] in ",." for piece in pieces)


def test_signs_without_any_break_are_cut_all_the_same() -> None:
    assert split_phonemes("a" * 45, 20) == ["a" * 20, "a" * 20, "a" * 5]
    assert split_phonemes(" , . ", 20) == []


def test_breaths_respect_the_punctuation() -> None:
    assert _with_breaths("하나 둘 셋 넷, 다섯 여섯.", 2) == "하나 둘, 셋 넷, 다섯 여섯."
    assert _with_breaths("하나 둘", None) == "하나 둘"
    assert _with_breaths("하나", 1) == "하나"


def test_the_voice_is_understood_and_repeats_itself_exactly(kokoro: Kokoro, whisper: Whisper) -> None:
    voice = Voice(name="jf_nezumi")
    samples, rate = kokoro.synthesize(SENTENCE, voice, KokoroVariation())
    again, _ = kokoro.synthesize(SENTENCE, voice, KokoroVariation())
    assert (samples.dtype, samples.ndim, rate) == (np.float32, 1, 24000)
    assert np.array_equal(samples, again)
    assert np.abs(samples).max() < 0.95
    assert "정답은" in whisper.transcribe(samples, rate, "ko")
    slower, _ = kokoro.synthesize(SENTENCE, voice, KokoroVariation(speed=0.7))
    assert len(slower) > 1.2 * len(samples)


def test_a_sentence_beyond_the_limit_is_said_to_its_end(kokoro: Kokoro, whisper: Whisper) -> None:
    settings = kokoro._settings.model_copy(update={"max_phonemes": 40})
    short = Kokoro(settings, ROOT)
    short._model, short._vocab, short._voices, short._token_input = kokoro._model, kokoro._vocab, kokoro._voices, kokoro._token_input
    samples, rate = short.synthesize(f"{SENTENCE} 미국의 초대 대통령은 누구입니까?", Voice(name="jf_nezumi"), KokoroVariation())
    heard = whisper.transcribe(samples, rate, "ko")
    assert "정답은" in heard
    assert "대통령은" in heard
    assert short.request(Voice(name="jf_nezumi"), KokoroVariation()) != kokoro.request(Voice(name="jf_nezumi"), KokoroVariation())


def test_a_sentence_without_sound_is_refused(kokoro: Kokoro) -> None:
    with pytest.raises(UserError, match="has no sound"):
        kokoro.synthesize("!!! ΩΩ", Voice(name="jm_kumo"), KokoroVariation())


def test_voices_can_be_mixed_and_an_unknown_one_is_named() -> None:
    voices = {"jm_kumo": np.ones((510, 256)), "jf_alpha": np.zeros((510, 256))}
    assert _style("jm_kumo*0.6+jf_alpha*0.4", voices)[0, 0] == pytest.approx(0.6)
    with pytest.raises(UserError, match="Did you mean 'jm_kumo'"):
        _style("jm_kuno", voices)
    with pytest.raises(UserError, match="share 'half'"):
        _style("jm_kumo*half", voices)
