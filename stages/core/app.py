"""One entry for both drivers of a stage.

    python -m stages.transfer.correct bbh                    what DVC runs: reads the resolved data/config.json, no Hydra
    python -m stages.transfer.correct -m subset=bbh a.b=1,2  Hydra: conf/ + params.yaml + the command line, one job a combination

Hydra jobs write beside the build (.cache/multirun/<stage>/<job>), so a sweep never touches what DVC tracks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stages.core import files, runner
from stages.core.errors import UserError, nearest
from stages.core.paths import ROOT
from stages.core.stage import Stage

CONFIG = Path("data/config.json")


def read_config(key: str, root: Path = ROOT) -> Any:
    """The value at the dotted `key` of the resolved configuration. Raises UserError when the key is absent."""
    value = files.read_json(root / CONFIG)
    walked: list[str] = []
    for step in key.split("."):
        if not isinstance(value, dict) or step not in value:
            known = value if isinstance(value, dict) else {}
            place = ".".join(walked) or "the configuration"
            hint = f"{nearest(step, known)} Run `dvc repro compose` after editing conf/ or params.yaml."
            raise UserError(f"{CONFIG} has no {step!r} under {place}.{hint}")
        value = value[step]
        walked.append(step)
    return value


def exiting(action: Callable[[], Any]) -> None:
    """Run `action`; a UserError becomes its sentence on stderr and exit code 1."""
    try:
        action()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        print("stopped; everything that arrived before is stored, run again to go on", file=sys.stderr)
        sys.exit(130)


def main(stage: Stage) -> None:
    """The entry of a stage module."""
    exiting(lambda: _main(stage, sys.argv[1:]))


def _main(stage: Stage, arguments: list[str]) -> None:
    if not arguments or arguments[0] in ("-h", "--help"):
        unit = stage.group.removesuffix("s").upper()
        print(f"usage: {_program()} {unit} | -m subset=NAME[,NAME] key=value[,value]...\n")
        print(f"Runs the stage {stage.name!r} on one of the {stage.group}, or sweeps it with Hydra. They and their keys: {CONFIG}, conf/.")
    elif any("=" in argument or argument in ("-m", "--multirun") for argument in arguments):
        _sweep(stage, arguments)
    elif len(arguments) > 1:
        raise UserError(f"{_program()} takes one of the {stage.group}, got {len(arguments)}: {' '.join(arguments)}; run it once for each.")
    else:
        subset = arguments[0]
        values = read_config(f"{stage.group}.{subset}.{stage.name}")
        runner.run_stage(stage, subset, values, ROOT)


def _program() -> str:
    return f"python -m {Path(sys.argv[0]).resolve().relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}".removesuffix(".__main__")


def _sweep(stage: Stage, arguments: list[str]) -> None:
    from stages import compose

    flags = [a for a in arguments if a.startswith("-")]
    overrides = [a for a in arguments if not a.startswith("-")]
    knobs = compose.knobs(ROOT)
    compose.check_overrides(knobs, overrides)
    # Flags first, because argparse refuses them after overrides; then the knobs, so that the user's overrides win.
    sys.argv[1:] = [*flags, *knobs, *overrides]

    os.chdir(ROOT)  # Hydra's own folder of a sweep, which stays empty, is relative
    # Hydra would print a user's mistake itself, in many lines; with this it raises.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    process = os.getpid()
    keys = {override.split("=")[0] for override in overrides}
    failed: list[UserError] = []

    @hydra.main(version_base="1.3", config_path=str(ROOT / "conf"), config_name="config")
    def job(config: Any) -> None:
        about = HydraConfig.get()
        chosen = " ".join(override for override in about.overrides.task if override.split("=")[0] in keys)
        number = "0" if OmegaConf.is_missing(about.job, "num") else str(about.job.num)
        try:
            print(f"{chosen}: {_swept(stage, config, number)}", flush=True)
        except UserError as error:
            failed.append(UserError(f"{chosen}: {error}"))
            if os.getpid() != process:  # a launcher that starts processes carries it back
                raise failed[-1] from None

    with compose.explained():
        job()
    if failed:
        others = f" ({len(failed)} jobs of the sweep failed, this is the first)" if len(failed) > 1 else ""
        raise UserError(f"{failed[0]}{others}")


def _swept(stage: Stage, config: Any, number: str) -> str:
    """Run one job of a sweep; returns its counts and where its output lies."""
    from stages import compose

    resolved = compose.resolve(config)
    subset = str(resolved["subset"] or "")
    units = resolved[stage.group]
    if subset not in units:
        raise UserError(f"subset={subset} is not one of the {stage.group} of params.yaml.{nearest(subset, units)} Known: {', '.join(units)}.")
    folder = ROOT / ".cache" / "multirun" / stage.name / number
    report = runner.run_stage(stage, subset, units[subset][stage.name], ROOT, folder)
    return f"{runner.summary(report)} -> {folder.relative_to(ROOT)}"
