"""What tracing costs: plain and taint runs of two subjects, in turns (A B B A). `bench_counting` tells what counting costs.

    python -m benchmarks.bench_taint [repetitions]

Prints CPU times of one call after a warm-up and their ratios to the plain run, whether all printed the same, and the CPU times of
the whole processes, which import the program, rewritten if it is traced, unless an earlier one left that.
On the small workload, which is what tracing is meant for.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.timing import pairs_in_turns
from runner.environments import Prepared, prepare
from runner.executions import Execution, execute
from runner.plans import plan
from runner.revisions import list_revisions
from runner.selections import configurations
from runner.state import open_state
from runner.subject_files import load_subject
from runner.subjects import SubjectDefinition

ROOT = Path(__file__).resolve().parent.parent
SUBJECTS = {"markdown": ("default", "all on"), "pygments": ("default", "linenos=on,stripall=on")}
WORKLOAD = "small"


def selection(subject: SubjectDefinition, words: str) -> str:
    """Return `words` as the runner reads them; "all on" is every option of the subject."""
    return ",".join(f"{name}=on" for name in subject.options) if words == "all on" else words


def newest(name: str) -> Prepared:
    """Return the newest revision of a subject, ready to run; ends the benchmark where it cannot be prepared."""
    subject = load_subject(ROOT / "subjects" / name)
    state = open_state(ROOT / "var" / "benchmarks")
    prepared = prepare(subject, list_revisions(subject, state)[-1], state=state)
    if not isinstance(prepared, Prepared):
        sys.exit(f"{prepared.message}\n{prepared.output}")
    return prepared


def programs() -> Iterator[tuple[str, str, Prepared]]:
    """Yield the name of each subject, a configuration of it and its newest revision, ready to run."""
    for name, selections in SUBJECTS.items():
        prepared = newest(name)
        for words in selections:
            yield name, words, prepared


def executions(
    prepared: Prepared, words: str, *, repetitions: int = 1, workload: str = "regular", **how: Any
) -> list[Execution]:
    """Return runs of one configuration, made as `how` tells `execute`; ends the benchmark where one fails."""
    found = configurations(prepared.subject, [selection(prepared.subject, words)])
    revision = prepared.revision.identifier
    runs = plan(found, [revision], repetitions=repetitions, seed=1, workload=workload)
    done = [execute(prepared, run, **how) for run in runs]
    for one in done:
        if one.status != "ok" or one.result.plain is None:
            sys.exit(f"{prepared.subject.name}, {words}: {one.message}\n{one.outcome.output}")
    return done


def main() -> None:
    """Compare every subject in two configurations."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, words, prepared in programs():
        once = partial(executions, prepared, words, workload=WORKLOAD, profile=False)
        pairs = [
            (plain[0], traced[0])
            for plain, traced in pairs_in_turns(
                partial(once, mode="plain"), partial(once, mode="taint"), repetitions
            )
        ]
        plain, taint = (
            [run.result.plain.cpu_seconds for run in column if run.result.plain]
            for column in zip(*pairs, strict=True)
        )
        whole = [median(run.outcome.cpu_seconds for run in column) for column in zip(*pairs, strict=True)]
        counts = {run.result.counts.model_dump_json() for _, run in pairs if run.result.counts}
        print(
            f"{name:9} {words:24} plain {median(plain) * 1000:8.1f} ms  taint {median(taint) * 1000:9.1f} ms  "
            f"ratio of medians {median(taint) / median(plain):6.2f}  of minima {min(taint) / min(plain):6.2f}  "
            f"different counts {len(counts)}  whole processes {whole[0]:.2f} and {whole[1]:.2f} s"
        )


if __name__ == "__main__":
    main()
