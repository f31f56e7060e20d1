"""Measuring to read: the status of a system, the grid of a plan, active jobs, times of runs."""
