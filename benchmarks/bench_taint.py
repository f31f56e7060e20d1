"""What tracing costs: plain and taint runs of two subjects, interleaved. `bench_counting` tells what counting costs.

    python -m benchmarks.bench_taint [repetitions]

Prints CPU times of one call after a warm-up and their ratios to the plain run, and whether all printed the same.
On the small workload, which is what tracing is meant for.
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from runner import Execution, configurations, execute, list_revisions, load_subject, open_state, plan, prepare
from runner.environments import Prepared
from runner.executions import Mode

ROOT = Path(__file__).resolve().parent.parent
SUBJECTS = {"markdown": ("default", "all on"), "pygments": ("default", "linenos=on,stripall=on")}
WORKLOAD = "small"


def selection(folder: Path, words: str) -> str:
    """Return `words` as the runner reads them; "all on" is every option of the subject."""
    if words != "all on":
        return words
    options: dict[str, Any] = tomllib.loads((folder / "subject.toml").read_text(encoding="utf-8"))["options"]
    return ",".join(f"{name}=on" for name in options)


def programs() -> Iterator[tuple[str, str, Prepared]]:
    """Yield the name of each subject, a configuration of it and its newest revision, ready to run."""
    state = open_state(ROOT / "var" / "benchmarks")
    for name, selections in SUBJECTS.items():
        subject = load_subject(ROOT / "subjects" / name)
        prepared = prepare(subject, list_revisions(subject, state)[-1], state=state)
        if not isinstance(prepared, Prepared):
            sys.exit(prepared.output)
        for words in selections:
            yield name, words, prepared


def once(prepared: Prepared, chosen: str, mode: Mode) -> Execution:
    """Return one run; ends the benchmark where it fails."""
    found = configurations(prepared.subject, [chosen])
    planned = plan(
        prepared.subject, found, [prepared.revision.identifier], repetitions=1, seed=1, workload=WORKLOAD
    )
    done = execute(prepared, planned[0], profile=False, mode=mode)
    if done.status != "ok" or done.plain is None:
        sys.exit(f"{prepared.subject.name}, {chosen}, {mode}: {done.message}\n{done.output}")
    return done


def main() -> None:
    """Compare every subject in two configurations."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, words, prepared in programs():
        chosen = selection(prepared.subject.folder, words)
        pairs = [
            (once(prepared, chosen, "plain"), once(prepared, chosen, "taint")) for _ in range(repetitions)
        ]
        plain, taint = (
            [run.plain.cpu_seconds for run in column if run.plain] for column in zip(*pairs, strict=True)
        )
        counts = {run.counts.model_dump_json() for _, run in pairs if run.counts}
        print(
            f"{name:9} {words:24} plain {median(plain) * 1000:8.1f} ms  taint {median(taint) * 1000:9.1f} ms  "
            f"ratio of medians {median(taint) / median(plain):6.2f}  of minima {min(taint) / min(plain):6.2f}  "
            f"different counts {len(counts)}"
        )


if __name__ == "__main__":
    main()
