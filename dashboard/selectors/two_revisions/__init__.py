"""Two revisions compared: what differs between them, and what cannot be told."""
