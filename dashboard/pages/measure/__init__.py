"""Measuring from the browser: what is there, what runs, what to start."""
