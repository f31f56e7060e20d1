"""Jobs: work that outlives a request. A row is the truth: state, lease, progress, checkpoint, result."""
