"""Perturb again: the same in noise. See stages/wildspeech/perturb.py, which does it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from stages.core.app import main
from stages.wildspeech import perturb

STAGE = replace(
    perturb.STAGE, name="perturb_again", group="variants", reads="speak_again", input_schema="SpokenAgain", output_schema="PerturbedAgain",
    tools=partial(perturb.open_tools, clips="speak_again"),
)  # fmt: skip

if __name__ == "__main__":
    main(STAGE)
