"""Traces: what a stay in a region means, whatever way it is written."""

import gzip
import json
from pathlib import Path

import pytest

from dashboard.importers.errors import InvalidBundle, InvalidSetting
from tests.dashboard.importers.tef_sample import NESTED, events, read, seconds, trace

FOO_AND_BAR = {"foo": 2.0, "bar*foo": 2.0}


def _shown(error: pytest.ExceptionInfo[InvalidBundle]) -> str:
    return "\n".join(error.value.lines())


def test_time_in_nested_regions_belongs_to_the_interaction(tmp_path: Path) -> None:
    steps = [(0, "B", "foo", 1), (1, "B", "bar", 2), (3, "E", "bar", 2), (4, "E", "foo", 1)]
    found = read(tmp_path, trace(events(steps), "s"))
    assert seconds(found) == pytest.approx(FOO_AND_BAR)
    assert [one.name for one in found.records.options] == ["bar", "foo"]
    assert found.records.configurations[0].assignments == {"bar": "on", "foo": "on"}


def test_base_is_the_rest_of_the_program_and_no_feature(tmp_path: Path) -> None:
    found = read(tmp_path, trace(events(NESTED), "s"))
    assert seconds(found) == pytest.approx({"program": 2.0, **FOO_AND_BAR})
    assert [one.is_program for one in found.records.regions] == [True, False, False]
    assert found.records.measurements.value.tolist() == [6.0]


@pytest.mark.parametrize(
    ("unit", "second"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("µs", 10**6), ("ns", 10**9)]
)
def test_the_unit_of_the_file_counts(tmp_path: Path, unit: str, second: int) -> None:
    """Clocks that count nanoseconds since 1970 have more digits than a float."""
    start = 1_637_675_320_727_304_236
    steps = [(start + int(at * second), *others) for at, *others in NESTED]
    found = read(tmp_path, trace(events(steps), unit))  # type: ignore[arg-type]
    assert seconds(found) == pytest.approx({"program": 2.0, **FOO_AND_BAR}, rel=1e-12)


def test_a_missing_unit_is_asked_for(tmp_path: Path) -> None:
    text = trace(events(NESTED), None)
    with pytest.raises(InvalidBundle) as error:
        read(tmp_path, text)
    assert "Give --time-unit us" in _shown(error)
    found = read(tmp_path, text, {"time-unit": ("s",)})
    assert seconds(found) == pytest.approx({"program": 2.0, **FOO_AND_BAR})


def test_the_unit_in_which_viewers_show_times_is_not_that_of_the_times(tmp_path: Path) -> None:
    text = json.dumps({"traceEvents": events(NESTED), "displayTimeUnit": "ns"})
    with pytest.raises(InvalidBundle, match="displayTimeUnit only tells viewers"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("unit", "says"), [("ns", "another unit than --time-unit ns"), ("h", "no unit of time")]
)
def test_a_setting_that_contradicts_the_file_is_refused(tmp_path: Path, unit: str, says: str) -> None:
    with pytest.raises((InvalidBundle, InvalidSetting), match=says):
        read(tmp_path, trace(events(NESTED), "ms"), {"time-unit": (unit,)})


@pytest.mark.parametrize("end", ["]", "", ",", ",\n", "\n"])
def test_the_array_form_may_lack_its_closing_bracket(tmp_path: Path, end: str) -> None:
    text = json.dumps(events(NESTED)).removesuffix("]") + end
    assert seconds(read(tmp_path, text, {"time-unit": ("s",)})) == pytest.approx(
        {"program": 2.0, **FOO_AND_BAR}
    )


def test_complete_events_may_come_in_the_order_of_their_ends(tmp_path: Path) -> None:
    spans = [("bar", 2, 2), ("foo", 1, 4), ("Base", 0, 6)]
    complete = [
        {"name": name, "cat": "Feature", "ph": "X", "ts": at, "dur": length, "pid": 1, "tid": 1}
        for name, at, length in spans
    ]
    assert seconds(read(tmp_path, trace(complete, "s"))) == pytest.approx({"program": 2.0, **FOO_AND_BAR})


@pytest.mark.parametrize("key", ["ID", "UUID"])
@pytest.mark.parametrize("inside", [True, False])
def test_interleaved_regions_are_paired_by_their_identity(tmp_path: Path, key: str, *, inside: bool) -> None:
    steps = [(0, "B", "foo", 1), (2, "B", "foo", 2), (3, "B", "bar", 3), (4, "E", "foo", 1)]
    steps += [(6, "E", "foo", 2), (9, "E", "bar", 3)]
    given = events(steps)
    for event in given:
        identity = event.pop("args")["ID"]
        event.update({"args": {key: identity}} if inside else {key: identity})
    assert seconds(read(tmp_path, trace(given, "s"))) == {"foo": 3.0, "bar*foo": 3.0, "bar": 3.0}


def test_without_an_identity_an_end_closes_the_latest_begin_of_its_name(tmp_path: Path) -> None:
    steps = [(0, "B", "foo", None), (1, "B", "bar", None), (3, "E", "bar", None), (4, "E", "foo", None)]
    bare = events(steps)
    assert seconds(read(tmp_path / "named", trace(bare, "s"))) == FOO_AND_BAR
    for event in bare[2:]:
        del event["name"]
    assert seconds(read(tmp_path / "bare", trace(bare, "s"))) == FOO_AND_BAR


def test_threads_do_not_interact(tmp_path: Path) -> None:
    one = events([(0, "B", "foo", 1), (4, "E", "foo", 1)], thread=1)
    other = events([(1, "B", "bar", 1), (3, "E", "bar", 1)], thread="worker")
    assert seconds(read(tmp_path, trace([one[0], other[0], other[1], one[1]], "s"))) == {
        "foo": 4.0,
        "bar": 2.0,
    }


def test_numbers_may_be_written_as_text(tmp_path: Path) -> None:
    given = events(NESTED)
    for event in given:
        event |= {key: str(event[key]) for key in ("ts", "pid", "tid")}
    given[1]["ts"] = "1.50"
    assert seconds(read(tmp_path, trace(given, "s")))["program"] == pytest.approx(2.5)


@pytest.mark.parametrize("name", ["FR(foo,bar)", "FR(bar, foo, foo)", "bar,foo", "FR(Base,foo,bar)"])
def test_one_region_may_belong_to_several_features(tmp_path: Path, name: str) -> None:
    given = trace(events([(0, "B", name, 1), (4, "E", name, 1)]), "s")
    assert seconds(read(tmp_path, given)) == {"bar*foo": 4.0}


def test_names_that_no_option_can_have_are_changed_and_said(tmp_path: Path) -> None:
    found = read(tmp_path, trace(events([(0, "B", "run(int, bool)", 1), (4, "E", "run(int, bool)", 1)]), "s"))
    assert seconds(found) == {"run_int,_bool": 4.0}
    assert "'run(int, bool)' is called run_int,_bool here" in found.remarks[0]


def test_where_there_are_feature_regions_others_do_not_count(tmp_path: Path) -> None:
    others = events([(0, "B", "main", 9), (9, "E", "main", 9)], category="function", thread=8)
    assert "main" not in seconds(read(tmp_path, trace([*events(NESTED), *others], "s")))
    assert seconds(read(tmp_path / "alone", trace(others, "s"))) == {"main": 9.0}


def test_lines_of_the_tracer_about_lost_events_are_told(tmp_path: Path) -> None:
    lines = trace(events(NESTED), "s").replace('}}, {"name": "bar"', '}},Lost 12 events\n{"name": "bar"', 1)
    assert "Lost 12" in lines
    found = read(tmp_path, f"Lost 3 events\n{lines}\nLost 4 events")
    assert seconds(found) == {"program": 2.0, **FOO_AND_BAR}
    assert any("lost 19 events" in remark for remark in found.remarks)
    assert found.records.batches[0].manifest["traces"]["trace.json"]["lost_events"] == 19


def test_a_region_may_be_called_like_such_a_line(tmp_path: Path) -> None:
    given = trace(events([(0, "B", "Lost_3_events", 1), (4, "E", "Lost_3_events", 1)]), "s")
    assert seconds(read(tmp_path, given)) == {"Lost_3_events": 4.0}


def test_events_without_counterpart_are_told_by_their_place_and_left_out(tmp_path: Path) -> None:
    steps = [*NESTED, (7, "E", "late", 5), (8, "B", "open", 6), (9, "B", "foo", 1), (10, "E", "foo", 1)]
    found = read(tmp_path, trace(events(steps), "s"))
    assert seconds(found) == {"program": 2.0, "foo": 3.0, "bar*foo": 2.0}
    remarks = "\n".join(found.remarks)
    assert "trace.json, event 6: 'late' ends in thread 7 of process 7 and never began" in remarks
    assert "trace.json, event 7: 'open' begins in thread 7 of process 7 and never ends" in remarks


def test_events_of_other_kinds_are_passed_over_and_counted(tmp_path: Path) -> None:
    others = [{"ph": "M", "name": "process_name", "args": {"name": "toy"}}, {"ph": "C", "name": "memory"}]
    found = read(tmp_path, trace([*others, *events(NESTED)], "s"))
    assert any("(1 of kind C, 1 of kind M)" in remark for remark in found.remarks)


def test_a_complete_event_without_a_duration_never_ended(tmp_path: Path) -> None:
    """As browsers write what still ran when tracing stopped."""
    given = [*events(NESTED), {"name": "late", "ph": "X", "ts": 9, "pid": 1, "tid": 1}]
    found = read(tmp_path, trace(given, "s"))
    assert seconds(found) == pytest.approx({"program": 2.0, **FOO_AND_BAR})
    assert any("event 6: 'late' begins in thread 1" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"ts": "soon"}, "trace.json, at 'traceEvents/2/ts': is no number in range (value 'soon')"),
        ({"ts": None}, "at 'traceEvents/2/ts': the number is missing"),
        ({"ts": True}, "at 'traceEvents/2/ts': is no number"),
        ({"ts": 1e300}, "at 'traceEvents/2/ts': is no number in range"),
        ({"pid": None}, "at 'traceEvents/2/pid': process or thread is missing"),
        ({"name": ""}, "at 'traceEvents/2/name': the name is missing"),
        ({"name": 5}, "at 'traceEvents/2/name': the name is missing (value '5')"),
        ({"ph": None}, "at 'traceEvents/2/ph': the kind of event is missing"),
        ({"ph": "X", "dur": -1}, "at 'traceEvents/2/dur': is negative (value '-1')"),
        ({"ph": "X", "dur": None}, "at 'traceEvents/2/dur': the number is missing"),
        ({"ts": 5}, "at 'traceEvents/3/ts': ends before it begins in event 2"),
    ],
)
def test_a_bad_event_is_told_by_its_place(tmp_path: Path, change: dict[str, object], says: str) -> None:
    given = events(NESTED)
    given[2] |= change
    with pytest.raises(InvalidBundle) as error:
        read(tmp_path, trace(given))
    assert says in _shown(error)


def test_all_bad_events_are_told_at_once_up_to_a_hundred(tmp_path: Path) -> None:
    given = [event | {"ts": "x"} for event in events(NESTED)] * 40
    with pytest.raises(InvalidBundle) as error:
        read(tmp_path, trace(given))
    assert (len(error.value.faults), error.value.unlisted) == (100, 140)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[1]", '{"traceEvents": {}}', '{"traceEvents": [', "nothing", '"x"']
)
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidBundle, match=r"trace\.json"):
        read(tmp_path, text, {"time-unit": ("s",)})


def test_a_trace_that_is_cut_inside_of_an_event_is_refused(tmp_path: Path) -> None:
    text = trace(events(NESTED))
    with pytest.raises(InvalidBundle, match="is no JSON after event 2"):
        read(tmp_path, text[: text.index('"ph": "E"')])


def test_a_packed_trace_says_the_same(tmp_path: Path) -> None:
    packed = gzip.compress(trace(events(NESTED), "s").encode())
    assert seconds(read(tmp_path, {"trace.json.gz": packed})) == {"program": 2.0, **FOO_AND_BAR}


def test_too_many_features_at_once_are_refused(tmp_path: Path) -> None:
    names = [f"f{number:02}" for number in range(13)]
    steps = [(at, "B", name, at) for at, name in enumerate(names)]
    steps += [(40 - at, "E", name, at) for at, name in reversed(list(enumerate(names)))]
    with pytest.raises(InvalidBundle, match="13 features at once have 8192 combinations"):
        read(tmp_path, trace(events(steps)))


def test_names_that_are_too_long_are_shortened_and_shown_in_full(tmp_path: Path) -> None:
    """Two functions whose signatures differ at the end alone, one in the other."""
    start = "void process(" + "std::vector<int>, " * 20
    one, other = f"{start}int)", f"{start}double)"
    steps = [(0, "B", one, 1), (1, "B", other, 2), (3, "E", other, 2), (4, "E", one, 1)]
    found = read(tmp_path, trace(events(steps)))
    options = [option.name for option in found.records.options]
    assert len(set(options)) == 2
    assert all(len(name) <= 120 for name in options)
    names = [region.name for region in found.records.regions]
    assert len(set(names)) == len(names)
    assert any(name.count("void_process") == 2 and len(name) > 300 for name in names)
    assert all(len(region.key) <= 400 for region in found.records.regions)
    assert len([remark for remark in found.remarks if "its name is too long" in remark]) == 2
