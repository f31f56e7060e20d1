"""Fifty signed-in readers and four uploaders for a minute: how long pages, callbacks and the API take, and what goes wrong.

Web server, workers and reaper are the processes that `deploy/` starts, on a PostgreSQL and a Redis of their own, all on 127.0.0.1; the
load comes from this machine, too, and takes its share of it. What a page asks is recorded once in Chromium; a reader asks it all anew,
six requests at a time, and looks at the page for ten seconds or so. Uploaders send a new revision of a suite of 200 benchmarks, wait
until it is stored, and send the next one after five seconds.

    python -m benchmarks.bench_load [--readers 50] [--uploaders 4] [--seconds 60] [--pause 10]
"""

import argparse
import asyncio
import io
import json
import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.bench_asv import write_folder
from benchmarks.installation import Installation
from benchmarks.load import Crowd, Measured
from benchmarks.recorded_pages import Asked, record
from tools.servers import throwaway_postgresql

# Benchmarks and series of each; revisions that are there, and those that are sent.
SHAPE, HELD = (50, 4), 40
UPLOAD_PAUSE_SECONDS = 5.0
START_SECONDS = 600.0
SETTLE_SECONDS = 5.0
PAGES = (
    "/app/",
    "/app/s/markdown/",
    "/app/s/markdown/options",
    "/app/s/markdown/influences",
    "/app/s/markdown/regions",
    "/app/s/markdown/what-if",
    "/app/s/markdown/measure",
    "/app/s/markdown/reports",
    "/app/s/markdown-commits/histories",
    "/app/s/suite-0/",
    "/app/s/suite-0/histories",
)
API = (
    "/api/v1/systems",
    "/api/v1/systems/markdown",
    "/api/v1/systems/markdown/models",
    "/api/v1/systems/markdown/runs",
    "/api/v1/systems/suite-0/series",
    "/api/v1/systems/suite-0/findings",
    "/api/v1/systems/suite-1/revisions",
)
# Makes accounts with roles, links to sign in by, and tokens; prints them as JSON.
ACCOUNTS = """
import json
from django.contrib.auth.models import User
from dashboard.access import Principal
from dashboard.models import Membership, System
from dashboard.services.logins import create_login_token
from dashboard.services.tokens import create_token
made = {}
for kind, count, role, scope in (("reader", %d, "viewer", "read"), ("uploader", %d, "admin", "write")):
    made[kind] = []
    for number in range(count):
        user = User.objects.create_user(f"{kind}-{number}")
        Membership.objects.bulk_create(Membership(system=one, user=user, role=role) for one in System.objects.all())
        _, secret = create_token(principal=Principal.operator(), username=user.username, name="load", scope=scope, days=1)
        made[kind].append([f"/login/{create_login_token(username=user.username)}/", secret])
made["recorder"] = f"/login/{create_login_token(username='reader-0')}/"
print(json.dumps(made))
"""


def made_up(folder: Path, uploaders: int, sent: int) -> list[tuple[Path, list[bytes]]]:
    """For each uploader a folder of what is there already, and what it sends, a file for each revision."""
    found = []
    for number in range(uploaders):
        results = folder / f"results-{number}"
        results.mkdir()
        write_folder(results, SHAPE, {"oak": HELD + sent})
        files = []
        for revision in range(HELD, HELD + sent):
            (path,) = (results / "oak").glob(f"{f'{revision:040x}'[::-1][:8]}-*.json")
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
                for one in (results / "benchmarks.json", results / "oak/machine.json", path):
                    packed.write(one, one.relative_to(results))
            files.append(content.getvalue())
            path.unlink()
        found.append((results, files))
    return found


def fill(installation: Installation, suites: Sequence[Path]) -> None:
    """Store the demo and the suites, fitted."""
    installation.manage("migrate", "--noinput")
    installation.manage("demo")
    for number, folder in enumerate(suites):
        installation.manage("import", "asv", str(folder), "--system", f"Suite {number}")
        installation.manage("fit", f"suite-{number}")
    installation.manage("fit", "markdown-commits")


def wait_for_work(installation: Installation) -> None:
    """Wait until nothing is left to do."""
    deadline = time.monotonic() + START_SECONDS
    while installation.one("SELECT count(*) FROM dashboard_job WHERE state IN ('queued', 'running')") != 0:
        if time.monotonic() > deadline:
            raise SystemExit("the jobs of the beginning did not end")
        time.sleep(0.5)


async def press(
    crowd: Crowd,
    accounts: dict[str, list[list[str]]],
    pages: dict[str, list[Asked]],
    files: list[list[bytes]],
    pause: float,
) -> int:
    """Let everybody in; how many uploads were stored."""
    readers = [crowd.read(link, secret, pages, API, pause) for link, secret in accounts["reader"]]
    uploads = [
        crowd.upload(secret, f"suite-{number}", files[number], UPLOAD_PAUSE_SECONDS)
        for number, (_, secret) in enumerate(accounts["uploader"])
    ]

    async def begin() -> None:
        # Signing in is not what is measured.
        await asyncio.sleep(SETTLE_SECONDS)
        crowd.measured.counts = True

    others = asyncio.gather(begin(), *readers)
    stored = await asyncio.gather(*uploads)
    await others
    return sum(stored)


def report(measured: Measured, seconds: float) -> None:
    """Print percentiles of each kind, the slowest requests, and errors."""
    asked = sum(map(len, measured.by_kind.values()))
    print(
        f"{asked} requests, {asked / seconds:.0f} a second; load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores"
    )
    for kind, times in sorted(measured.by_kind.items()):
        half, most, nearly = np.quantile(times, [0.5, 0.95, 0.99]) * 1e3
        print(
            f"  {kind:22} {len(times):6} times: median {half:6.0f}, p95 {most:6.0f}, p99 {nearly:6.0f}, "
            f"longest {max(times) * 1e3:6.0f} ms"
        )
    print("  slowest by p95:")
    slow = sorted(measured.by_name.items(), key=lambda one: -np.quantile(one[1], 0.95))
    for name, times in [one for one in slow if len(one[1]) >= 5][:12]:
        print(f"    {np.quantile(times, 0.95) * 1e3:6.0f} ms of {len(times):4}: {name}")
    print(f"  errors: {sum(measured.errors.values())}")
    for name, count in measured.errors.most_common(20):
        print(f"    {count:5} {name}")


def main() -> int:
    """Measure; 1 where anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=50, help="how many read (50)")
    parser.add_argument("--uploaders", type=int, default=4, help="how many upload (4)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long (60)")
    parser.add_argument(
        "--pause", type=float, default=10.0, help="how long a page is looked at, about (10 s)"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="perfatlas-load-") as name, throwaway_postgresql() as server:
        sent = int(asked.seconds / UPLOAD_PAUSE_SECONDS) + 1
        suites = made_up(Path(name), asked.uploaders, sent)
        installation = Installation(Path(name), server)
        try:
            fill(installation, [folder for folder, _ in suites])
            told = installation.manage("shell", "-c", ACCOUNTS % (asked.readers, asked.uploaders))
            accounts = json.loads(told.splitlines()[-1])
            installation.tend()
            wait_for_work(installation)
            address = f"http://127.0.0.1:{installation.port}"
            pages = record(address, accounts["recorder"], PAGES)
            print(
                f"a page asks {sum(map(len, pages.values())) / len(pages):.0f} times in the mean", flush=True
            )
            measured = Measured()
            crowd = Crowd(address, time.monotonic() + SETTLE_SECONDS + asked.seconds, measured)
            began, before = time.process_time(), installation.processor_seconds()
            stored = asyncio.run(press(crowd, accounts, pages, [files for _, files in suites], asked.pause))
            report(measured, asked.seconds)
            used = {name: now - before[name] for name, now in installation.processor_seconds().items()}
            used["the load itself"] = time.process_time() - began
            told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in used.items())
            print(f"  processor seconds: {told}")
            wait_for_work(installation)
            print(f"  {stored} uploads stored; all jobs have ended")
        finally:
            installation.end()
    return 1 if measured.errors else 0


if __name__ == "__main__":
    sys.exit(main())
