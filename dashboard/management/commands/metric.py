"""`manage.py metric SYSTEM [QUANTITY --unit UNIT --better higher]`: say what a metric of imported data is."""

from typing import Any

from dashboard.access import Access
from dashboard.management.system_command import SystemCommand, argument
from dashboard.selectors.systems import system_metrics
from dashboard.services.metrics import MetricRequest, set_metric


class Command(SystemCommand):
    """List the metrics of a system, or set the unit and the direction of one."""

    help = "List the metrics of a system, or say the unit of one and which direction is better."

    arguments = (
        argument("quantity", nargs="?", help="the metric's name; without it, all are listed"),
        argument("--unit", help='its unit, as "ms"; values stay as they are, "" means unknown'),
        argument("--better", choices=("lower", "higher"), help="which direction is better"),
        argument("--of", metavar="UNIT", help="its present unit, where several have the name"),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """List, or set and list."""
        if options["quantity"] is not None:
            request = MetricRequest(
                quantity=options["quantity"],
                unit=options["unit"],
                better=options["better"],
                present_unit=options["of"],
            )
            set_metric(access=access, request=request)
        for one in system_metrics(access.system):
            clock = "" if one.clock == "none" else f" ({one.clock})"
            unit = one.unit or "unknown unit"
            self.stdout.write(f"{one.quantity}{clock}: {unit}, {one.better} is better")
