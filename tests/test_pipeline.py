"""dvc.yaml, params.yaml, conf/ and the stages' declarations agree."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest
import yaml

from stages import code, compose
from stages.core import files
from stages.core.app import CONFIG
from stages.core.errors import UserError
from stages.core.paths import ROOT


def _yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    found = compose.resolve(compose.composed(compose.knobs(ROOT)))
    compose.enter_errata(found, ROOT)
    return found


def test_the_committed_configuration_is_what_the_knobs_give(config: dict[str, Any]) -> None:
    """It goes stale when conf/ or params.yaml is edited without `dvc repro compose`."""
    assert files.read_json(ROOT / CONFIG) == config


def test_each_stage_is_in_dvc_yaml_and_tracks_just_the_key_that_it_is_given(config: dict[str, Any]) -> None:
    pipeline = code.pipeline(ROOT)
    for group, modules in {"subsets": config["stages"], **config["stages_of"]}.items():
        for name, module in modules.items():
            stage, step = importlib.import_module(module).STAGE, pipeline[name]["do"]
            assert (stage.name, stage.group) == (name, group)
            assert pipeline[name]["foreach"] == f"${{{group}}}"
            assert step["cmd"] == f"python -m {module} ${{key}}"
            assert {"data/config.json": [f"{group}.${{key}}.{name}"]} in step["params"]
            assert f"data/{name}/${{key}}" in step["outs"]
            for source in (stage.reads,) if isinstance(stage.reads, str) else stage.reads or ():
                assert any(dep.startswith(f"data/{source}/${{key}}") for dep in step["deps"])


def test_every_dependency_in_dvc_yaml_exists() -> None:
    for name, step in code.pipeline(ROOT).items():
        for dep in step.get("do", step).get("deps", []):
            if not dep.startswith("data/") and "$" not in dep:
                assert (ROOT / dep).exists(), f"stage {name} depends on {dep}, which does not exist"


def test_the_folders_that_settings_keep_files_to_are_watched() -> None:
    """`settings.watched` refuses a file elsewhere because nobody would see that it changed."""
    deps = {name: step.get("do", step)["deps"] for name, step in code.pipeline(ROOT).items()}
    for stage in ("paralinguistic", "speak", "speak_again", "spoken_report"):
        assert "data/handwritten" in deps[stage]
    assert "data/sample/spoken" in deps["spoken_report"]
    assert all("conf/judge" in deps[stage] for stage in ("score", "mark"))


def test_all_subsets_of_the_paper_are_built(config: dict[str, Any]) -> None:
    """Nine VoiceBench subsets and four OpenAudioBench ones, of which alpacaeval_full is shared and processed once."""
    by_release: dict[str, set[str]] = {}
    for name, subset in config["subsets"].items():
        for release in subset["validate"]["releases"]:
            by_release.setdefault(release, set()).add(name)
    assert {release: len(names) for release, names in by_release.items()} == {"KVoiceBench": 9, "KOpenAudioBench": 4}
    assert by_release["KVoiceBench"] & by_release["KOpenAudioBench"] == {"alpacaeval_full"}


@pytest.mark.parametrize("profile", sorted(path.stem for path in (ROOT / "conf/params").glob("*.yaml")))
def test_every_profile_sets_what_dvc_reads_of_params(profile: str) -> None:
    """DVC refuses the whole pipeline, whatever is built, for one name that params.yaml does not have."""
    params = _yaml(f"conf/params/{profile}.yaml")
    files = [ROOT / "dvc.yaml", *(ROOT / "pipelines").rglob("dvc.yaml")]
    names = {name for path in files for name in re.findall(r"\$\{(\w+)\}", path.read_text(encoding="utf-8"))}
    assert names - {"key", "item"} <= params.keys()


@pytest.mark.parametrize("profile", ["sample", "composed", "full", "trial", "kmmau_mirror"])
def test_every_profile_composes_and_fits_the_settings_classes(profile: str, tmp_path: Any) -> None:
    (tmp_path / "conf").symlink_to(ROOT / "conf")
    (tmp_path / "params.yaml").write_bytes((ROOT / f"conf/params/{profile}.yaml").read_bytes())
    config = compose.resolve(compose.composed(compose.knobs(tmp_path)))
    assert config["profile_name"] == {"composed": "sample"}.get(profile, profile)
    compose.check_stages(config)
    compose.check_sources(config, tmp_path)


def test_a_model_that_speaks_is_asked_the_queries_that_its_talker_is_marked_on() -> None:
    chosen = [*compose.knobs(ROOT), "+speechlm@speechlms.openai_audio=openai_audio", "+talker@talkers.openai_audio=openai_audio"]
    config = compose.resolve(compose.composed(chosen))
    compose.check_stages(config)
    respond, talker = config["speechlms"]["openai_audio"]["respond"], config["talkers"]["openai_audio"]["transcribe"]
    assert respond["queries"] == [talker["benchmark"]] == ["wildspeech"]
    assert talker["replies"] == {"kind": "respond", "path": "openai_audio"}
    assert config["speechlms"]["careful"]["respond"]["queries"] == []


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("speech.max_cerr=0.1", "Config key speech.max_cerr does not exist. Did you mean 'max_cer'?"),
        ("subsets.bbh.synthesise.max_cer=0.1", "Config key subsets.bbh.synthesise.max_cer does not exist."),
        ("asof=2020-01-01", "Config key asof does not exist. Did you mean 'as_of'?"),
    ],
)
def test_a_misspelt_override_names_the_nearest_key(override: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        compose.check_overrides(compose.knobs(ROOT), [override])
    assert str(error.value).startswith(sentence)


def test_a_subset_without_a_benchmark_file_is_named(tmp_path: Any) -> None:
    (tmp_path / "conf").symlink_to(ROOT / "conf")
    (tmp_path / "params.yaml").write_text("subsets: {ifevall: voicebench/ifeval}")
    with pytest.raises(UserError, match=r"'ifevall', but conf/benchmark/ifevall.yaml does not exist. Did you mean 'ifeval'"):
        compose.knobs(tmp_path)


def test_an_unknown_option_of_a_group_is_one_sentence() -> None:
    with pytest.raises(UserError, match="cannot be composed: "):
        compose.composed([*compose.knobs(ROOT), "tts=kokoro_kr"])


def test_a_stage_tracks_the_code_that_it_runs() -> None:
    """What DVC does not watch goes stale in silence."""
    for name, step in code.pipeline(ROOT).items():
        step = step.get("do", step)
        if name in ("compose", "fetch"):
            continue
        assert {"data/code.json": [name]} in step["params"], f"stage {name} needs `- data/code.json: [{name}]` under its params"
        assert not any(dep.startswith("stages/") for dep in step["deps"]), f"stage {name} lists code, which data/code.json tracks"
