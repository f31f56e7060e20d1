"""Published tables, made again from the published data and set beside the published numbers."""
