"""Readers and uploaders of an installation, many at a time: what they ask, how long answers take, and what went wrong."""

import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import httpx

from benchmarks.recorded_pages import Asked

# As many as a browser asks at a time.
AT_A_TIME = 6
TIMEOUT_SECONDS = 30.0
JOBS_OUTPUT = "jobs-count"
POLL_SECONDS = 2.0
# Of ten things that a reader does, so many are reads through the API.
API_OF_TEN = 2


@dataclass
class Measured:
    """Seconds of each request by kind and by name, and what went wrong."""

    by_kind: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_name: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    counts: bool = False

    def note(self, kind: str, name: str, seconds: float, error: str) -> None:
        """One answer, or what came instead."""
        if self.counts:
            self.by_kind[kind].append(seconds)
            self.by_name[f"{kind} {name}"].append(seconds)
            if error:
                self.errors[f"{kind} {name}: {error}"] += 1


@dataclass(frozen=True, slots=True)
class Crowd:
    """Where people are, until when (monotonic clock), and what is measured of them."""

    address: str
    until: float
    measured: Measured

    async def ask(self, client: httpx.AsyncClient, asked: Asked) -> httpx.Response | None:
        """Ask, and note how long the answer took."""
        return await self.send(client, asked.request_of(client), asked.kind, asked.name)

    async def send(
        self, client: httpx.AsyncClient, request: httpx.Request, kind: str, name: str
    ) -> httpx.Response | None:
        """Send a request; None where no answer came."""
        began = time.monotonic()
        answer, error = None, ""
        try:
            answer = await client.send(request)
            error = str(answer.status_code) if answer.status_code >= 400 else ""
        except httpx.HTTPError as failed:
            error = type(failed).__name__
        self.measured.note(kind, name, time.monotonic() - began, error)
        return answer

    async def read(
        self,
        login_path: str,
        secret: str,
        pages: Mapping[str, Sequence[Asked]],
        api: Sequence[str],
        pause: float,
    ) -> None:
        """A reader: signs in, opens a page or asks the API, looks at it for `pause` seconds or so, again and again."""
        chance = random.Random(login_path)  # noqa: S311 -- what is read when is no secret
        async with httpx.AsyncClient(
            base_url=self.address, timeout=TIMEOUT_SECONDS, follow_redirects=True
        ) as client:
            await client.get(login_path)
            await asyncio.sleep(chance.uniform(0, pause))
            while time.monotonic() < self.until:
                polled = None
                if chance.randrange(10) < API_OF_TEN:
                    path = chance.choice(api)
                    request = client.build_request("GET", path, headers={"Authorization": f"Bearer {secret}"})
                    await self.send(client, request, "API read", path)
                else:
                    polled = await self._open(client, pages[chance.choice(list(pages))])
                await self._look(client, chance.uniform(0.5, 1.5) * pause, polled)

    async def _open(self, client: httpx.AsyncClient, page: Sequence[Asked]) -> Asked | None:
        """Open a page as a browser does; the callback that polls while a job is active, None where none is."""
        first, *rest = page
        await self.ask(client, first)
        limit = asyncio.Semaphore(AT_A_TIME)

        async def one(asked: Asked) -> Asked | None:
            async with limit:
                answer = await self.ask(client, asked)
            if JOBS_OUTPUT not in asked.body or answer is None or answer.status_code != httpx.codes.OK:
                return None
            return asked if '"disabled":false' in answer.text.replace(" ", "") else None

        for wave in ("frame", "callback"):
            found = await asyncio.gather(*(one(asked) for asked in rest if asked.kind == wave))
        return next((asked for asked in found if asked is not None), None)

    async def _look(self, client: httpx.AsyncClient, seconds: float, polled: Asked | None) -> None:
        end = min(time.monotonic() + seconds, self.until)
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(left, POLL_SECONDS) if polled else left)
            if polled and end > time.monotonic():
                await self.ask(client, polled)

    async def upload(self, secret: str, system: str, files: Sequence[bytes], pause: float) -> int:
        """An uploader: sends a file, waits until it is in, looks away for a while, sends the next; how many are in."""
        done = 0
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(
            base_url=f"{self.address}/api/v1", timeout=TIMEOUT_SECONDS, headers=headers
        ) as client:
            for content in files:
                if time.monotonic() >= self.until:
                    break
                request = client.build_request(
                    "POST",
                    "/imports",
                    data={"format": "asv", "system": system},
                    files={"file": ("results.zip", content)},
                )
                answer = await self.send(client, request, "upload", "POST /imports")
                if answer is not None and answer.status_code == httpx.codes.ACCEPTED:
                    done += await self._follow(client, json.loads(answer.text)["job_id"])
                await asyncio.sleep(pause)
        return done

    async def _follow(self, client: httpx.AsyncClient, job: int) -> bool:
        """Ask for a job until it has ended; whether it is done."""
        began = time.monotonic()
        while True:
            answer = await self.send(
                client, client.build_request("GET", f"/jobs/{job}"), "API read", "/jobs/N"
            )
            state = json.loads(answer.text).get("state") if answer is not None and answer.is_success else None
            if state == "done":
                self.measured.note("import, sent to stored", "asv", time.monotonic() - began, "")
                return True
            if state in ("failed", "cancelled") or time.monotonic() > self.until + TIMEOUT_SECONDS:
                self.measured.note("import, sent to stored", "asv", time.monotonic() - began, str(state))
                return False
            await asyncio.sleep(1.0)
