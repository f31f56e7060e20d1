"""What a message says: one text for people, and what the webhooks of some services take."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import GAP, percent, plural
from dashboard.models import Alert, AlertRule
from dashboard.selectors.alerts import WantedFinding
from dashboard.selectors.history_list.rows import ListedHistory
from dashboard.services.public_address import public_url

_MOST_HISTORIES = 8
_LONGEST_SUBJECT = 250
_LONGEST_TEXT = {AlertRule.Shape.DISCORD: 1900}


def rule_text(rule: AlertRule) -> str:
    """`5 % or more for the worse, of all histories`: what a rule asks for, in the digits that were written."""
    smallest, certainty = (f"{100 * one:.10g}{GAP}%" for one in (rule.smallest, rule.certainty))
    text = f"{smallest} or more{' for the worse' if rule.only_worse else ''}, certain by {certainty}"
    text += f", of {rule.kind}s" if rule.kind else ", of all histories"
    text += f", {rule.quantity} alone" if rule.quantity else ""
    text += f", named {rule.words}" if rule.words else ""
    text += "" if rule.measures_again else "; not measured again"
    if rule.quiet_from and rule.quiet_until:
        text += f"; quiet from {rule.quiet_from:%H:%M} to {rule.quiet_until:%H:%M}, {rule.time_zone}"
    return text


def history_line(history: ListedHistory) -> str:
    """`+30.0 % ± 0.5 %  A + B (time)`."""
    change = history.last
    if change is None:
        return history.label
    error = f" ± {percent(100 * change.error)}" if change.error else ""
    size = percent(100 * change.relative, signed=True)
    way = ", a slow drift" if change.is_slow else ", of its share of the whole" if change.of_share else ""
    return f"{size}{error}  {history.label} ({history.quantity}{way})"


def subject_of(rule: AlertRule, wanted: Sequence[WantedFinding]) -> str:
    """`[Small] +30.0 % default (time) at r12 and 3 more histories`, in one line."""
    first, revision = wanted[0].changes[0][1], wanted[0].finding.after
    size = percent(100 * first.last.relative, signed=True) if first.last else ""
    others = sum(one.finding.histories for one in wanted) - 1
    more = f" and {plural(others, 'more history', 'more histories')}" if others else ""
    text = f"[{rule.system.name}] {size} {first.label} ({first.quantity}) at {revision_text(revision)}{more}"
    return " ".join(text.split())[:_LONGEST_SUBJECT]


def text_of(rule: AlertRule, wanted: Sequence[WantedFinding], older: int = 0) -> str:
    """The text of a message without its links; so many `older` revisions changed as well and have no message."""
    lines: list[str] = []
    for one in wanted:
        finding = one.finding
        way = "worse" if one.changes[0][0].is_worse else "better"
        pair = f"{revision_text(finding.before)} and {revision_text(finding.after)}"
        lines += [
            f"{rule.system.name} changed for the {way} between {pair}:",
            "",
            *(f"  {history_line(history)}" for _, history in one.changes[:_MOST_HISTORIES]),
        ]
        if (others := finding.histories - min(len(one.changes), _MOST_HISTORIES)) > 0:
            lines.append(f"  and {plural(others, 'more history', 'more histories')}")
        certainty = max((history.last.certainty or 0.0) for _, history in one.changes if history.last)
        lines += ["", f"Certainty that there is a step at all: {percent(100 * certainty)}.", ""]
    if older:
        lines.append(f"{plural(older, 'older revision')} changed as well: see the list of changes.")
    return "\n".join(lines)


def with_links(alert: Alert, link: str) -> str:
    """The whole text for one recipient; `link` is where it is acknowledged."""
    rule = alert.rule
    own = public_url(f"/systems/{rule.system.slug}/alerts/", opened_at=rule.opened_at)
    return (
        f"{alert.text}\n{alert.outcome}\n\nSee and acknowledge it: {link}\n\n"
        f"The rule {rule.name!r} told this; admins of {rule.system.name} change it at {own}\n"
    )


def test_message(rule: AlertRule) -> tuple[str, str]:
    """Subject, in one line, and text of a test of a rule."""
    own = public_url(f"/systems/{rule.system.slug}/alerts/", opened_at=rule.opened_at)
    text = f"Nothing changed: this is a test of the rule {rule.name!r} of {rule.system.name}.\n\n{own}\n"
    subject = f"[{rule.system.name}] Test of the rule {rule.name}"
    return " ".join(subject.split())[:_LONGEST_SUBJECT], text


def webhook_body(rule: AlertRule, subject: str, text: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """What the rule's webhook takes. `about` are facts for programs, which JSON alone carries."""
    whole = f"{subject}\n\n{text}"[: _LONGEST_TEXT.get(AlertRule.Shape(rule.shape), 20_000)]
    if rule.shape == AlertRule.Shape.SLACK:
        escaped = whole.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return {"text": escaped}
    if rule.shape == AlertRule.Shape.DISCORD:
        # Names of histories address nobody.
        return {"content": whole, "allowed_mentions": {"parse": []}}
    if rule.shape == AlertRule.Shape.TEAMS:
        block = {"type": "TextBlock", "wrap": True}
        card = {
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": [{**block, "weight": "Bolder", "text": subject}, {**block, "text": text}],
        }
        kind = "application/vnd.microsoft.card.adaptive"
        return {"type": "message", "attachments": [{"contentType": kind, "content": card}]}
    return {"title": subject, "body": text, "type": "warning", **about}
