"""Workloads as an axis: which terms influence the time differently in different workloads, and by how much."""
