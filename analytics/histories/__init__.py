"""Performance histories: a band of certainty over all revisions, measured or not."""
