"""The review desk: a local web page on which people give verdicts on the queue. `python -m stages.review.desk`."""
