"""`manage.py fit SYSTEM [options]`: store what pages show of a system, its models and the histories."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from dashboard.access import Access
from dashboard.management.model_output import facts_of_hybrid, words_of_hybrid, words_of_models
from dashboard.management.system_command import BAD_INPUT, SystemCommand, argument
from dashboard.selectors.performance_models import OWN, PUBLISHED
from dashboard.services.histories.fits import fit_system
from dashboard.services.performance_models.hybrid import learn_hybrid
from dashboard.services.performance_models.learned import learn

_PROCESSES = 2


class Command(SystemCommand):
    """Do what applies to the system: models of every revision, with the histories of their terms."""

    help = "Learn a system's models, one for each revision, fit its histories, and store them."

    arguments = (
        argument("--metric", help="learn models of this metric only"),
        argument(
            "--terms",
            choices=(PUBLISHED, OWN),
            help="over our own choice of terms (unasked), or over those that the data's source published",
        ),
        argument("--processes", type=int, help=f"fit histories in so many processes at once ({_PROCESSES})"),
        argument(
            "--hybrid",
            nargs="?",
            const="",
            metavar="REVISION",
            help="learn only the hybrid model, of this revision or of the one with most counted configurations, of times or "
            "with --metric work of counts alone; not with --terms, --processes",
        ),
        argument("--json", action="store_true", help="print one JSON object"),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Learn, and say what came out."""
        given = [name for name in ("terms", "processes") if options[name] is not None]
        if options["hybrid"] is not None and given:
            raise CommandError(f"--hybrid knows no --{given[0]}", returncode=BAD_INPUT)
        if options["hybrid"] is not None:
            learned = learn_hybrid(access=access, revision=options["hybrid"], metric=options["metric"] or "")
            told = json.dumps(facts_of_hybrid(*learned), indent=1)
            self.stdout.write(told if options["json"] else words_of_hybrid(*learned))
            return
        curves = learn(
            access=access,
            metric=options["metric"] or "",
            terms=options["terms"] or OWN,
            tell=lambda _share, step: self.stderr.write(f"{step} ..."),
        )
        processes = _PROCESSES if options["processes"] is None else max(options["processes"], 1)
        fitted, faults = fit_system(
            access=access,
            processes=processes,
            report=lambda text: self.stderr.write(f"{text} ..."),
        )
        histories = {"fitted": fitted, "faults": faults}
        told = json.dumps({"models": [asdict(one) for one in curves], "histories": histories}, indent=1)
        as_text = "\n".join([*words_of_models(curves), *faults, f"{fitted} histories fitted"])
        self.stdout.write(told if options["json"] else as_text)
