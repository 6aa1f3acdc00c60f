"""What an answer is worth: one small file a protocol, pure functions of item, answer and raw judge replies.

    scorer = load("multiple_choice")
    one = scorer.item(item, prediction, judgments, mode)     ItemScore
    all = scorer.total(scores, mode)                         Score

Nothing here asks a model, opens a file or depends on the run: the same rows give the same scores in any order.
"""

from stages.evaluate.scorers.base import Item, ItemScore, Judge, Judgment, Prediction, Score, Scorer, fill, load, names, protocol_of

__all__ = ["Item", "ItemScore", "Judge", "Judgment", "Prediction", "Score", "Scorer", "fill", "load", "names", "protocol_of"]
