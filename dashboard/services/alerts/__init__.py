"""Telling people of changes: rules, what is new, messages, and how they are sent."""
