"""A system on one page."""
