"""Audio-understanding questions from speech corpora (paper 2605.27984, section 3.2): segments, and four ways to ask about them."""
