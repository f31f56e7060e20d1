"""Stored revisions are joined by what their builds made, in whatever order they were built."""

from itertools import permutations
from pathlib import Path

import pytest

from dashboard.models import Revision, System
from dashboard.services.measuring.executions import RunStore
from dashboard.services.subjects import runner_state
from runner.build_outputs import keep_outputs
from runner.environments import Prepared, run_environment
from runner.interpreters import interpreter
from runner.source_revisions import SourceRevision
from runner.subject_files import load_subject
from tests.dashboard.measuring.stored import add_batch
from tests.dashboard.measuring.tiny import TOML, write_subject

CONTENTS = {"a": "1", "b": "1", "c": "3", "d": "4"}
BUILDS = {"a": "y", "b": "x", "c": "x"}


@pytest.mark.parametrize("order", list(permutations(BUILDS)))
def test_the_order_of_builds_does_not_matter(
    system: System,
    machine: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[str, ...],
) -> None:
    """A and b hold the same files, of which builds made two programs; c was built as b was."""
    built = f'[install]\nbuilt = ["{"".join(order)}"]\n[options.mode]'
    subject = load_subject(write_subject(tmp_path, toml=TOML.replace("[options.mode]", built)))
    state = runner_state()
    for name, content in CONTENTS.items():
        Revision.objects.create(system=system, name=name, content=content)
    store = RunStore(batch=add_batch(system), subject=subject)
    for name in order:
        monkeypatch.setattr("runner.build_outputs.built_digest", lambda *_, name=name: BUILDS[name])
        assert keep_outputs(subject, name, tmp_path, state) == BUILDS[name]
        store.prepared(
            Prepared(
                subject=subject,
                revision=SourceRevision(name, None, ""),
                state=state,
                folder=tmp_path,
                python=tmp_path,
                source=None,
                files=tmp_path,
                probe=tmp_path,
                base=interpreter(state),
                installed=False,
                environment=run_environment(subject, interpreter(state)),
                built=BUILDS[name],
            )
        )
    found = dict(Revision.objects.filter(name__in=CONTENTS).values_list("name", "content"))
    assert found == {"a": "x", "b": "x", "c": "x", "d": "4"}
