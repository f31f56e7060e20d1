"""`manage.py chain SUBJECT OPTION REGION`: how an option's value gets to the decisions of a region."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import NotFound, Principal, access_to
from dashboard.selectors.whitebox.analyses import white_box_detail
from dashboard.selectors.whitebox.chains import OptionChains, option_chains
from dashboard.services.subjects import slug_of_subject

BAD_INPUT = 2


class Command(BaseCommand):
    """Print the chains."""

    help = "Tells the steps from where an option is read to the decisions of a region, after `analyze`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the command line."""
        parser.add_argument("subject", help="a registered subject's name, or its system's")
        parser.add_argument("option", help="name of an option")
        parser.add_argument("region", help="module:function, or the end of it if only one region ends so")
        parser.add_argument("--json", action="store_true", help="everything as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print them, the shortest first."""
        try:
            slug = slug_of_subject(options["subject"])
            analysis = white_box_detail(system=access_to(Principal.operator(), slug).system)
        except NotFound as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        if analysis is None:
            message = f"{slug!r} was not analyzed yet: run `manage.py analyze` first"
            raise CommandError(message, returncode=BAD_INPUT)
        try:
            found = option_chains(analysis, options["option"], options["region"])
        except NotFound as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_json(found), indent=1))
            return
        for line in written(found):
            self.stdout.write(line)


def as_json(found: OptionChains) -> dict[str, Any]:
    """The chains and the analysis that they are of."""
    names = {"kind", "file", "line", "text", "region"}
    return {
        "option": found.option,
        "region": found.region,
        "revision": found.analysis.revision,
        "workload": found.analysis.workload,
        "traced": len(found.analysis.result.traced),
        "chains": [
            [{**step.model_dump(include=names), "decides": step.decides} for step in chain]
            for chain in found.chains
        ],
        "cut": found.analysis.result.cut,
        "counted": found.counted,
    }


def written(found: OptionChains) -> Iterator[str]:
    """The chains as lines: kind of step, file and line, source text."""
    number = len(found.analysis.result.traced)
    traced = f"{number} traced configuration{'s' if number != 1 else ''}"
    if not found.chains:
        yield f"{found.option} was not seen in any decision of {found.region}, in {traced} of {found.analysis.revision}"
        if found.counted:
            yield f"but counts show that {found.region} depends on {found.option}: taints have missed it"
    for number, chain in enumerate(found.chains, start=1):
        yield f"{number}. {found.option} in {found.region}, {len(chain)} steps"
        for step in chain:
            yield f"  {step.kind:<12} {step.file}:{step.line:<5} {step.text}"
    if found.analysis.result.cut:
        yield "Steps were left out of a trace because there were too many: chains may begin too late."
