"""`manage.py alerts SYSTEM`: who is told of what, a test of a rule, and what is due."""

import json
from typing import Any

from dashboard.access import Access
from dashboard.management.system_command import SystemCommand, argument
from dashboard.selectors.alerts import list_alerts, list_rules
from dashboard.services.alerts.confirmation import decide_due
from dashboard.services.alerts.delivering import deliver_due
from dashboard.services.alerts.messages import rule_text
from dashboard.services.alerts.noticing import notice
from dashboard.services.alerts.rules import test_rule
from dashboard.services.alerts.webhooks import host_of


class Command(SystemCommand):
    """Rules and what was told in the terminal."""

    help = "Lists the rules that tell people of a system's changes, and what they told; sends a test, or what is due."
    arguments = (
        argument("--test", type=int, metavar="RULE", help="send a test to everybody whom this rule tells"),
        argument(
            "--send",
            action="store_true",
            help="look for changes to tell, and send every message that is due, here and now",
        ),
        argument("--json", action="store_true", help="one JSON object per line"),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Do what is asked for, and list."""
        if options["test"] is not None:
            many = test_rule(access=access, rule_id=options["test"])
            self.note(f"messages on the way: {many}")
        if options["send"]:
            made = notice(access=access)
            decide_due()
            counts = deliver_due()
            self.note(f"{made} new, {counts['sent']} sent, {counts['failed']} not sent")
        for rule in list_rules(access=access):
            to = [str(one.user or one.team) for one in rule.recipients.all()]
            to += [host_of(rule.webhook)] if rule.webhook else []
            row = {"rule": rule.pk, "name": rule.name, "on": rule.is_on, "asks": rule_text(rule), "to": to}
            words = f"rule {rule.pk}{'' if rule.is_on else ' (off)'}  {rule.name}: {row['asks']}; tells {', '.join(to)}"
            self.stdout.write(json.dumps(row) if options["json"] else words)
        for alert, by in list_alerts(access=access):
            messages = {
                f"{one.to}": one.state + (f" ({one.reason})" if one.reason else "")
                for one in alert.deliveries.all()
            }
            row = {
                "alert": alert.pk,
                "made_at": f"{alert.made_at:%Y-%m-%dT%H:%M:%SZ}",
                "revision": alert.revision.name,
                "subject": alert.subject,
                "state": alert.state,
                "confirmed": alert.is_confirmed,
                "outcome": alert.outcome,
                "spoken_of_by": by,
                "messages": messages,
            }
            told = ", ".join(f"{to}: {state}" for to, state in messages.items())
            words = f"{alert.made_at:%Y-%m-%d %H:%M}  {alert.subject}  {told or alert.state}"
            self.stdout.write(json.dumps(row) if options["json"] else words)
