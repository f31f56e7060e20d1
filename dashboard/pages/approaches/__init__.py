"""Samplings and learners evaluated on equal terms."""
