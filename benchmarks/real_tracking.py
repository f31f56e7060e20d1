"""What counts add to `track`: planted slow-downs in the history of a real program, found with and without, in the same time.

Program and plants are those of `real_searches`: mistune, 35 commits, from one of them on, drawn by lot, some of 100 equal documents are parsed
twice. Each history is tracked twice with one budget, in turns: with counts and with times alone. A stated change that is not the planted one may
be one of mistune's own: it is searched again between its two commits, with an error of 0.1 %.

Takes half an hour, so `make bench` leaves it out:

    git clone https://github.com/lepture/mistune
    python -m benchmarks.real_tracking mistune [--histories 5] [--seconds 120] [--sizes 0 5] [--burners]
"""

import argparse
import json
import shutil
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.real_searches import (
    CHECK_ERROR,
    ENTRY,
    FIRST,
    LAST,
    SEED,
    SOURCE,
    SUBJECT,
    Installation,
    busy,
    git,
    planted,
)

WAYS = {"with counts": (), "times alone": ("--no-counts",)}


def tracked(installation: Installation, commits: list[str], size: int, number: int, way: str) -> Counter[str]:
    """Track once and tell of it: what became of the plant, and of the other changes that were stated."""
    folder = installation.folder
    at = int(np.random.default_rng([SEED, size, number, 7]).integers(1, len(commits)))
    name = f"Tracked {size} {number} {way.split(maxsplit=1)[0]}"
    subject, branch = folder / name.replace(" ", "-"), f"tracked-{size}-{number}-{way.split(maxsplit=1)[0]}"
    subject.mkdir()
    made = planted(folder / "repository", branch, commits, at, size)
    toml = SUBJECT.format(name=name, repository=folder / "repository", branch=branch)
    (subject / "subject.toml").write_text(toml.replace("counts = false\n", ""))
    (subject / "rendering.py").write_text(ENTRY)
    began = time.monotonic()
    words = ("track", str(subject), "--budget", f"{installation.seconds}s", "--json", *WAYS[way])
    result: dict[str, Any] = json.loads(installation.command(*words))["result"]
    found = Counter[str]()
    for change in result["changes"]:
        is_planted = bool(size) and made.index(change["before"]) < at <= made.index(change["after"])
        stated = change["error_probability"] is not None
        if not stated:
            found["planted, undecided" if is_planted else "other, undecided"] += 1
        elif is_planted:
            found["planted"] += 1
            found["interval holds"] += change["relative_low"] <= size / 100 <= change["relative_high"]
            found["functions named"] += bool(change["functions"])
        else:
            check = installation.bisect(subject, change["before"], change["after"], CHECK_ERROR)
            found["other, confirmed" if "error_probability" in check else "other, not confirmed"] += 1
    told = {"size": size, "number": number, "way": way, "commit": made[at][:10], **found}
    told |= {"seconds": round(time.monotonic() - began), "counted": result.get("counted", "")}
    told |= {"sentences": [change["sentence"] for change in result["changes"]]}
    print(json.dumps(told), flush=True)
    return found


def main() -> None:
    """Print each tracking as a line of JSON, and a table."""
    parser = argparse.ArgumentParser(
        description="Tracks planted slow-downs in the history of mistune, with counts and without."
    )
    parser.add_argument("clone", type=Path, help="a clone of mistune")
    parser.add_argument("--histories", type=int, default=5, help="of each size (5)")
    parser.add_argument("--seconds", type=int, default=120, help="the budget of each (120)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 5], help="per cent (0 5)")
    parser.add_argument("--burners", action="store_true", help="keep every core busy meanwhile")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-tracking-"))
    try:
        git(folder, "clone", "--quiet", "--no-checkout", str(asked.clone), "repository")
        log = ("log", "--reverse", "--first-parent", "--format=%H", f"{FIRST}~1..{LAST}", "--", SOURCE)
        commits = git(folder / "repository", *log).split()
        installation = Installation(folder, asked.seconds)
        outcomes = {(size, way): Counter[str]() for size in asked.sizes for way in WAYS}
        with busy(8 * asked.seconds * asked.histories) if asked.burners else nullcontext():
            for number in range(asked.histories):
                for size in asked.sizes:
                    for way in WAYS if number % 2 else reversed(WAYS):
                        outcomes[size, way] += tracked(installation, commits, size, number, way)
        columns = ("planted", "planted, undecided", "other, confirmed", "other, not confirmed")
        print("size  way           " + "  ".join(columns))
        for (size, way), found in outcomes.items():
            print(f"{size:>3} % {way:<12} " + "  ".join(f"{found[one]:>{len(one)}}" for one in columns))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
