"""What changed at a revision, for people: in lines of a terminal, and as one comment in Markdown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# Who keeps a comment up to date finds it by its first line.
MARKER = "<!-- perfatlas: {system} -->"
_MOST_ROWS = 20
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!~&@])")
Finding = Mapping[str, Any]


def confirmed(found: Mapping[str, Any]) -> list[Finding]:
    """Changes for the worse that are told and that nobody is done with: what a build fails on."""
    return [one for one in found["rows"] if _change(one)["is_worse"]]


def possible(found: Mapping[str, Any]) -> list[Finding]:
    """Changes for the worse that may have happened, but have not what is needed to tell them."""
    candidates = [rows for rows in found["filtered"] if rows["verdict"] == "candidate"]
    return [one for rows in candidates for one in rows["rows"] if _change(one)["is_worse"]]


def in_words(finding: Finding) -> str:
    """`+30.0 % ± 0.5 % A + B (time) and 3 more histories, between r3 and r4`."""
    shown = finding["shown"][0]
    others = finding["histories"] - 1
    more = f" and {others} more {'history' if others == 1 else 'histories'}" if others else ""
    return (
        f"{_size(finding)} {shown['label']} ({shown['quantity']}){more}, "
        f"between {finding['before']} and {finding['after']}"
    )


def markdown(system: str, revision: str, found: Mapping[str, Any], address: str) -> str:
    """The comment; "" where nothing is told to have changed."""
    worse, told = confirmed(found), found["rows"]
    if not told:
        return ""
    better = len(told) - len(worse)
    head = _count(len(worse), "change for the worse", "changes for the worse")
    if better:
        head += f", {_count(better, 'change for the better', 'changes for the better')}"
    lines = [
        MARKER.format(system=system),
        f"**Performance of {_plain(system)} at {_plain(revision)}**: {head}",
        "",
    ]
    lines += [*_table([*worse, *(one for one in told if one not in worse)]), ""]
    if maybe := possible(found):
        lines += [f"{_count(len(maybe), 'more change', 'more changes')} may have happened.", ""]
    if waiting := found["unfitted"]:
        lines += [f"{_count(waiting, 'history was', 'histories were')} not searched yet.", ""]
    return "\n".join([*lines, f"[All findings]({address})", ""])


def difference_in_words(one: Finding) -> str:
    """`+30.0 % (28.1 to 31.9 %) A + B (time)`; one that may be noise says so."""
    doubt = "" if one["is_confirmed"] else ", may be noise"
    series = one["series"]
    return f"{_share(one['relative'])}{_interval(one)} {series['label']} ({_measure(series)}){doubt}"


def comparison_markdown(system: str, found: Mapping[str, Any], address: str) -> str:
    """The comment on two revisions; "" where nothing is told to differ."""
    rows = found["rows"]
    if not rows:
        return ""
    worse = sum(one["is_worse"] for one in rows)
    heads = (
        (worse, "series is worse", "series are worse"),
        (len(rows) - worse, "series is better", "series are better"),
    )
    head = ", ".join(_count(number, *words) for number, *words in heads if number)
    before, after = (_plain(found[side]["name"]) for side in ("before", "after"))
    left = ", which its branch left" if found["after"].get("base") == found["before"]["name"] else ""
    lines = [
        MARKER.format(system=system),
        f"**Performance of {_plain(system)} at {after}**, compared with {before}{left}: {head}",
        "",
        "| difference | 95 % interval | series | told |",
        "|---:|---|---|---|",
    ]
    for one in sorted(rows, key=lambda one: not one["is_worse"])[:_MOST_ROWS]:
        series = one["series"]
        name = f"{_plain(series['label'])} ({_plain(_measure(series))})"
        told = "confirmed" if one["is_confirmed"] else "may be noise"
        lines.append(f"| {_share(one['relative'])} | {_interval(one).strip(' ()')} | {name} | {told} |")
    if found["total"] > _MOST_ROWS:
        lines.append(f"| | | {found['total'] - _MOST_ROWS} more | |")
    if found["middle"] is not None:
        middle = f"The middle of all differences of times is {_share(found['middle'])}: so much may be the machine."
        lines += ["", middle]
    return "\n".join([*lines, "", f"[Everything at both revisions]({address})", ""])


def _measure(series: Mapping[str, Any]) -> str:
    """What was measured: the time of one clock, or the quantity."""
    return {"cpu": "CPU time", "wall": "wall time"}.get(series["clock"], str(series["quantity"]))


def _share(part: float | None) -> str:
    """`+3.2 %`, with a minus as it is set; `?` where it is not known."""
    return "?" if part is None else f"{part:+.1%}".replace("%", " %").replace("-", "\N{MINUS SIGN}")


def _interval(one: Finding) -> str:
    """` (2.1 to 4.3 %)`; "" where the noise is not known."""
    if one["low"] is None or one["high"] is None:
        return ""
    low, high = (f"{100 * one[side]:.1f}".replace("-", "\N{MINUS SIGN}") for side in ("low", "high"))
    return f" ({low} to {high} %)"


def _table(findings: Sequence[Finding]) -> Iterator[str]:
    yield "| change | history | between | state |"
    yield "|---:|---|---|---|"
    for one in findings[:_MOST_ROWS]:
        shown, others = one["shown"][0], one["histories"] - 1
        name = f"{_plain(shown['label'])} ({_plain(shown['quantity'])})" + (
            f", {others} more" if others else ""
        )
        between = f"{_plain(one['before'])} and {_plain(one['after'])}"
        yield f"| {_size(one)} | {name} | {between} | {one['triage']['state']} |"
    if len(findings) > _MOST_ROWS:
        yield f"| | {len(findings) - _MOST_ROWS} more | | |"


def _change(finding: Finding) -> Any:
    return finding["shown"][0]["last"]


def _size(finding: Finding) -> str:
    change = _change(finding)
    if change["relative"] is None:
        return "?"
    error = "" if not change["error"] else f" ± {change['error']:.1%}"
    return f"{change['relative']:+.1%}{error}".replace("%", " %").replace("-", "\N{MINUS SIGN}")


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line: names come from programs, and address nobody."""
    return (
        _SPECIAL.sub(r"\\\1", " ".join(text.split()))
        .replace("\\@", "@\N{ZERO WIDTH SPACE}")
        .replace("\\<", "&lt;")
    )
