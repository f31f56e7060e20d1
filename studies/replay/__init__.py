"""Replays of fully measured histories through the product's loop: how well an acquisition chooses what to measure."""

from studies.replay.comparing import Learning, PairedTest, Replayed, compare, replay_file
from studies.replay.playing import ReplaySettings, measure_actively, replay, replay_together
from studies.replay.scoring import TOLERANCE, Score, matches, mean_score, score

__all__ = [
    "TOLERANCE",
    "Learning",
    "PairedTest",
    "ReplaySettings",
    "Replayed",
    "Score",
    "compare",
    "matches",
    "mean_score",
    "measure_actively",
    "replay",
    "replay_file",
    "replay_together",
    "score",
]
