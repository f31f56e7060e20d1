"""Replays of fully measured histories: how well an acquisition chooses what to measure."""

from analytics.replay.comparing import PairedTest, compare
from analytics.replay.playing import ReplaySettings, replay, replay_together
from analytics.replay.scoring import Score, mean_score, score

__all__ = [
    "PairedTest",
    "ReplaySettings",
    "Score",
    "compare",
    "mean_score",
    "replay",
    "replay_together",
    "score",
]
