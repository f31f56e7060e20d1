"""Jobs that choose the revisions to measure themselves: tracking a history, and bisecting for a change."""
