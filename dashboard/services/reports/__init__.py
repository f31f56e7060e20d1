"""Reports: a view frozen with its numbers, and the links that show it to others."""
