"""The one list of profilers whose files are known, and which of them wrote a file."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pydantic_core import from_json

from dashboard.importers.profiles import json_profiles, pprof, text_profiles
from dashboard.importers.profiles.stacks import Allowance, StackProfile

_RECORDING = b"FLR\0"


@dataclass(frozen=True, slots=True)
class Profiler:
    """A kind of file of profilers: its name, what tells it in words and as a test of bytes, text or JSON, and its reader.

    `read` raises `ValueError`, `LookupError` or `TypeError` where the file is not sound.
    """

    name: str
    told_by: str
    recognises: Callable[["ProfileFile"], bool]
    read: Callable[["ProfileFile"], StackProfile]


class ProfileFile:
    """A file as bytes, as text where it is UTF-8, and as the object that it is in JSON; else blank."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.text = ""
        self.document: json_profiles.Document = {}
        if b"\0" in content[:1024]:
            return
        try:
            self.text = content.decode("utf-8")
            document = from_json(content) if self.text.lstrip()[:1] == "{" else {}
        except ValueError:
            return
        self.document = document if isinstance(document, dict) else {}

    def allowance(self) -> Allowance:
        """How much it may unpack to."""
        return Allowance(len(self.content))


PROFILERS = (
    Profiler(
        "speedscope",
        "shared frames, and profiles",
        lambda one: "frames" in one.document.get("shared", {}) and "profiles" in one.document,
        lambda one: json_profiles.speedscope(one.document, one.allowance()),
    ),
    Profiler(
        "cpuprofile",
        "nodes, samples and timeDeltas",
        lambda one: {"nodes", "samples", "timeDeltas"} <= one.document.keys(),
        lambda one: json_profiles.cpuprofile(one.document, one.allowance()),
    ),
    Profiler(
        "Firefox",
        "meta with an interval, and threads",
        lambda one: "interval" in one.document.get("meta", {}) and "threads" in one.document,
        lambda one: json_profiles.firefox(one.document, one.allowance()),
    ),
    Profiler(
        "JFR",
        "a recording with events, as jfr print --json writes it",
        lambda one: "events" in one.document.get("recording", {}),
        lambda one: json_profiles.jfr(one.document),
    ),
    Profiler(
        "collapsed stacks",
        "lines of functions between semicolons and a count",
        lambda one: text_profiles.is_collapsed(one.text),
        lambda one: text_profiles.collapsed(one.text),
    ),
    Profiler(
        "callgrind",
        "lines events: and fn=",
        lambda one: text_profiles.is_callgrind(one.text),
        lambda one: text_profiles.callgrind(one.text),
    ),
    Profiler(
        "pprof",
        "a protocol buffer, mostly packed by gzip",
        lambda one: not one.text and pprof.is_pprof(one.content, one.allowance()),
        lambda one: pprof.pprof(one.content, one.allowance()),
    ),
)


def profilers_of(content: bytes) -> tuple[ProfileFile, list[Profiler]]:
    """The content, and the profilers that may have written it. Raises `ValueError` for a recording of the JVM as it is stored."""
    if content.startswith(_RECORDING):
        raise ValueError("a recording of the JVM: write it by jfr print --json --events jdk.ExecutionSample")
    read = ProfileFile(content)
    found = []
    for one in PROFILERS:
        # What is of another type than it looks is of no such profiler.
        with suppress(TypeError):
            found += [one] if one.recognises(read) else []
    return read, found
