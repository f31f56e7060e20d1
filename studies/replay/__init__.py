"""Replays of fully measured histories through the product's loop: how well an acquisition chooses what to measure."""
