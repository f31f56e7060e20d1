"""Runs in the environment of a package: prints as JSON which command line and modules it brings, and its help.

Copied beside a new subject by `draft_trials`: standard library only. Its argument is the package's name, "" for the one that was
installed from files.
"""

import json
import re
import subprocess
import sys
from importlib import metadata

# What a run prints is cut off at its begin: the help leaves room for the rest.
_MOST_LETTERS = 9000


def main(name: str) -> dict[str, str]:
    """Say what there is; `script` is a module that can be run, or "module:function"."""
    if not name:
        local = [one for one in metadata.distributions() if one.read_text("direct_url.json")]
        name = local[0].metadata["Name"] if local else ""
    told = {"name": name, "script": "", "module": "", "summary": "", "help": ""}
    if not name:
        return told
    package = metadata.distribution(name)
    files = [str(file) for file in package.files or ()]
    tops = [
        file.split("/")[0].removesuffix(".py")
        for file in files
        if re.fullmatch(r"[A-Za-z]\w*(/__init__)?\.py", file)
    ]
    wanted = name.lower().replace("-", "_")
    module = next((top for top in tops if top.lower() == wanted), tops[0] if tops else "")
    told |= {"name": package.metadata["Name"], "module": module, "summary": package.metadata["Summary"] or ""}
    points = [point for point in package.entry_points if point.group == "console_scripts"]
    points.sort(key=lambda point: (point.name.lower() != name.lower(), point.name))
    command: list[str] = []
    if f"{module}/__main__.py" in files:
        told["script"], command = module, ["-m", module]
    elif points:
        told["script"] = points[0].value.partition(" ")[0]
        place, _, function = told["script"].partition(":")
        call = f"import sys, {place}; sys.argv[0] = {points[0].name!r}; {place}.{function}()"
        command = ["-c", call]
    if command:
        asked = [sys.executable, *command, "--help"]
        done = subprocess.run(
            asked, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False
        )
        told["help"] = (done.stdout + done.stderr)[:_MOST_LETTERS]
    return told


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main(sys.argv[1])))
