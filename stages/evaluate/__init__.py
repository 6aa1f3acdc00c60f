"""Evaluation of speech language models: answers, judgments, scores and tables."""
