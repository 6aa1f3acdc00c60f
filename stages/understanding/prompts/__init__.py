"""Prompt texts as data: what the question writer and the two test takers are told."""

from __future__ import annotations

from pathlib import Path

from stages.llm.prompts import Prompts

PROMPTS = Prompts(Path(__file__).parent)
