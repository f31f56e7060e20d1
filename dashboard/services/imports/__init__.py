"""Imports: a file is checked as a whole, written beneath invisible batches, and shown by one flip of state."""
