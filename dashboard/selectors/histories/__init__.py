"""Histories to read: series, the curve behind each, its fit, its changes, and what to measure next."""
