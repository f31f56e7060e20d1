"""An installation whose parts are killed and cut off, and whose clock jumps; what the web server says meanwhile is kept."""

import contextlib
import os
import random
import re
import signal
import time
import urllib.error
import urllib.request
from collections import Counter
from functools import cached_property
from pathlib import Path

from benchmarks.installation import DATABASE, ROOT, Installation, descendants

CUT_SECONDS = 3.0
# A web server that was killed just before starts first.
ANSWER_SECONDS = 20.0
# Seconds that the clock is then ahead.
JUMPS = (3600, -3600, 40, 0)
COOKIE = "from django.conf import settings; print(settings.SESSION_COOKIE_NAME)"


class Hurt(Installation):
    """`hurt` counts what was done to it, `said` what a page answered while the database was cut off."""

    def __init__(self, folder: Path, server: str) -> None:
        super().__init__(folder, server)
        self.hurt: Counter[str] = Counter()
        self.said: Counter[str] = Counter()
        self._clock = folder / "clock"
        self._set_clock(0)
        # Its `sitecustomize` is what Python runs first.
        clock = {
            "PYTHONPATH": str(ROOT / "benchmarks/jumping_clock"),
            "PERFATLAS_BENCH_CLOCK": str(self._clock),
        }
        self.place |= clock

    def fault(self, chance: random.Random) -> None:
        """Hurt one part."""
        what = chance.choice([*self.commands, "what measures", "PostgreSQL", "Redis", "the clock"])
        if what == "PostgreSQL":
            self.admin.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false".encode())
            self.admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [DATABASE]
            )
            self.said[self.page()] += 1
            time.sleep(CUT_SECONDS)
            self.admin.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true".encode())
        elif what == "Redis":
            self.redis.kill()
            self.redis.wait()
            time.sleep(CUT_SECONDS)
            self.redis = self.start_redis()
        elif what == "what measures":
            below = descendants(self.processes["worker measure"].pid)
            if not below:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(below), signal.SIGKILL)
        elif what == "the clock":
            self._set_clock(chance.choice(JUMPS))
        else:
            self.kill(what)
        self.hurt[what] += 1

    def _set_clock(self, ahead: int) -> None:
        """At once: nobody reads half a file."""
        new = self._clock.with_suffix(".new")
        new.write_text(str(ahead))
        new.rename(self._clock)

    @cached_property
    def _cookie(self) -> str:
        """The name of the cookie that holds a session."""
        return self.manage("shell", "-v", "0", "-c", COOKIE).strip()

    def page(self) -> str:
        """The status and the heading of a page that asks who one is."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/app/", headers={"Cookie": f"{self._cookie}={'a' * 32}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 -- likewise
                return str(answer.status)
        except urllib.error.HTTPError as answer:
            heading = re.search(r"<h1>(.*?)</h1>", answer.read().decode())
            return f"{answer.code} {heading[1] if heading else 'without a sentence'}"
        except OSError as error:
            return f"no answer: {type(error).__name__}"
