"""Performance over the revisions, what to measure next, and tracking."""
