"""Raw runs of an evaluation in a file of JSON lines: made once, used by every evaluation that wants the same."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self

from analytics.configurations.identities import selector_of
from analytics.influence.times import PROGRAM_REGION
from runner.executions import Execution
from runner.fingerprints import MachineFingerprint
from runner.subjects import SubjectDefinition

Kind = Literal["plain", "profiled", "counted"]
# Moves when the probe measures or counts something else than before.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """One run: `levels` by option, kind and repetition tell which; nothing else where `status` is not "ok".

    `seconds` is the CPU time of the timed call, `cost` the wall time of the whole process. `regions` are CPU seconds by
    region of a profiled run, `counts` how often what happened, by region and place.
    """

    levels: Mapping[str, str]
    kind: Kind
    repetition: int
    status: str
    message: str = ""
    seconds: float = 0.0
    cost: float = 0.0
    regions: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, Kind, int]:
        """What tells one run from all others of its file."""
        return selector_of(self.levels), self.kind, self.repetition

    @classmethod
    def of(cls, execution: Execution, kind: Kind) -> Self:
        """What is kept of one execution."""
        run = execution.run
        profile, counts = execution.profile, execution.counts
        return cls(
            levels=run.configuration.texts,
            kind=kind,
            repetition=run.repetition,
            status=execution.status,
            message=execution.message[:400],
            seconds=_seconds(execution, kind),
            cost=execution.process_seconds or 0.0,
            regions={
                PROGRAM_REGION: profile.program_seconds,
                **{region: one.seconds for region, one in profile.regions.items()},
            }
            if profile and kind == "profiled"
            else {},
            counts={region: _sites(sites) for region, sites in counts.regions.items()} if counts else {},
        )


def _seconds(execution: Execution, kind: Kind) -> float:
    """The CPU time of the call that the run is about."""
    if kind == "profiled" and execution.profile is not None:
        return execution.profile.cpu_seconds
    return execution.plain.cpu_seconds if execution.plain else 0.0


def _sites(sites: Any) -> dict[str, int]:
    """Counts by place, "line:column:kind"; the count itself is the last part."""
    return {":".join(str(part) for part in place): count for *place, count in sites}


class RecordFile:
    """The runs of one subject, revision, workload and environment; a torn last line is passed over."""

    def __init__(
        self,
        folder: Path,
        *,
        subject: SubjectDefinition,
        revision: str,
        workload: str,
        found: MachineFingerprint,
    ) -> None:
        told = [FORMAT, subject.digest, revision, workload, found.digest]
        name = sha256(json.dumps(told).encode()).hexdigest()[:24]
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.jsonl"
        self.records: dict[tuple[str, Kind, int], Record] = {}
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):
                # A process was killed while it wrote: its line ends here, and the next run gets one of its own.
                with self.path.open("a", encoding="utf-8") as file:
                    file.write("\n")
            for line in text.splitlines():
                try:
                    record = Record(**json.loads(line))
                except ValueError:
                    continue
                self.records[record.key] = record

    def add(self, record: Record) -> None:
        """Keep one more run."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")
        self.records[record.key] = record
