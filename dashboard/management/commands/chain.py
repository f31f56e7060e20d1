"""`manage.py chain SUBJECT OPTION REGION`: how an option's value gets to the decisions of a region."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import NotFound, Principal
from dashboard.selectors.whitebox.chains import Chains, chains
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
        operator = Principal.operator()
        try:
            slug = slug_of_subject(options["subject"])
            found = chains(principal=operator, slug=slug, option=options["option"], region=options["region"])
        except NotFound as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(found), indent=1))
            return
        for line in written(found):
            self.stdout.write(line)


def written(found: Chains) -> Iterator[str]:
    """The chains as lines: kind of step, file and line, source text."""
    traced = f"{found.traced} traced configuration{'s' if found.traced != 1 else ''}"
    if not found.chains:
        yield f"{found.option} was not seen in any decision of {found.region}, in {traced} of {found.revision}"
        if found.counted:
            yield f"but counts show that {found.region} depends on {found.option}: taints have missed it"
    for number, chain in enumerate(found.chains, start=1):
        yield f"{number}. {found.option} in {found.region}, {len(chain)} steps"
        for step in chain:
            yield f"  {step.kind:<12} {step.file}:{step.line:<5} {step.text}"
    if found.cut:
        yield "Steps were left out of a trace because there were too many: chains may begin too late."
