"""`manage.py replay FILE`: what acquisitions would have measured in histories that are fully known."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.changepoints import ChangePointError, ChangePointSettings
from analytics.histories import HistoryError
from dashboard.importers.errors import InvalidBundle
from studies.replay import TOLERANCE, Learning, Replayed, ReplaySettings, Score, replay_file

BAD_INPUT = 2


class Command(BaseCommand):
    """Play fully measured histories and print how close each acquisition comes."""

    help = "Replay fully measured histories: how well each way to choose revisions would have done."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("file", help="CSV, also .gz, with the columns revision, variant, seconds")
        parser.add_argument(
            "--acquisition",
            default="mix,maxvar,random",
            help="names joined by commas: mix, maxvar, random, gap, bisect (default: mix,maxvar,random)",
        )
        parser.add_argument(
            "--at", default="1,3,5", help="percentages of all revisions to measure (default: 1,3,5)"
        )
        parser.add_argument(
            "--seeds", type=int, default=10, help="how often to play what draws at random (default: 10)"
        )
        parser.add_argument(
            "--total",
            type=int,
            help="how many revisions there are in all (default: the span of each variant)",
        )
        parser.add_argument(
            "--minimum-effect",
            type=float,
            default=2.0,
            help="smallest change point that counts, in percent (default: 2)",
        )
        _add_learning(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Play and print."""
        names = [name.strip() for name in options["acquisition"].split(",")]
        try:
            settings = _settings(options)
            replayed = replay_file(
                path=Path(options["file"]),
                acquisitions=list(dict.fromkeys(names)),
                settings=settings,
                learning=options["learning"],
                progress=self._progress,
            )
        except (InvalidBundle, HistoryError, ChangePointError) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_json(replayed), indent=1))
            return
        for line in as_lines(replayed):
            self.stdout.write(line)

    def _progress(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{done} of {total} acquisitions", ending="\n" if done == total else "")


def as_json(replayed: Replayed) -> dict[str, Any]:
    """The replay as docs/reference/replay.md describes it."""
    settings = replayed.settings
    return {
        "total": _scores_as_json(replayed.total),
        "series": {variant: _scores_as_json(scores) for variant, scores in replayed.series.items()},
        "tests": [{**asdict(test), "share": percent(test.share)} for test in replayed.tests],
        "settings": {
            "series": len(replayed.series),
            "total_revisions": settings.total,
            "seeds": settings.seeds,
            "learning": list(replayed.learning),
            "minimum_effect_percent": 100 * settings.change_points.minimum_effect,
            "change_points_within": TOLERANCE,
        },
    }


def as_lines(replayed: Replayed) -> list[str]:
    """The replay in aligned text."""
    effect = 100 * replayed.settings.change_points.minimum_effect
    head = f"{'':12} {'at':>6} {'samples':>8} {'error':>9} {'(paper)':>9} {'precision':>10} {'recall':>7} {'F1':>6}"
    lines = [f"mean over {len(replayed.series)} histories, {_how(replayed)}", head]
    for name, by_share in replayed.total.items():
        lines += [_line(name, share, score) for share, score in by_share.items()]
    lines += [
        "error: mean absolute error in percent of the truth; (paper): in percent of the prediction",
        f"change points: of at least {effect:g} %, found within {TOLERANCE} revisions",
    ]
    if replayed.tests:
        lines.append("paired Wilcoxon tests of the error (paper)")
    for test in replayed.tests:
        pair = f"{test.first} - {test.second}"
        lines.append(
            f"  {pair:20} {percent(test.share):>4} % {test.difference:+9.3f} points, p = {test.p_value:.2g}"
        )
    return lines


def _how(replayed: Replayed) -> str:
    if not replayed.learning:
        return "each played alone"
    return f"each played alone, but with {', '.join(replayed.learning)} learning from those before it"


def percent(share: float) -> str:
    """A share as the percentage that the command was asked for."""
    return f"{100 * share:.10g}"


def _line(name: str, share: float, score: Score) -> str:
    rates = " ".join(
        f"{_rate(value):>{width}}"
        for value, width in ((score.precision, 10), (score.recall, 7), (score.f1, 6))
    )
    errors = f"{score.mape:>7.3f} % {score.mape_paper:>7.3f} %"
    return f"{name:12} {percent(share):>4} % {score.samples:>8.0f} {errors} {rates}"


def _rate(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _scores_as_json(scores: Mapping[str, Mapping[float, Score]]) -> dict[str, Any]:
    return {
        name: {
            percent(share): {
                key: None if math.isnan(value) else value for key, value in asdict(score).items()
            }
            for share, score in by_share.items()
        }
        for name, by_share in scores.items()
    }


def _settings(options: Mapping[str, Any]) -> ReplaySettings:
    """The settings that the options name. Raises `CommandError` on one without sense."""
    shares = tuple(_share(part) for part in options["at"].split(","))
    for name in ("seeds", "total"):
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name} {options[name]}: must be at least 1", returncode=BAD_INPUT)
    effect = ChangePointSettings(minimum_effect=options["minimum_effect"] / 100)
    return ReplaySettings(shares, options["total"], options["seeds"], effect)


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= 100:
        raise CommandError(
            f"--at: {text.strip()!r} is no percentage: write numbers from 0 to 100, joined by commas",
            returncode=BAD_INPUT,
        )
    return found / 100


def _add_learning(parser: ArgumentParser) -> None:
    """What a variant knows of those before it."""
    learning = parser.add_mutually_exclusive_group()
    learning.add_argument(
        "--transfer",
        action="store_const",
        dest="learning",
        const=Learning.ALL,
        default=Learning.DEFAULT,
        help="with every acquisition, a variant knows where changes were located in those before it "
        "(default: with mix only)",
    )
    learning.add_argument(
        "--alone",
        action="store_const",
        dest="learning",
        const=Learning.NONE,
        help="each variant is played as if it were the only one, with every acquisition",
    )
