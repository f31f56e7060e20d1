"""What counting and tracing cost: plain, counting and taint runs of two subjects, interleaved.

    python -m benchmarks.bench_taint [repetitions]

Prints CPU times of one call after a warm-up and their ratios to the plain run, and whether all printed the same.
Counting is compared on the regular workload, tracing on the small one, which is what it is meant for.
"""

import sys
import tomllib
from pathlib import Path
from statistics import median
from typing import Any

from runner import Execution, configurations, execute, list_revisions, load_subject, open_state, plan, prepare
from runner.environments import Prepared
from runner.executions import Mode

ROOT = Path(__file__).resolve().parent.parent
SUBJECTS = {"markdown": ("default", "all on"), "pygments": ("default", "linenos=on,stripall=on")}
COMPARED: tuple[tuple[str, Mode], ...] = (("regular", "count"), ("small", "taint"))


def selection(folder: Path, words: str) -> str:
    """Return `words` as the runner reads them; "all on" is every option of the subject."""
    if words != "all on":
        return words
    options: dict[str, Any] = tomllib.loads((folder / "subject.toml").read_text(encoding="utf-8"))["options"]
    return ",".join(f"{name}=on" for name in options)


def once(prepared: Prepared, chosen: str, workload: str, mode: Mode) -> Execution:
    """Return one run; ends the benchmark where it fails."""
    found = configurations(prepared.subject, [chosen])
    planned = plan(
        prepared.subject, found, [prepared.revision.identifier], repetitions=1, seed=1, workload=workload
    )
    done = execute(prepared, planned[0], profile=False, mode=mode)
    if done.status != "ok" or done.plain is None:
        sys.exit(f"{prepared.subject.name}, {chosen}, {mode}: {done.message}\n{done.output}")
    return done


def main() -> None:
    """Compare every subject in two configurations."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    state = open_state(ROOT / "var" / "benchmarks")
    for name, selections in SUBJECTS.items():
        subject = load_subject(ROOT / "subjects" / name)
        prepared = prepare(subject, list_revisions(subject, state)[-1], state=state)
        if not isinstance(prepared, Prepared):
            sys.exit(prepared.output)
        for words in selections:
            chosen = selection(subject.folder, words)
            for workload, mode in COMPARED:
                pairs = [
                    (once(prepared, chosen, workload, "plain"), once(prepared, chosen, workload, mode))
                    for _ in range(repetitions)
                ]
                times = [
                    [run.plain.cpu_seconds for run in column if run.plain]
                    for column in zip(*pairs, strict=True)
                ]
                counts = {run.counts.model_dump_json() for _, run in pairs if run.counts}
                print(
                    f"{name:9} {words:24} {workload:8} {mode:6} plain {median(times[0]) * 1000:8.1f} ms  "
                    f"{mode} {median(times[1]) * 1000:9.1f} ms  ratio of medians "
                    f"{median(times[1]) / median(times[0]):6.2f}  of minima {min(times[1]) / min(times[0]):6.2f}  "
                    f"different counts {len(counts)}"
                )


if __name__ == "__main__":
    main()
