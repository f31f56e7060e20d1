"""`manage.py chain SUBJECT OPTION REGION`: how an option's value gets to the decisions of a region."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand

from analytics.whitebox.propagation import Chain
from dashboard.access import NotFound, Principal, access_to
from dashboard.figures.chain_words import unknown_steps
from dashboard.figures.histories_words import revision_text
from dashboard.management.system_command import refusing
from dashboard.selectors.whitebox.analyses import option_chains, seen_region, white_box_detail
from dashboard.selectors.whitebox.rows import RegionAnalysis
from dashboard.services.subjects import slug_of_subject


class Command(BaseCommand):
    """Print the chains."""

    help = "Tells the steps from where an option is read to the decisions of a region, after `analyze`."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the command line."""
        parser.add_argument("subject", help="a registered subject's name, or its system's")
        parser.add_argument("option", help="name of an option")
        parser.add_argument("region", help="module:function, or the end of it if only one region ends so")
        parser.add_argument("--json", action="store_true", help="everything as one JSON object")

    @refusing(NotFound)
    def handle(self, *_: Any, **options: Any) -> None:
        """Print them, the shortest first."""
        slug = slug_of_subject(options["subject"])
        analysis = white_box_detail(system=access_to(Principal.operator(), slug).system)
        if analysis is None:
            raise NotFound(f"{slug!r} was not analyzed yet: run `manage.py analyze` first")
        option, region = options["option"], seen_region(analysis, options["region"])
        chains = option_chains(region, option)
        as_text = "\n".join(written(region, option, chains))
        self.stdout.write(
            json.dumps(as_json(region, option, chains), indent=1) if options["json"] else as_text
        )


def as_json(region: RegionAnalysis, option: str, chains: Sequence[Chain]) -> dict[str, Any]:
    """The chains and the analysis that they are of."""
    names = {"kind", "file", "line", "text", "region"}
    return {
        "option": option,
        "region": region.key,
        "revision": region.analysis.revision,
        "workload": region.analysis.workload,
        "traced": len(region.analysis.result.traced),
        "chains": [
            [{**step.model_dump(include=names), "decides": step.decides} for step in chain.steps]
            for chain in chains
        ],
        "from_read": [chain.from_read for chain in chains],
        "cut": region.analysis.result.cut,
        "counted": option in region.added,
    }


def written(region: RegionAnalysis, option: str, chains: Sequence[Chain]) -> Iterator[str]:
    """The chains as lines: kind of step, file and line, source text."""
    number = len(region.analysis.result.traced)
    traced = f"{number} traced configuration{'s' if number != 1 else ''}"
    if not chains:
        yield f"{option} was not seen in any decision of {region.key}, in {traced} of {revision_text(region.analysis.revision)}"
        if option in region.added:
            yield f"but counts show that {region.key} depends on {option}: taints have missed it"
    for number, chain in enumerate(chains, start=1):
        unknown = "" if chain.from_read else f"; how {option} gets to the first is not known"
        yield f"{number}. {option} in {region.key}, {len(chain.steps)} steps{unknown}"
        for step in chain.steps:
            yield f"  {step.kind:<12} {step.file}:{step.line:<5} {step.text}"
    if unknown := unknown_steps(region.analysis.result):
        yield unknown
