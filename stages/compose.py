"""The first DVC stage: conf/ and the knobs of params.yaml become data/config.json, resolved and checked, and the code of
each stage a fingerprint in data/code.json.

    python -m stages.compose

Every other stage tracks its own key there, so that an edit re-runs what depends on it and nothing else.
A knob is a Hydra override written as YAML. What the build consists of is special, because it also feeds DVC's foreach:
`subsets` maps each subset to its path below `raw` and mounts conf/benchmark/<subset>.yaml at subsets.<subset>; the other
keys of GROUPS do the same with their folders of conf/.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from stages import code
from stages.core import errata, files, settings
from stages.core.app import CONFIG, exiting
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT
from stages.publish import release

PARAMS = "params.yaml"
GROUPS = {
    "subsets": "benchmark", "corpora": "corpus", "understanding": "understanding", "wildspeech": "benchmark", "variants": "variant",
    "talkers": "talker", "speechlms": "speechlm",
}  # fmt: skip
"""Key of params.yaml, and of the configuration, to the folder of conf/ that describes its units; what is made of others stands after them."""


def read_params(root: Path) -> dict[str, Any]:
    """params.yaml. Raises UserError unless it is a mapping that names subsets."""
    try:
        params = yaml.safe_load((root / PARAMS).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{PARAMS} cannot be read ({_first_line(error)}); take a profile's, for example by `make use PROFILE=sample`.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{PARAMS} is not valid YAML ({_one_line(error)}); correct it there.") from None
    chosen = [params.get(group) or {} for group in ("subsets", "corpora")] if isinstance(params, dict) else []
    if not any(chosen) or not all(isinstance(group, dict) for group in chosen):
        raise UserError(f"{PARAMS} needs `subsets` or `corpora`, a mapping of each to its path below `raw`; conf/params/ has one for each profile.")
    return {"subsets": {}, **params}


def knobs(root: Path) -> list[str]:
    """params.yaml as Hydra overrides."""
    params = read_params(root)
    chosen: list[str] = []
    for group, folder in GROUPS.items():
        known = {path.stem for path in (root / "conf" / folder).glob("[!_]*.yaml")}
        units = params.pop(group, None) or ()
        for name in units:
            option = _variant(name, units[name]) if group == "variants" else name
            if option not in known:
                what = "subset" if group == "subsets" else "unit of " + group
                raise UserError(f"{PARAMS} names the {what} {name!r}, but conf/{folder}/{option}.yaml does not exist.{nearest(option, known)}")
            chosen.append(f"+{folder}@{group}.{name}={option}")
            if group == "variants":
                chosen.append(f"{group}.{name}.subset={units[name]}")
    return chosen + list(_flat(params))


def _variant(name: str, subset: str) -> str:
    """Which variant the name `<subset>-<variant>` chooses."""
    if not name.startswith(f"{subset}-"):
        raise UserError(
            f"{PARAMS} names the variant {name!r} of the subset {subset!r}; a variant is called <subset>-<variant>, such as {subset}-street."
        )
    return name.removeprefix(f"{subset}-")


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def composed(overrides: list[str], root: Path = ROOT) -> Any:
    """The Hydra configuration for `overrides`. Raises UserError for what Hydra refuses."""
    from hydra import compose, initialize_config_dir

    with explained(), initialize_config_dir(str(root / "conf"), version_base="1.3"):
        return compose("config", overrides=overrides)


@contextmanager
def explained() -> Iterator[None]:
    """What Hydra and OmegaConf say of a configuration, as one UserError."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except (HydraException, OmegaConfBaseException, UnicodeDecodeError) as error:
        raise UserError(f"The configuration cannot be composed: {_first_line(error)}. Correct {PARAMS}, conf/ or the command line.") from None
    except yaml.YAMLError as error:
        raise UserError(f"The configuration is not valid YAML: {_one_line(error)}; correct it there.") from None


def _first_line(error: BaseException) -> str:
    cause = error.__cause__ or error
    return " ".join(str(cause).split("\n")[0].split()).rstrip(".")


def _one_line(error: yaml.YAMLError) -> str:
    return " ".join(str(error).split())


def check_overrides(base: list[str], overrides: list[str]) -> None:
    """Raise UserError for an override of `overrides` whose key, or option of a group, does not exist in the configuration of `base`."""
    from omegaconf import OmegaConf

    for override in overrides:
        _check_option(override)
    config = composed([override for override in base if _adds(override)])
    for override in overrides:
        key = override.split("=", 1)[0]
        if _adds(override) or key.startswith("hydra"):
            continue
        parent, _, name = key.rpartition(".")
        place = OmegaConf.select(config, parent) if parent else config
        known = [str(k) for k in place] if OmegaConf.is_dict(place) else None
        if known is None or name not in known:
            known = known or [str(k) for k in config]
            raise UserError(f"Config key {key} does not exist.{nearest(name, known)} Prefix it with + to add a new key.")


def _check_option(override: str) -> None:
    group, _, options = override.partition("=")
    if not group.strip():
        raise UserError(f"The override {override!r} has no key; write key=value.")
    known = {path.stem for path in (ROOT / "conf" / group).glob("[!_]*.yaml")}
    for option in options.split(",") if known else ():
        if option.strip() not in known:
            raise UserError(f"There is no conf/{group}/{option.strip()}.yaml.{nearest(option, known)} Known: {', '.join(sorted(known))}.")


def _adds(override: str) -> bool:
    """Whether `override` chooses or adds something, in contrast to setting a key that must exist."""
    key = override.split("=", 1)[0]
    return key[:1] in ("+", "~") or "@" in key or (ROOT / "conf" / key).is_dir()


def resolve(config: Any) -> dict[str, Any]:
    """Plain values of a Hydra configuration, every interpolation resolved. Raises UserError for a value left at ???."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        where = f" (at {error.full_key})" if error.full_key else ""
        raise UserError(f"The configuration cannot be resolved: {_first_line(error)}{where}. Set the value in {PARAMS} or conf/.") from None
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def check_stages(config: dict[str, Any]) -> None:
    """Raise UserError unless every stage's settings of every unit of its group fit the stage's settings class."""
    for key, group, modules in [("stages", "subsets", config["stages"]), *((f"stages_of.{g}", g, m) for g, m in config["stages_of"].items())]:
        for name, module_name in modules.items():
            try:
                stage = importlib.import_module(module_name).STAGE
            except ModuleNotFoundError as error:
                raise UserError(f"Config key {key}.{name} cannot be imported ({error}); correct its module in conf/config.yaml.") from None
            for unit, values in config[group].items():
                settings.load(stage.settings, values.get(stage.name, {}), f"{group}.{unit}.{stage.name}")


def enter_errata(config: dict[str, Any], root: Path) -> None:
    """Lay people's decisions on reported items into the configuration (stages.core.errata)."""
    if not (root / "data" / "decisions" / errata.TOPIC).is_dir():
        return
    from stages.core import schemas

    def adds(stage: Any) -> list[str]:
        before = schemas.columns(stage.input_schema) if stage.input_schema else {}
        return [column for column in schemas.columns(stage.output_schema) if column not in before]

    errata.enter(config, root, lambda module: importlib.import_module(module).STAGE, adds)


def check_sources(config: dict[str, Any], root: Path) -> None:
    """DVC watches the path in params.yaml and the first stage reads the one in conf/: they must be the same."""
    params = read_params(root)
    for corpus, path in (params.get("corpora") or {}).items():
        if config["corpora"][corpus]["corpus"]["path"] != path:
            read = config["corpora"][corpus]["corpus"]["path"]
            raise UserError(f"{PARAMS} has {path!r} for corpora.{corpus}, but conf/corpus/{corpus}.yaml reads {read!r}; make them equal.")
    for name, path in (params.get("wildspeech") or {}).items():
        if (read := config["wildspeech"][name]["path"]) != path:
            raise UserError(f"{PARAMS} has {path!r} for wildspeech.{name}, but conf/benchmark/{name}.yaml reads {read!r}; make them equal.")
    watched = params["subsets"]
    for subset, values in config["subsets"].items():
        if not isinstance(values, dict) or "path" not in values.get("ingest", {}):
            raise UserError(f"conf/benchmark/{subset}.yaml does not describe a subset; begin it with `defaults: [_spokenqa, _self_]`.")
        read = values["ingest"]["path"]
        if watched[subset] != read:
            elsewhere = f"conf/benchmark/{subset}.yaml reads {read!r}"
            raise UserError(f"{PARAMS} has {watched[subset]!r} for subsets.{subset}, but {elsewhere}; make them equal.")


def main() -> None:
    """Compose, check everything that can be found wrong before anything is paid for, write."""
    if len(sys.argv) > 1:
        raise UserError(f"python -m stages.compose takes no argument; the knobs are in {PARAMS}, and a sweep is `python -m stages.<stage> -m ...`.")
    chosen = knobs(ROOT)
    try:
        config = resolve(composed(chosen))
    except UserError:
        check_overrides(chosen, chosen)  # says it better, for a second composition
        raise
    check_sources(config, ROOT)
    check_stages(config)
    enter_errata(config, ROOT)
    release.check_config(config)
    files.write_json(ROOT / CONFIG, config)
    files.write_json(ROOT / code.PATH, code.fingerprints(ROOT))
    # What a build without units of a group does not write, the stages that read all of them still look for.
    for stage in [*config["stages"], *(stage for modules in config["stages_of"].values() for stage in modules)]:
        (ROOT / "data" / stage).mkdir(parents=True, exist_ok=True)
    for modules in config["stages_of"].values():
        (ROOT / "data" / "reports" / list(modules)[-1]).mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    exiting(main)
