"""Feature models: what is read, and every fault with its element and line."""

from pathlib import Path

import pytest

from analytics.configurations.feature_models.features import Constraint, Feature
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.feature_records import FeatureLocationRecord
from tests.dashboard.importers.feature_model_sample import SAMPLE, model, option, read_file, write

TRUE = "<optional>True</optional>"
CHILD_B = "<children><options>b</options></children>"


def test_the_sample_is_read_whole(tmp_path: Path) -> None:
    (found,) = read_file(write(tmp_path)).records.feature_models
    assert (found.name, found.path, found.commit) == ("packer", "packer-src", "abc123")
    assert found.features == (
        Feature("root"),
        Feature("compression", "root", optional=True, output="-c"),
        Feature("gzip", "compression", excluded=(("lzma",),)),
        Feature("lzma", "compression", implied=(("cache", "sync"),), excluded=(("gzip",),)),
        Feature("cache", "root", optional=True),
        Feature("sync", "root", optional=True),
        Feature("threads", "root", values=(1.0, 2.0, 4.0, 8.0)),
        Feature("block", "root", values=(16.0, 32.0, 64.0)),
    )
    assert found.constraints == (
        Constraint("!cache | !sync"),
        Constraint("threads * block <= 256", "non-boolean", "all"),
        Constraint("lzma * threads = 1", "mixed", "all", negated=True),
    )
    assert found.locations == (
        FeatureLocationRecord("compression", "packer/compress.py", 3, 5, 9, 20),
        FeatureLocationRecord(
            "compression", "packer/main.py", 1, 1, 1, 30, "1.1", "2.0", "inessential", "Packer::level"
        ),
    )


def test_the_sample_has_as_many_configurations_as_counted_by_hand(tmp_path: Path) -> None:
    (found,) = read_file(write(tmp_path)).records.feature_models
    # 11 of 12 pairs of threads and block; without lzma 2 compressions and 3 of cache and sync; with it 2 of these,
    # and not one thread, which leaves 8 of the 11 pairs.
    assert valid_configurations(fold(found.model)).count() == 11 * 2 * 3 + 8 * 2


def test_options_come_folded(tmp_path: Path) -> None:
    options = read_file(write(tmp_path)).records.options
    assert {one.name: [level.label for level in one.levels] for one in options} == {
        "compression": ["absent", "gzip", "lzma"],
        "cache": ["off", "on"],
        "sync": ["off", "on"],
        "threads": ["1", "2", "4", "8"],
        "block": ["16", "32", "64"],
    }


def test_entries_of_lists_may_be_called_option(tmp_path: Path) -> None:
    """As in some published files; the tools that read them go by the text alone."""
    (found,) = read_file(write(tmp_path, SAMPLE.replace("options>", "option>"))).records.feature_models
    (known,) = read_file(write(tmp_path)).records.feature_models
    assert found.features == known.features


@pytest.mark.parametrize(
    ("content", "features"),
    [
        (f"<vm name='a'><binaryOptions>{option('a', '<parent/>')}{option('b')}</binaryOptions></vm>",
         (Feature("root"), Feature("a", "root"), Feature("b", "root"))),
        (f"<vm><binaryOptions>{option('top')}{option('a', '<parent>top</parent>')}</binaryOptions></vm>",
         (Feature("top"), Feature("a", "top"))),
        (f"<vm><binaryOptions>{option('a', '<parent>base</parent>', TRUE)}</binaryOptions></vm>",
         (Feature("base"), Feature("a", "base", optional=True))),
        (f"<vm><binaryOptions>{option('b')}{option('root', CHILD_B)}</binaryOptions></vm>",
         (Feature("root"), Feature("b", "root"))),
    ],
    ids=["no root", "a root of another name", "a root that is only named", "children alone"],
)  # fmt: skip
def test_the_root_is_found(tmp_path: Path, content: str, features: tuple[Feature, ...]) -> None:
    (found,) = read_file(write(tmp_path, content)).records.feature_models
    assert found.features == features


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        ("<minValue>0</minValue><maxValue>3</maxValue>", (0.0, 1.0, 2.0, 3.0)),
        (
            "<minValue>1</minValue><maxValue>30</maxValue><stepFunction>n * 3 + 1</stepFunction>",
            (1.0, 4.0, 13.0),
        ),
        (
            "<minValue>0,1</minValue><maxValue>0.3</maxValue><stepFunction>x + 0.1</stepFunction>",
            (0.1, 0.2, 0.3),
        ),
        ("<values>-1; 2.5 ;1e3</values>", (-1.0, 2.5, 1000.0)),
    ],
)
def test_numeric_options_have_their_values(tmp_path: Path, numbers: str, values: tuple[float, ...]) -> None:
    content = model(numeric=option("n", numbers))
    (found,) = read_file(write(tmp_path, content)).records.feature_models
    assert found.features[-1].values == values


def test_unknown_elements_are_passed_over_with_a_remark(tmp_path: Path) -> None:
    found = read_file(write(tmp_path, model(option("a", "<colour>red</colour>"))))
    assert found.remarks == ("FeatureModel.xml, line 3: passed over the unknown element colour of a.",)


FAULTS = {
    "missing parent": (model(option("a", "<parent>x</parent>")), 3, "the parent of a is no option (value 'x')"),
    "unknown child": (
        model(option("a", "<children><options>x</options></children>")), 3, "a child of a is no option (value 'x')",
    ),
    "own parent": (model(option("a", "<parent>a</parent>")), 3, "the option a is its own parent"),
    "two roots": (
        model(option("b"), option("a", "<parent>b</parent>")),
        3,
        "b is a second root beside root: neither has a parent",
    ),
    "two names for the root": (model(option("base")), 3, "base is a second root beside root: neither has a parent"),
    "disagreement": (
        model(
            option("a", "<parent>root</parent>"),
            option("b", "<parent>root</parent>", "<children><options>a</options></children>"),
        ),
        4,
        "b lists a as a child, but its parent is root",
    ),
    "circle": (
        model(option("a", "<parent>b</parent>"), option("b", "<parent>a</parent>")),
        3,
        "parents go in a circle: a < b < a",
    ),
    "numeric parent": (
        model(option("a", "<parent>n</parent>"), numeric=option("n", "<values>1;2</values>")),
        3,
        "the parent of a is the numeric option n",
    ),
    "repeated name": (model(option("a"), option("a")), 4, "the option a is there already, on line 3"),
    "no name": (model("<configurationOption></configurationOption>"), 3, "an option has no name"),
    "bad name": (model(option("a b")), 3, "this is no name for an option (value 'a b')"),
    "unknown implied": (
        model(option("a", "<impliedOptions><options>b | c</options></impliedOptions>"), option("b")),
        3,
        "a implies something that is no option (value 'c')",
    ),
    "unknown excluded": (
        model(option("a", "<excludedOptions><options>c</options></excludedOptions>")),
        3,
        "a excludes something that is no option (value 'c')",
    ),
    "excludes itself": (
        model(option("a", "<excludedOptions><options>a</options></excludedOptions>")), 3, "a excludes itself",
    ),
    "implied and excluded": (
        model(
            option(
                "a",
                "<impliedOptions><options>b</options></impliedOptions>",
                "<excludedOptions><options>b</options></excludedOptions>",
            ),
            option("b", TRUE),
        ),
        3,
        "a implies and excludes b",
    ),
    "optional": (model(option("a", "<optional>maybe</optional>")), 3, "optional is neither True nor False"),
    "range": (
        model(numeric=option("n", "<minValue>3</minValue><maxValue>1</maxValue>")),
        4,
        "minValue 3 is above maxValue 1",
    ),
    "no range": (model(numeric=option("n")), 4, "neither values nor minValue and maxValue"),
    "both": (
        model(numeric=option("n", "<minValue>3</minValue><maxValue>1</maxValue><values>1</values>")),
        4,
        "both values and a range are given",
    ),
    "no number": (model(numeric=option("n", "<values>1;two</values>")), 4, "values is no number (value 'two')"),
    "repeated value": (model(numeric=option("n", "<values>1;1.0</values>")), 4, "a value is listed twice"),
    "too many values": (
        model(numeric=option("n", "<minValue>0</minValue><maxValue>9223372036854775808</maxValue>")),
        4,
        "the range has more than 126 values",
    ),
    "no step": (
        model(
            numeric=option("n", "<minValue>0</minValue><maxValue>9</maxValue><stepFunction>x * 2</stepFunction>")
        ),
        4,
        "the step from 0 leads to 0",
    ),
    "steps of ever more digits": (
        model(
            numeric=option(
                "n", "<minValue>1</minValue><maxValue>9</maxValue><stepFunction>x + 0.0001 * x * x</stepFunction>"
            )
        ),
        4,
        "has so many digits that the next one takes too long",
    ),
    "bad step": (
        model(
            numeric=option("n", "<minValue>0</minValue><maxValue>9</maxValue><stepFunction>x +</stepFunction>")
        ),
        4,
        "the step function cannot be read: a feature or number is missing at character 4",
    ),
    "two names in a step": (
        model(
            numeric=option("n", "<minValue>0</minValue><maxValue>9</maxValue><stepFunction>x + y</stepFunction>")
        ),
        4,
        "the step function must name the last value by one name",
    ),
    "bad constraint": (
        model(option("a"), boolean="<constraint>a | | root</constraint>"),
        6,
        "the constraint cannot be read: a feature or number is missing at character 5",
    ),
    "unknown in a constraint": (
        model(option("a"), boolean="<constraint>a | z</constraint>"), 6, "the constraint names z, which is no option",
    ),
    "unknown requirement": (
        model(option("a"), mixed="<constraint req='some'>a = 1</constraint>"), 7, "req is unknown (value 'some')",
    ),
    "contradiction": (
        model(option("a", TRUE), boolean="<constraint>a</constraint>\n<constraint>!a</constraint>"),
        7,
        "no configuration is valid: nothing that the rest allows satisfies '!a'",
    ),
    "optional root": (SAMPLE.replace("<name>root</name><optional>False", "<name>root</name><optional>True"), 5,
                      "the root root is optional"),
    "location": (
        model(option("a", "<locations><sourceRange category='new'><path>a.c</path></sourceRange></locations>")),
        3,
        "the category of a sourceRange is unknown (value 'new')",
    ),
    "location without line": (
        model(option("a", "<locations><sourceRange><path>a.c</path><start><line>0</line></start>"
                          "</sourceRange></locations>")),
        3,
        "the line of start is no number from 1 (value '0')",
    ),
    "location backwards": (
        SAMPLE.replace("<line>9</line>", "<line>2</line>"), 13, "a sourceRange of compression ends before it starts",
    ),
    "another document": ("<html></html>", 1, "the outermost element is html"),
    "no option": ("<vm name='x'></vm>", 1, "holds no option"),
    "not well-formed": (SAMPLE.replace("</vm>", ""), 57, "is not well-formed: no element found"),
    "empty": ("", 1, "is not well-formed: no element found"),
    "own entity": (
        model(head="<!DOCTYPE vm [<!ENTITY a 'b'>]>"), 1, "declares a document type of its own, which is never read",
    ),
    "foreign entity": (model(option("&a;"), head="<!DOCTYPE vm SYSTEM 'vm.dtd'>"), 3, "refers to an entity"),
    "encoding": (model(head="<?xml version='1.0' encoding='klingon'?>"), 1, "cannot be decoded (unknown encoding: klingon)"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "line", "problem"), FAULTS.values(), ids=FAULTS)
def test_faults_name_their_element_and_line(tmp_path: Path, content: str, line: int, problem: str) -> None:
    with pytest.raises(InvalidBundle) as refused:
        read_file(write(tmp_path, content))
    told = [(fault.line, str(fault).partition(": ")[2]) for fault in refused.value.faults]
    assert any(at == line and problem in words for at, words in told), told


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    content = model(
        option("a", "<parent>x</parent>"),
        option("b", "<optional>maybe</optional>"),
        numeric=option("n"),
        boolean="<constraint>z</constraint>",
    )
    with pytest.raises(InvalidBundle) as refused:
        read_file(write(tmp_path, content))
    assert sorted(fault.line for fault in refused.value.faults) == [3, 4, 6, 7]


def test_a_folder_with_two_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path, name="one.xml")
    write(tmp_path, name="two.xml")
    with pytest.raises(InvalidBundle, match="holds 2 XML files instead of one"):
        read_file(tmp_path)
