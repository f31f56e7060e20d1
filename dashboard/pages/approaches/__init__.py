"""Samplings and learners compared on equal terms."""
