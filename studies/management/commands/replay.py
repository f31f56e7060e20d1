"""`manage.py replay FILE`: what acquisitions would have measured in histories that are fully known."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.changepoints import ChangePointError, ChangePointSettings
from analytics.histories.errors import HistoryError
from dashboard.importers.errors import InvalidBundle
from dashboard.management.system_command import BAD_INPUT
from studies.replay.acquisitions import DEFAULT
from studies.replay.playing import ReplaySettings, replay_file
from studies.replay.scoring import TOLERANCE, Score, compare, mean_score

# The scores by series, acquisition and share.
Played = Mapping[str, Mapping[str, Mapping[float, Score]]]


class Command(BaseCommand):
    """Play fully measured histories and print how close each acquisition comes."""

    help = "Replay fully measured histories: how well each way to choose revisions would have done."
    # As of `SystemCommand`.
    requires_system_checks = ()

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
        learning = parser.add_mutually_exclusive_group()
        for option, which, words in (
            (
                "--transfer",
                "all",
                "with every acquisition, a variant knows where changes were located in those before it (default: with mix only)",
            ),
            (
                "--alone",
                "none",
                "each variant is played as if it were the only one, with every acquisition",
            ),
        ):
            learning.add_argument(
                option, action="store_const", dest="learning", const=which, default="default", help=words
            )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Play and print."""
        names = list(dict.fromkeys(name.strip() for name in options["acquisition"].split(",")))
        learning = {"default": [DEFAULT], "all": names, "none": []}[options["learning"]]
        try:
            settings = _settings(options)
            played = replay_file(
                path=Path(options["file"]),
                acquisitions=names,
                learning=learning,
                settings=settings,
                progress=self._progress,
            )
        except (InvalidBundle, HistoryError, ChangePointError) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        shared = [name for name in names if name in learning and len(played) > 1]
        if options["json"]:
            self.stdout.write(json.dumps(as_json(played, settings, shared), indent=1))
            return
        for line in as_lines(played, settings, shared):
            self.stdout.write(line)

    def _progress(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{done} of {total} acquisitions", ending="\n" if done == total else "")


def as_json(played: Played, settings: ReplaySettings, shared: Sequence[str]) -> dict[str, Any]:
    """The replay as docs/reference/replay.md describes it; `shared` acquisitions learned from one variant to the next."""
    return {
        "total": _scores_as_json(_means(played)),
        "series": {variant: _scores_as_json(scores) for variant, scores in played.items()},
        "tests": [{**asdict(test), "share": percent(test.share)} for test in compare(played)],
        "settings": {
            "series": len(played),
            "total_revisions": settings.total,
            "seeds": settings.seeds,
            "learning": list(shared),
            "minimum_effect_percent": 100 * settings.change_points.minimum_effect,
            "change_points_within": TOLERANCE,
        },
    }


def as_lines(played: Played, settings: ReplaySettings, shared: Sequence[str]) -> Iterator[str]:
    """The replay in aligned text."""
    how = "each played alone" + (
        f", but with {', '.join(shared)} learning from those before it" if shared else ""
    )
    yield f"mean over {len(played)} histories, {how}"
    yield f"{'':12} {'at':>6} {'samples':>8} {'error':>9} {'(paper)':>9} {'precision':>10} {'recall':>7} {'F1':>6}"
    for name, by_share in _means(played).items():
        for share, score in by_share.items():
            rates = " ".join(
                f"{'-' if math.isnan(value) else f'{value:.2f}':>{width}}"
                for value, width in ((score.precision, 10), (score.recall, 7), (score.f1, 6))
            )
            errors = f"{score.mape:>7.3f} % {score.mape_paper:>7.3f} %"
            yield f"{name:12} {percent(share):>4} % {score.samples:>8.0f} {errors} {rates}"
    yield "error: mean absolute error in percent of the truth; (paper): in percent of the prediction"
    effect = 100 * settings.change_points.minimum_effect
    yield f"change points: of at least {effect:g} %, found within {TOLERANCE} revisions"
    tests = compare(played)
    if tests:
        yield "paired Wilcoxon tests of the error (paper)"
    for test in tests:
        pair = f"{test.first} - {test.second}"
        yield f"  {pair:20} {percent(test.share):>4} % {test.difference:+9.3f} points, p = {test.p_value:.2g}"


def _means(played: Played) -> dict[str, dict[float, Score]]:
    """The mean over series by acquisition and share."""
    by_name = next(iter(played.values()))
    return {
        name: {share: mean_score([own[name][share] for own in played.values()]) for share in by_share}
        for name, by_share in by_name.items()
    }


def percent(share: float) -> str:
    """A share as the percentage that the command was asked for."""
    return f"{100 * share:.10g}"


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
    shares = []
    for text in options["at"].split(","):
        try:
            share = float(text)
        except ValueError:
            share = math.nan
        if not 0 <= share <= 100:
            raise CommandError(
                f"--at: {text.strip()!r} is no percentage: write numbers from 0 to 100, joined by commas",
                returncode=BAD_INPUT,
            )
        shares.append(share / 100)
    for name in ("seeds", "total"):
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name} {options[name]}: must be at least 1", returncode=BAD_INPUT)
    effect = ChangePointSettings(minimum_effect=options["minimum_effect"] / 100)
    return ReplaySettings(tuple(shares), options["total"], options["seeds"], effect)
