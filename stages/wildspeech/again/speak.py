"""Speak again: the items of a finished subset in the voices of WildSpeech. See stages/wildspeech/speak.py, which does it."""

from __future__ import annotations

from dataclasses import replace

from stages.core.app import main
from stages.wildspeech import speak

STAGE = replace(speak.STAGE, name="speak_again", group="variants", reads="recast", input_schema="Normalized", output_schema="SpokenAgain")

if __name__ == "__main__":
    main(STAGE)
