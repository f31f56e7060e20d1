"""Workloads: how the influence of each term differs between them."""
