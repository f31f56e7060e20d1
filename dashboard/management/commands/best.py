"""`manage.py best SYSTEM`: the best and the worst configuration under constraints, and the best single changes."""

import json
from typing import Any

from dashboard.access import Access
from dashboard.figures.numbers import number
from dashboard.management.system_command import SystemCommand, argument
from dashboard.management.what_if_output import (
    ARGUMENTS,
    change_facts,
    front_facts,
    front_lines,
    model_facts,
    prediction_facts,
    prediction_line,
    recommendation_lines,
    selection_of,
    title_of,
    written,
)
from dashboard.selectors.two_metrics import two_metrics
from dashboard.selectors.what_if import recommendations, what_if


class Command(SystemCommand):
    """Print the configurations with the best and the worst prediction."""

    help = (
        "Names the valid configurations with the best and the worst prediction, and the best single changes."
    )

    arguments = (
        argument("--from", dest="start", default="default", help="changes start here: a=on,b=off (default)"),
        argument("--fix", default="", help="options that keep their level there: a,b"),
        argument("--against", default="", help="the Pareto front with this other metric, as memory"),
        *ARGUMENTS,
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print both, then what to change first."""
        selection = selection_of(access, options, options["start"])
        fixed = [name.strip() for name in options["fix"].split(",") if name.strip()]
        if options["against"]:
            front = two_metrics(access=access, selection=selection, against=options["against"], fixed=fixed)
            told_front = json.dumps(front_facts(front), indent=1)
            self.stdout.write(told_front if options["json"] else "\n".join(front_lines(front)))
            return
        found = what_if(access=access, selection=selection)
        best, worst = recommendations(access=access, selection=selection, fixed=fixed)
        model, quality = found.found.model, found.found.quality
        named = {name: one for name, one in (("best", best), ("worst", worst)) if one is not None}
        if options["json"]:
            told: dict[str, Any] = {
                **model_facts(model, quality),
                "from": dict(found.found.target.differences) if found.found.target else {},
                "fixed": fixed,
                "best": None,
                "worst": None,
                "single_changes": [change_facts(one) for one in found.better],
            }
            for name, one in named.items():
                facts = prediction_facts(one.configuration, one.predicted, one.measured)
                told[name] = {**facts, "proven": one.is_proven}
            self.stdout.write(json.dumps(told, indent=1))
            return
        lines = [title_of(model)]
        for name, one in named.items():
            said = prediction_line(one.predicted, one.measured, model)
            unproven = "" if one.is_proven else "; the search ended before it was sure that there is no other"
            lines.append(f"  {name:<5}  {written(one.configuration)}  {said}{unproven}")
        if not named:
            lines.append("  no valid configuration is predicted")
        lines += [
            f"  change {one.change.option} from {one.change.from_level} to {one.change.to_level}: "
            f"{number(one.difference.value, one.difference.margin, model.unit, signed=True)}"
            for one in found.better
        ]
        self.stdout.write("\n".join([*lines, *recommendation_lines(found.found)]))
