"""`manage.py metric SYSTEM [QUANTITY --unit UNIT --better higher]`: say what a metric of imported data is."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import AccessError, Principal
from dashboard.selectors.metrics import system_metrics
from dashboard.selectors.systems import find_slug
from dashboard.services.metrics import MetricError, set_metric


class Command(BaseCommand):
    """List the metrics of a system, or set the unit and the direction of one."""

    help = "List the metrics of a system, or say the unit of one and which direction is better."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("system", help="a system's name or address")
        parser.add_argument("quantity", nargs="?", help="the metric's name; without it, all are listed")
        parser.add_argument("--unit", help='its unit, as "ms"; values stay as they are, "" means unknown')
        parser.add_argument("--better", choices=("lower", "higher"), help="which direction is better")
        parser.add_argument("--of", metavar="UNIT", help="its present unit, where several have the name")

    def handle(self, *_: Any, **options: Any) -> None:
        """List, or set and list."""
        operator = Principal.operator()
        try:
            slug = find_slug(principal=operator, name=options["system"])
            if options["quantity"] is not None:
                set_metric(
                    principal=operator,
                    slug=slug,
                    quantity=options["quantity"],
                    unit=options["unit"],
                    better=options["better"],
                    present_unit=options["of"],
                )
            for one in system_metrics(principal=operator, slug=slug).metrics:
                clock = "" if one.clock == "none" else f" ({one.clock})"
                unit = one.unit or "unknown unit"
                self.stdout.write(f"{one.quantity}{clock}: {unit}, {one.better} is better")
        except (AccessError, MetricError) as error:
            raise CommandError(str(error), returncode=2) from error
