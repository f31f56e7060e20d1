"""Backups: one file that holds an installation as it was at one moment, and bringing it back from there."""
