"""A model in this process: a tiny one of random weights, made here, whose class, processor and files are those of the real kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stages.core import files, runner
from stages.core.errors import UserError
from stages.core.files import Row
from stages.evaluate.respond import STAGE
from tests.evaluate.clips import TONES
from tests.evaluate.suite import values

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder as `from_pretrained` takes it: Qwen2-Audio with one layer each, a tokenizer of bytes, 16 mel bins."""
    why = "needs the extra torch: pip install -e '.[torch]'"
    torch = pytest.importorskip("torch", reason=why)
    transformers = pytest.importorskip("transformers", reason=why)
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("tiny")
    letters = Tokenizer(models.BPE(vocab={char: place for place, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}, merges=[]))
    letters.pre_tokenizer, letters.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    letters.add_special_tokens(SPECIAL)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=letters, eos_token=SPECIAL[2], pad_token=SPECIAL[0])
    listener = transformers.WhisperFeatureExtractor(feature_size=16, sampling_rate=16000, chunk_length=2)
    transformers.Qwen2AudioProcessor(feature_extractor=listener, tokenizer=tokenizer).save_pretrained(folder)
    encoder = {"d_model": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 16, "num_mel_bins": 16}
    decoder = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = transformers.Qwen2AudioConfig(
        audio_config={"model_type": "qwen2_audio_encoder", **encoder, "max_source_positions": 100},
        text_config={
            "model_type": "qwen2", **decoder, "vocab_size": len(tokenizer), "max_position_embeddings": 1024, "initializer_range": 1.0,
            "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
        },
        audio_token_index=tokenizer.convert_tokens_to_ids("<|AUDIO|>"),
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.Qwen2AudioForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the model's own `generate` is given, call by call."""
    transformers = pytest.importorskip("transformers")
    given: list[Any] = []
    own = transformers.Qwen2AudioForConditionalGeneration.generate

    def generate(self: Any, **options: Any) -> Any:
        given.append(options)
        return own(self, **options)

    monkeypatch.setattr(transformers.Qwen2AudioForConditionalGeneration, "generate", generate)
    return given


def _run(root: Path, folder: str, modality: str = "audio", **decoding: Any) -> tuple[list[Row], dict[str, Any]]:
    model = {"kind": "transformers", "model": folder, "model_class": "Qwen2AudioForConditionalGeneration", "device": "cpu", "dtype": "float32"}
    suite = {**values("KVoiceBench"), "built": ["bbh"]}
    report = runner.run_stage(STAGE, "model", {"suite": suite, "model": model, "modality": modality, "decoding": decoding}, root)
    return files.read_jsonl(root / "data/respond/model/rows.jsonl"), report


def test_it_hears_each_clip_at_its_own_rate(spoken: Path, tiny: str, known: list[Any]) -> None:
    rows, report = _run(spoken, tiny, max_tokens=8, temperature=0)
    assert len(rows) == len(known) == report["asked"] == len(TONES)
    assert report["completion_tokens"] == 8 * len(TONES)
    assert {row["finish_reason"] for row in rows} == {"length"}
    assert all(options["input_features"].shape == (1, 16, 200) for options in known)
    # Three tones of one length differ in nothing that is written, so what differs was heard.
    assert len({str(options["input_ids"].tolist()) for options in known}) == 1
    assert len({str(options["input_features"].tolist()) for options in known}) == len(TONES)
    assert len({row["response"] for row in rows}) > 1


def test_the_paper_s_decoding_reaches_the_model(spoken: Path, tiny: str, known: list[Any]) -> None:
    _run(spoken, tiny, max_tokens=8, seed=1)
    options = known[0]
    assert (options["do_sample"], options["temperature"], options["top_p"], options["max_new_tokens"]) == (True, 0.7, 0.95, 8)


def test_a_seed_makes_a_run_repeatable(spoken: Path, tiny: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, _ = _run(spoken, tiny, max_tokens=8, seed=1)
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path / "another"))
    assert _run(spoken, tiny, max_tokens=8, seed=1)[0] == first


def test_a_second_run_loads_nothing(spoken: Path, tiny: str, known: list[Any]) -> None:
    first, _ = _run(spoken, tiny, max_tokens=8, temperature=0)
    known.clear()
    again, report = _run(spoken, tiny, max_tokens=8, temperature=0)
    assert again == first
    assert not known
    assert report["from_store"] == len(TONES)


def test_the_text_modality_reads(spoken: Path, tiny: str, known: list[Any]) -> None:
    rows, _ = _run(spoken, tiny, "text", max_tokens=4, temperature=0)
    assert len(rows) == len(TONES)
    assert all("input_features" not in options for options in known)


def test_a_model_that_is_not_there_is_told(spoken: Path, tiny: str) -> None:
    with pytest.raises(UserError, match=r"The model /nowhere/at/all cannot be loaded \("):
        _run(spoken, "/nowhere/at/all")


def test_an_unknown_class_is_told_with_the_nearest(spoken: Path, tiny: str) -> None:
    model = {"kind": "transformers", "model": tiny, "model_class": "Qwen2AudioForConditionalGenerations"}
    settings = {"suite": {**values("KVoiceBench"), "built": ["bbh"]}, "model": model}
    with pytest.raises(UserError, match="Did you mean 'Qwen2AudioForConditionalGeneration'"):
        runner.run_stage(STAGE, "model", settings, spoken)


def test_without_the_extra_it_is_named(spoken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=r"needs torch and transformers; install the extra: pip install -e '\.\[torch\]'"):
        _run(spoken, "any")


def test_the_tiny_model_is_of_the_kind_that_conf_names(tiny: str) -> None:
    assert json.loads((Path(tiny) / "config.json").read_text())["architectures"] == ["Qwen2AudioForConditionalGeneration"]
