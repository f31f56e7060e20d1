"""`manage.py predict SYSTEM CONFIGURATION ...`: what configurations would take, measured or not."""

import json
from typing import Any

from dashboard.access import Access
from dashboard.management.system_command import SystemCommand, argument
from dashboard.management.what_if_output import (
    ARGUMENTS,
    model_facts,
    prediction_facts,
    prediction_line,
    quality_line,
    selection_of,
    title_of,
    written,
)
from dashboard.selectors.what_if import what_if


class Command(SystemCommand):
    """Print predictions with their 95 % intervals, and what was measured."""

    help = "Predicts what configurations take, with 95 % intervals, beside what was measured."

    arguments = (
        argument("configuration", nargs="+", help="a=on,b=off, default, or a configuration's name"),
        *ARGUMENTS,
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print a line for each configuration."""
        found = [
            what_if(access=access, selection=selection_of(access, options, one))
            for one in options["configuration"]
        ]
        model, quality = found[0].found.model, found[0].found.quality
        rows, lines = [], []
        for one in found:
            target, predicted = one.found.target, one.found.target_time
            if target is None or predicted is None:
                continue
            violated = [] if one.violated is None else list(one.violated.conditions)
            facts = prediction_facts(target, predicted, one.found.target_measured)
            rows.append({**facts, "violated": violated})
            said = prediction_line(predicted, one.found.target_measured, model)
            broken = f"  not valid: {'; '.join(violated)}" if violated else ""
            lines.append(f"  {written(target)}  {said}{broken}")
        if options["json"]:
            self.stdout.write(json.dumps({**model_facts(model, quality), "predictions": rows}, indent=1))
            return
        self.stdout.write("\n".join([title_of(model), *lines, quality_line(found[0].found)]))
