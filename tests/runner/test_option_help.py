"""Options are read from what a program prints when asked for help; what is not sure says why."""

from runner.option_help import proposed_options

HELP = """\
Usage: shrink [OPTION]... [FILE]

  -0 ... -9           how hard it tries
  -e, --extreme       try harder. Slow
  -m, --mode {fast,exact}
                      how it looks for repetitions
      --check=none|sum   what it adds at the end
  -T, --filter=EXPR   what is left out
      --settings      print the settings and exit
      --keep          keep the input
  -h, --help          show this and exit
"""


def test_switches_and_listed_values_become_options() -> None:
    found = {one.name: one for one in proposed_options(HELP)}
    assert found["extreme"].levels == (False, True)
    assert found["extreme"].arguments == {"on": ("--extreme",)}
    assert found["extreme"].description == "try harder"
    assert found["mode"].levels == ("default", "fast", "exact")
    assert found["mode"].arguments["exact"] == ("--mode=exact",)
    assert found["mode"].description == "how it looks for repetitions"
    assert found["check"].levels == ("default", "none", "sum")
    assert found["level"].arguments == {"0": ("-0",), "4": ("-4",), "9": ("-9",)}
    assert not any(found[name].doubt for name in ("extreme", "mode", "check", "level"))


def test_two_names_in_columns_without_a_comma_are_of_one_option() -> None:
    """What prints the version does no work: it is not the option that saves most."""
    text = (
        "  -F  --first          Do it first\n  -V  --version        Show the version\n  -x  --old is meant\n"
    )
    found = {one.name: one for one in proposed_options(text)}
    assert (found["first"].arguments, found["first"].description) == ({"on": ("--first",)}, "Do it first")
    assert found["version"].doubt
    assert found["x"].arguments == {"on": ("-x",)}


def test_values_that_are_not_listed_and_what_ends_a_run_are_doubtful() -> None:
    found = {one.name: one for one in proposed_options(HELP)}
    assert "not listed: EXPR" in found["filter"].doubt
    assert found["help"].doubt
    assert found["settings"].doubt
    assert found["keep"].doubt


def test_a_text_without_options_has_none() -> None:
    assert proposed_options("shrink - makes files smaller\n\nno options here\n") == ()


COLUMNS = """\
Options:
 -i,  --stdin                      Read input from stdin
 -s,  --indent-size=NUMBER         Indentation size. (default 4)
 -t,  --indent-with-tabs           Indent with tabs, overrides -s and -c
      --lines N                    lines that are kept together at most,
                                   wherever they stand [2]
      --share=PART                 how much is kept (default: 50%)
"""


def test_names_in_columns_belong_to_one_option() -> None:
    """The long name is the one that is told and used."""
    found = {one.name: one for one in proposed_options(COLUMNS)}
    assert list(found) == ["stdin", "indent_size", "indent_with_tabs", "lines", "share"]
    assert found["indent_with_tabs"].arguments == {"on": ("--indent-with-tabs",)}
    assert found["indent_with_tabs"].description == "Indent with tabs, overrides -s and -c"


def test_a_number_whose_default_is_told_has_larger_ones_as_levels() -> None:
    """Also where it stands on the second line; a part of a hundred is no number of something."""
    found = {one.name: one for one in proposed_options(COLUMNS)}
    assert found["indent_size"].levels == ("default", "8", "16")
    assert found["indent_size"].arguments["8"] == ("--indent-size=8",)
    assert found["indent_size"].description == "Indentation size"
    assert found["lines"].levels == ("default", "4", "8")
    assert "not listed" in found["share"].doubt


DESCRIBED = """\
  -d, --directories=ACTION  how to handle directories;
                            ACTION is 'read', 'recurse', or 'skip'
      --sort=WORD           sort according to WORD: general-numeric -g,
                              month -M, version -V
      --quoting=STYLE       how it is quoted: never or always
      --capture=METHOD      one of fd|sys|no
      --color COLOR         colours (yes/no/auto)
      --format <FORMAT>     how it is printed [default: full] [possible values: concise, full]
      --parallel=N          change the number of sorts run concurrently to N
  -S, --buffer-size=SIZE    use SIZE for main memory buffer
      --label=LABEL         use LABEL as the file name, and say: so
"""


def test_values_are_read_in_descriptions() -> None:
    """In quotes, behind a colon, with strokes between them, as clap lists them; numbers and sizes are made up."""
    found = {one.name: one.levels[1:] for one in proposed_options(DESCRIBED)}
    assert found["directories"] == ("read", "recurse", "skip")
    assert found["sort"] == ("general-numeric", "month", "version")
    assert found["quoting"] == ("never", "always")
    assert found["capture"] == ("fd", "sys", "no")
    assert found["color"] == ("yes", "no", "auto")
    assert found["format"] == ("concise", "full")
    assert found["parallel"] == ("1", "4", "16")
    assert found["buffer_size"] == ("65536", "1048576", "16777216")
    assert found["label"] == ("FILL IN",)


def test_a_frame_around_options_is_no_part_of_them() -> None:
    text = """
╭─ Options ───────────────────────────────────────────────╮
│ --fast  -f            Do it fast.                       │
│ --mode      [a|b]     How it is done.  [default: a]     │
╰─────────────────────────────────────────────────────────╯
"""
    found = {one.name: one for one in proposed_options(text)}
    assert list(found) == ["fast", "mode"]
    assert found["fast"].levels == (False, True)
    assert found["mode"].levels == ("default", "a", "b")
    assert found["mode"].description == "How it is done"
