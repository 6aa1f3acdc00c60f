"""The first DVC stage: conf/ and the knobs of params.yaml become data/config.json, resolved and checked.

    python -m stages.compose

Every other stage tracks its own key there, so that an edit re-runs what depends on it and nothing else (design 4).
A knob is a Hydra override written as YAML; `subsets` is special: it maps each subset to its path below `raw`, feeds
DVC's foreach, and mounts conf/benchmark/<subset>.yaml at subsets.<subset>.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from stages.core import files, settings
from stages.core.app import CONFIG, exiting
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT
from stages.publish import release

PARAMS = "params.yaml"


def knobs(root: Path) -> list[str]:
    """params.yaml as Hydra overrides."""
    try:
        params = yaml.safe_load((root / PARAMS).read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise UserError(f"{PARAMS} is not valid YAML ({' '.join(str(error).split())}); correct it there.") from None
    subsets = params.pop("subsets", {})
    known = {path.stem for path in (root / "conf" / "benchmark").glob("[!_]*.yaml")}
    for name in subsets:
        if name not in known:
            raise UserError(f"{PARAMS} names the subset {name!r}, but conf/benchmark/{name}.yaml does not exist.{nearest(name, known)}")
    return [f"+benchmark@subsets.{name}={name}" for name in subsets] + list(_flat(params))


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def composed(overrides: list[str], root: Path = ROOT) -> Any:
    """The Hydra configuration for `overrides`. Raises UserError with the nearest name for a misspelt key or group option."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    with initialize_config_dir(str(root / "conf"), version_base="1.3"):
        try:
            return compose("config", overrides=overrides)
        except (HydraException, OmegaConfBaseException, yaml.YAMLError) as error:
            raise UserError(f"The configuration cannot be composed: {_first_line(error)}. Correct {PARAMS}, conf/ or the command line.") from None


def _first_line(error: Exception) -> str:
    cause = error.__cause__ or error
    return " ".join(str(cause).split("\n")[0].split()).rstrip(".")


def check_overrides(base: list[str], overrides: list[str]) -> None:
    """Raise UserError for an override of `overrides` whose key does not exist in the configuration of `base`."""
    from omegaconf import OmegaConf

    config = composed(base)
    for override in overrides:
        key = override.split("=", 1)[0]
        if key[:1] in "+~" or key.startswith("hydra") or "@" in key or (ROOT / "conf" / key).is_dir():
            continue
        parent, _, name = key.rpartition(".")
        place = OmegaConf.select(config, parent) if parent else config
        if not OmegaConf.is_dict(place) or name not in place:
            known = list(place) if OmegaConf.is_dict(place) else [str(k) for k in config]
            raise UserError(f"Config key {key} does not exist.{nearest(name, known)} Prefix it with + to add a new key.")


def resolve(config: Any) -> dict[str, Any]:
    """Plain values of a Hydra configuration, every interpolation resolved. Raises UserError for a value left at ???."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise UserError(f"The configuration cannot be resolved: {_first_line(error)}. Set the value in {PARAMS} or conf/.") from None
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def check_stages(config: dict[str, Any]) -> None:
    """Raise UserError unless every stage's settings of every subset fit the stage's settings class."""
    for module_name in config["stages"].values():
        stage = importlib.import_module(module_name).STAGE
        for subset, values in config["subsets"].items():
            settings.load(stage.settings, values.get(stage.name, {}), f"subsets.{subset}.{stage.name}")


def check_sources(config: dict[str, Any], root: Path) -> None:
    """DVC watches the path in params.yaml and ingest reads the one in conf/benchmark: they must be the same."""
    watched = yaml.safe_load((root / PARAMS).read_text(encoding="utf-8"))["subsets"]
    for subset, values in config["subsets"].items():
        read = values["ingest"]["path"]
        if watched[subset] != read:
            elsewhere = f"conf/benchmark/{subset}.yaml reads {read!r}"
            raise UserError(f"{PARAMS} has {watched[subset]!r} for subsets.{subset}, but {elsewhere}; make them equal.")


def main() -> None:
    """Compose, check everything that can be found wrong before anything is paid for, write."""
    config = resolve(composed(knobs(ROOT)))
    check_sources(config, ROOT)
    check_stages(config)
    release.check_config(config)
    files.write_json(ROOT / CONFIG, config)


if __name__ == "__main__":
    exiting(main)
