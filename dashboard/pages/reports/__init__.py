"""Frozen views that are shared by link."""
