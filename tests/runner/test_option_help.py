"""Options are read from what a program prints when asked for help; what is not sure says why."""

from runner.option_help import proposed_options

HELP = """\
Usage: shrink [OPTION]... [FILE]

  -0 ... -9           how hard it tries
  -e, --extreme       try harder. Slow
  -m, --mode {fast,exact}
                      how it looks for repetitions
      --check=none|sum   what it adds at the end
  -T, --threads=NUM   threads at most
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


def test_values_that_are_not_listed_and_what_ends_a_run_are_doubtful() -> None:
    found = {one.name: one for one in proposed_options(HELP)}
    assert "not listed: NUM" in found["threads"].doubt
    assert found["help"].doubt
    assert found["keep"].doubt


def test_a_text_without_options_has_none() -> None:
    assert proposed_options("shrink - makes files smaller\n\nno options here\n") == ()
