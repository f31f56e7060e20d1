"""`perfatlas`: sending results, fitting and asking what changed, with the words of `manage.py`.

Exit codes: 0 done, 1 failed or changed for the worse, 2 bad input.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import urllib.parse
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from perfatlas.connection import TOKEN, URL, BadInput, Connection, Failed
from perfatlas.summary import (
    comparison_markdown,
    confirmed,
    difference_in_words,
    in_words,
    markdown,
    possible,
)

DONE, FAILED, BAD_INPUT = 0, 1, 2
_WAITED_FOR = ("fit histories", "import")
Output = Callable[[str], None]


def arguments() -> argparse.ArgumentParser:
    """What may stand behind `perfatlas`."""
    parser = argparse.ArgumentParser(
        prog="perfatlas", description=f"Asks a Perfatlas; its address and a token are in {URL} and {TOKEN}."
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    sent = verbs.add_parser("import", help="send a file or folder of measurements, and wait for its import")
    sent.add_argument("format", metavar="FORMAT", help="what it holds, as csv, asv or bundle")
    sent.add_argument("path", metavar="PATH", type=Path, help="a file, or a folder, which is sent as a zip")
    setting = "a setting of the format, as map=A=option"
    sent.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    base = "of an unmerged branch: where it left the main line; of several, the nearest first, the first known one counts"
    sent.add_argument("--base", nargs="+", action="extend", default=[], metavar="REVISION", help=base)
    sent.add_argument("--key", default="", help="sent twice with one key it is imported once (a digest)")
    fit = verbs.add_parser("fit", help="search histories that are new or have moved for changes, and wait")
    found = verbs.add_parser("findings", help="what changed at a revision")
    found.add_argument("--revision", required=True, help="its name, or the beginning of its commit")
    found.add_argument(
        "--fail-on",
        choices=("confirmed", "possible", "never"),
        default="never",
        help="exit with 1 for a change for the worse that is told and that nobody is done with; or also for one that may have happened",
    )
    compared = _compare_arguments(verbs)
    for verb in (found, compared):
        verb.add_argument(
            "--markdown",
            action="store_true",
            help="one comment for a merge request; nothing where nothing changed",
        )
    told = verbs.add_parser("alerts", help="the rules that tell people of changes, and what they told")
    told.add_argument(
        "--test", type=int, metavar="RULE", help="send a test to everybody whom this rule tells"
    )
    verbs.add_parser("mcp", help="answer what an assistant asks, by the Model Context Protocol")
    for verb in (sent, fit, found, compared, told):
        verb.add_argument("--system", required=True, help="the system's name or address")
        verb.add_argument("--json", action="store_true", help="print the answer as JSON")
        verb.add_argument(
            "--wait", type=float, default=600.0, metavar="SECONDS", help="so long at most for jobs (600)"
        )
    return parser


def _compare_arguments(verbs: Any) -> argparse.ArgumentParser:
    compared: argparse.ArgumentParser = verbs.add_parser(
        "compare", help="what differs between a revision and the one before it, or its branch's base"
    )
    compared.add_argument("--revision", required=True, help="its name, or the beginning of its commit")
    compared.add_argument("--before", default="", metavar="REVISION", help="compared with this one instead")
    compared.add_argument(
        "--fail-on",
        choices=("confirmed", "possible", "never"),
        default="never",
        help="exit with 1 for a series that is worse at the false-alarm rate of the system; or also for one that is told to differ",
    )
    return compared


def run(given: Sequence[str], connection: Connection, out: Output, say: Output) -> int:
    """Do what the arguments ask for; results go to `out`, progress to `say`. Raises `Failed` and `BadInput`."""
    asked = arguments().parse_args(given)
    if asked.verb == "mcp":
        try:
            from perfatlas.assistants import serve  # noqa: PLC0415 -- it needs a package that no build has
        except ModuleNotFoundError as error:
            raise BadInput(f"mcp needs a package that is not here ({error.name}): pip install mcp") from error
        serve(connection)
        return DONE
    if asked.verb == "import":
        return _import(asked, connection, out, say)
    system = _system(connection, asked.system)
    if asked.verb == "fit":
        job = connection.post(f"/systems/{system['slug']}/jobs/fit")
        return _ended(job and connection.follow(job["job_id"], asked.wait, say), asked, out)
    if asked.verb == "alerts":
        return _alerts(asked, f"/systems/{system['slug']}/alerts", connection, out, say)
    for job in connection.pages("/jobs", system=system["slug"], active="true"):
        if job["kind"] in _WAITED_FOR:
            connection.follow(job["job_id"], asked.wait, say)
    if asked.verb == "compare":
        return _compare(asked, system, connection, out)
    return _findings(asked, system, connection, out, say)


def main() -> int:
    """Run as a program: errors go to standard error, and never hold the token."""
    arguments().parse_args(sys.argv[1:])

    def out(text: str) -> None:
        sys.stdout.write(f"{text}\n")

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    try:
        return run(sys.argv[1:], Connection.of_environment(), out, say)
    except Failed as error:
        say(f"perfatlas: {error}")
        return FAILED
    except BadInput as error:
        say(f"perfatlas: {error}")
        return BAD_INPUT
    except KeyboardInterrupt:
        say("perfatlas: interrupted; what was sent goes on")
        return FAILED


def _import(asked: argparse.Namespace, connection: Connection, out: Output, say: Output) -> int:
    path: Path = asked.path
    if not path.exists():
        raise BadInput(f"{path}: there is no such file or folder")
    with tempfile.TemporaryDirectory() as folder:
        file = path if path.is_file() else _zipped(path, Path(folder))
        fields = [
            ("format", asked.format),
            ("system", asked.system),
            *(("settings", one) for one in asked.set),
            *(("settings", f"base={one}") for one in asked.base),
        ]
        told = hashlib.sha256(json.dumps(fields).encode() + file.read_bytes()).hexdigest()
        job = connection.send("/imports", file, asked.key or told, fields)
    return _ended(connection.follow(job["job_id"], asked.wait, say), asked, out)


def _zipped(path: Path, folder: Path) -> Path:
    """A zip of a folder, the same one for the same files."""
    made = folder / f"{path.resolve().name}.zip"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file() and not file.is_symlink():
                about = zipfile.ZipInfo(file.relative_to(path).as_posix())
                about.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(about, file.read_bytes())
    return made


def _ended(job: Any, asked: argparse.Namespace, out: Output) -> int:
    """Tell how a job ended; None stands for none that was needed."""
    if asked.json:
        out(json.dumps(job, indent=1))
    elif job is None:
        out("nothing is to be fitted")
    elif job["state"] == "done":
        out(f"{job['title']}: {job['result'].get('in_words', 'done')}")
    if job is None or job["state"] == "done":
        return DONE
    raise Failed(f"{job['title']} ended as {job['state']}: {job['error'] or job['message'] or 'see its log'}")


def _system(connection: Connection, name: str) -> Mapping[str, Any]:
    rows = list(connection.pages("/systems"))
    for system in rows:
        if name in {system["slug"], system["name"]}:
            return dict(system)
    known = ", ".join(system["slug"] for system in rows) or "none"
    raise BadInput(f"there is no system {name!r} that the token opens; there are: {known}")


def _findings(
    asked: argparse.Namespace, system: Mapping[str, Any], connection: Connection, out: Output, say: Output
) -> int:
    found = connection.get(f"/systems/{system['slug']}/findings", revision=asked.revision, limit=500)
    if asked.json:
        out(json.dumps(found, indent=1))
    elif asked.markdown:
        address = f"{connection.address}/app/s/{system['slug']}/histories"
        if text := markdown(system["name"], asked.revision, found, address):
            out(text)
    else:
        out("\n".join(map(in_words, found["rows"])) or f"nothing is told to have changed at {asked.revision}")
    if found["unfitted"]:
        say(f"{found['unfitted']} histories were not searched yet: perfatlas fit --system {system['slug']}")
    failing = {"never": [], "confirmed": confirmed(found), "possible": confirmed(found) + possible(found)}
    return FAILED if failing[asked.fail_on] else DONE


def _compare(
    asked: argparse.Namespace, system: Mapping[str, Any], connection: Connection, out: Output
) -> int:
    given = {"after": asked.revision, "before": asked.before, "told": "differs"}
    found = connection.get(f"/systems/{system['slug']}/comparison", **given, limit=500)
    before, after = found["before"]["name"], found["after"]["name"]
    if asked.json:
        out(json.dumps(found, indent=1))
    elif asked.markdown:
        pair = urllib.parse.urlencode({"since": before, "revision": after})
        address = f"{connection.address}/app/s/{system['slug']}/compare?{pair}"
        if text := comparison_markdown(system["name"], found, address):
            out(text)
    else:
        lines = map(difference_in_words, found["rows"])
        out("\n".join(lines) or f"nothing is told to differ between {before} and {after}")
    worse = [one for one in found["rows"] if one["is_worse"]]
    failing = {"never": [], "confirmed": [one for one in worse if one["is_confirmed"]], "possible": worse}
    return FAILED if failing[asked.fail_on] else DONE


def _alerts(asked: argparse.Namespace, path: str, connection: Connection, out: Output, say: Output) -> int:
    if asked.test is not None:
        sent = connection.post(f"{path}/rules/{asked.test}/test")
        say(f"messages on the way: {sent['messages']}")
    rules = list(connection.pages(f"{path}/rules"))
    alerts = list(connection.pages(path))
    if asked.json:
        out(json.dumps({"rules": rules, "alerts": alerts}, indent=1))
        return DONE
    for rule in rules:
        to = ", ".join([*rule["people"], *rule["teams"], *filter(None, [rule["webhook_host"]])])
        off = "" if rule["is_on"] else " (off)"
        out(f"rule {rule['rule_id']}{off}  {rule['name']}: {rule['asks']}; tells {to}")
    for alert in alerts:
        out(f"{alert['made_at'][:16].replace('T', ' ')}  {alert['subject']}  {alert['state']}")
    return DONE
