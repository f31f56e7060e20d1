"""The runs that an evaluation needs: made once, kept in a file of JSON lines, used by every later evaluation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

import numpy as np

from analytics.configurations.identities import selector_of
from analytics.configurations.options import IntArray
from analytics.influence.times import PROGRAM_REGION
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.environments import Prepared
from runner.executions import Execution, execute
from runner.fingerprints import MachineFingerprint
from runner.plans import PlannedRun
from runner.subjects import SubjectDefinition

Kind = Literal["plain", "profiled", "counted"]
# A run that is to be made: its configuration (n_options,), its kind and its repetition.
WantedRun = tuple[IntArray, Kind, int]
# Moves when the probe measures or counts something else than before.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class EvaluationRun:
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

    @classmethod
    def of(cls, execution: Execution, kind: Kind) -> Self:
        """What is kept of one execution."""
        run = execution.run
        result = execution.result
        profile, counts = result.profile, result.counts
        # The CPU time of the call that the run is about.
        seconds = result.plain.cpu_seconds if result.plain else 0.0
        regions: dict[str, float] = {}
        if kind == "profiled" and profile is not None:
            seconds = profile.cpu_seconds
            regions = {region: one.seconds for region, one in profile.regions.items()}
            regions = {PROGRAM_REGION: profile.program_seconds, **regions}
        return cls(
            levels=run.configuration.texts,
            kind=kind,
            repetition=run.repetition,
            status=execution.status,
            message=execution.message[:400],
            seconds=seconds,
            cost=execution.outcome.wall_seconds or 0.0,
            regions=regions,
            # By place, "line:column:kind"; the count itself is the last part.
            counts={
                region: {":".join(map(str, place)): int(count) for *place, count in sites}
                for region, sites in (counts.regions.items() if counts else ())
            },
        )


class EvaluationRunFile:
    """The runs of one subject, revision, workload and environment; a torn last line is passed over."""

    def __init__(
        self,
        folder: Path,
        *,
        subject: SubjectDefinition,
        revision: str,
        workload: str,
        environment: MachineFingerprint,
    ) -> None:
        key = [FORMAT, subject.digest, revision, workload, environment.digest]
        name = sha256(json.dumps(key).encode()).hexdigest()[:24]
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.jsonl"
        self.runs: dict[tuple[str, Kind, int], EvaluationRun] = {}
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):
                # A process was killed while it wrote: its line ends here, and the next run gets one of its own.
                with self.path.open("a", encoding="utf-8") as file:
                    file.write("\n")
            for line in text.splitlines():
                try:
                    run = EvaluationRun(**json.loads(line))
                except ValueError:
                    continue
                self._keep(run)

    def add(self, run: EvaluationRun) -> None:
        """Keep one more run."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run)) + "\n")
        self._keep(run)

    def _keep(self, run: EvaluationRun) -> None:
        self.runs[selector_of(run.levels), run.kind, run.repetition] = run

    def sound_runs(self, word: str, kind: Kind, repetitions: int) -> list[EvaluationRun]:
        """The runs of one configuration, by its word in selections, that ended well, in order."""
        found = (self.runs.get((word, kind, number)) for number in range(1, repetitions + 1))
        return [run for run in found if run is not None and run.status == "ok"]


def missing_runs(
    file: EvaluationRunFile,
    rows: IntArray,
    profiled: IntArray,
    configurations: SubjectConfigurations,
    *,
    repetitions: int,
) -> tuple[WantedRun, ...]:
    """What `file` lacks: for each of `rows` (n, n_options) a counting run and `repetitions` plain ones, round after round.

    Those that are `profiled` too (a subset) have as many profiled runs. Each round has its own random order, so that a
    slow quarter of an hour falls on all alike.
    """
    rng = np.random.default_rng(0)
    distinct = {configurations.word(row): row for row in rows}
    cover = dict.fromkeys(map(configurations.word, profiled))
    rounds: list[list[tuple[str, Kind, int]]] = [[(word, "counted", 1) for word in distinct]]
    for repetition in range(1, repetitions + 1):
        rounds.append([(word, "plain", repetition) for word in distinct])
        rounds[-1] += [(word, "profiled", repetition) for word in cover]
    wanted = (own[at] for own in rounds for at in rng.permutation(len(own)))
    return tuple((distinct[run[0]], *run[1:]) for run in wanted if run not in file.runs)


def make_runs(
    context: JobContext,
    file: EvaluationRunFile,
    wanted: Sequence[WantedRun],
    *,
    prepared: Prepared,
    configurations: SubjectConfigurations,
    workload: str,
    share: float,
) -> None:
    """Make runs, `share` of the whole job. Raises as `JobContext.check`; what was made stays."""
    for position, (row, kind, repetition) in enumerate(wanted):
        context.progress(share * position / len(wanted), f"{position} of {len(wanted)} runs")
        run = PlannedRun(
            position, prepared.revision.identifier, configurations.configuration(row), workload, repetition
        )
        execution = execute(
            prepared,
            run,
            profile=kind == "profiled",
            mode="count" if kind == "counted" else "plain",
            cancelled=context.cancelled,
            held=context.held,
        )
        context.check()
        if execution.status != "ok":
            context.log(f"{configurations.word(row)}: {execution.status}: {execution.message}")
        file.add(EvaluationRun.of(execution, kind))
        # A job that got on may be resumed; what it got is in the file.
        context.save_checkpoint({"runs": len(file.runs)})
