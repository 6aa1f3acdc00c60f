"""Audio-understanding questions from real recordings: the four construction methods of paper 2605.27984, section 3.2."""
