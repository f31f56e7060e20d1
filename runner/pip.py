"""Pip, run apart from everything else: installing a package may run its code."""

import ast
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from .errors import IsolationImpossible
from .interpreters import Interpreter, interpreter
from .processes import ProcessLimits, ProcessOutcome, never, run
from .sandboxes import Reach, interpreter_places, sandbox_of
from .state import RunnerState, locked

# Where pip finds packages is the person's decision; everything else of their configuration stays outside.
_FORWARDED = (
    "index-url", "extra-index-url", "find-links", "no-index", "trusted-host", "cert", "client-cert", "proxy",
    "timeout", "default-timeout", "retries", "prefer-binary",
)  # fmt: skip
_VARIABLES = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
)  # fmt: skip
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
_GIGABYTE = 1024**3
# What mirrors call the folder of their files; not all of the folder around, which may hold anything.
_BESIDE_PAGES = ("packages", "files")
_COMPLETE = "complete"
_TRACEBACK = "Traceback (most recent call last):"


def make_environment(base: Interpreter, folder: Path, *, with_pip: bool = False) -> None:
    """Make an empty virtual environment in `folder`; raises `IsolationImpossible` with the reason if it fails."""
    options = ["--clear"] if with_pip else ["--clear", "--without-pip"]
    made = subprocess.run(
        [str(base.executable), "-I", "-m", "venv", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**base.environment, "PATH": SEARCH_PATH},
        # The subject's user runs it, whatever our own umask is.
        umask=0o022,
    )
    if made.returncode != 0:
        printed = (made.stdout + made.stderr).strip()[-2000:]
        message = f"{base.executable} made no virtual environment in {folder}: {printed}"
        raise IsolationImpossible(message)


def run_pip(
    state: RunnerState,
    arguments: Sequence[str],
    *,
    timeout_seconds: float,
    environment: Mapping[str, str] | None = None,
    readable: Sequence[Path] = (),
    writable: Sequence[Path] = (),
    cancelled: Callable[[], bool] = never,
) -> ProcessOutcome:
    """Run pip with `arguments` as the subject's user, with the person's indexes and nothing else of theirs.

    In a sandbox it sees `readable` and `writable`, and what its arguments and the person's settings name. It lies in an environment of its own that is made on first use.
    """
    base = interpreter(state)
    folder = state.folder("installers") / base.identity
    with locked(folder):
        if not (folder / _COMPLETE).exists():
            make_environment(base, folder, with_pip=True)
            (folder / _COMPLETE).touch()
    command = (str(folder / "bin" / "python"), "-I", "-m", "pip")
    cache = state.folder("pip-cache")
    # This person's variables that pip reads.
    variables = tuple(sorted(item for item in os.environ.items() if item[0].startswith("PIP_")))
    settings = _index_settings(command, variables)
    named = _paths([*arguments, *settings.values()])
    seen = (*readable, folder, *interpreter_places(base.executable), *named)
    with state.scratch() as scratch:
        reach = Reach(scratch, seen, tuple(writable), (cache,), network=True, sandbox=sandbox_of(state))
        state.give(cache)
        try:
            return run(
                [*command, *arguments],
                folder=scratch,
                environment={
                    **plain_variables(scratch, SEARCH_PATH),
                    "PIP_CACHE_DIR": str(cache),
                    "PIP_NO_INPUT": "1",
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                    "PIP_PROGRESS_BAR": "off",
                    **base.environment,
                    **settings,
                    **(environment or {}),
                },
                limits=build_limits(timeout_seconds),
                user=state.user,
                reach=reach,
                cancelled=cancelled,
            )
        finally:
            state.take(cache)


def cause_in(output: str, most: int = 1_000) -> str:
    """What pip printed as the cause: without its warnings, which stand before it, and of a traceback the last line alone.

    At most `most` characters, from the beginning of a line on; all of it where it says nothing but warnings.
    """
    lines = output.strip().splitlines()
    told = [line for line in lines if not line.startswith(("WARNING:", "DEPRECATION:", "[notice]"))] or lines
    if _TRACEBACK in told:
        last = len(told) - 1 - told[::-1].index(_TRACEBACK)
        told = [line for line in told[last + 1 :] if line.strip() and not line[0].isspace()][-1:] or told
    text = "\n".join(told).strip()
    return text if len(text) <= most else text[-most:].partition("\n")[2] or text[-most:]


def _paths(words: Iterable[str]) -> list[Path]:
    """Return the files and folders that are there of those that `words` name in full, also as addresses and after "=".

    Beside a mirror's pages lie the files that they link to (PEP 503).
    """
    parts = (part.rpartition("=")[2].removeprefix("file://") for word in words for part in word.split())
    named = [Path(name) for name in parts if name.startswith("/") and name.strip("/")]
    named += [one.parent / beside for one in named if one.name == "simple" for beside in _BESIDE_PAGES]
    return [one for one in named if one.exists()]


def plain_variables(scratch: Path, path: str) -> dict[str, str]:
    """Return the variables that every process of a subject gets: nothing of ours, no key, no address."""
    return {"PATH": path, "HOME": str(scratch), "TMPDIR": str(scratch), "LANG": "C.UTF-8"}


def build_limits(timeout_seconds: float) -> ProcessLimits:
    """Return what installing a program may use: compilers need far more than a run."""
    return ProcessLimits(
        timeout_seconds=timeout_seconds,
        cpu_seconds=timeout_seconds * (os.cpu_count() or 1) + 1,
        memory_bytes=16 * _GIGABYTE,
        file_bytes=4 * _GIGABYTE,
        output_bytes=_GIGABYTE // 4,
        disk_bytes=16 * _GIGABYTE,
    )


@cache
def _index_settings(pip: tuple[str, ...], variables: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return this person's settings of where pip finds packages, as environment variables; asked once."""
    settings = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    # As ourselves: the subject's user cannot read this person's configuration files.
    asked = subprocess.run(
        [*pip, "config", "list"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **dict(variables)},
    )
    lines = [line.partition("=") for line in asked.stdout.splitlines()]
    # pip lists by name; what stands in its environment wins over what stands in a file.
    for key, _, value in sorted(lines, key=lambda line: line[0].startswith(":env:")):
        name = key.rpartition(".")[2]
        if name in _FORWARDED:
            settings[f"PIP_{name.upper().replace('-', '_')}"] = str(ast.literal_eval(value))
    return settings
