"""A chain goes over a call only from where its function was entered before: by the caller, and with the receiver, that were seen."""

from pathlib import Path

from probe.taint.instrument import install_names
from probe.taint.tracing import trace, traced
from tests.probe.chains import chains_of, lines
from tests.probe.programs import Programs, forget

VISITORS = """
class Visitor:
    def visit(self, node, depth):
        return getattr(self, "visit_" + node[0])(node, depth)

    def visit_list(self, node, depth):
        return [self.visit(one, depth) for one in node[1:]]

class Penalties(Visitor):
    def visit_leaf(self, node, depth):
        if depth:
            return 1

class Lines(Visitor):
    def visit_leaf(self, node, depth):
        if depth:
            return 2

TREE = ["list", ["list", ["leaf"]], ["leaf"]]

def penalties(depth):
    return Penalties().visit(TREE, depth)

def lines(depth):
    return Lines().visit(TREE, depth)

def run(options):
    penalties(options["wide"] + options["deep"])
    lines(options["deep"])
"""


def test_a_chain_through_a_visitor_begins_where_its_own_class_was_sent(tmp_path: Path) -> None:
    """One method calls those of all classes, however deep the tree is: of which class it is called for is what counts."""
    propagation = chains_of(tmp_path, VISITORS, {"wide": 1, "deep": 1})
    for own, first in (
        ("Penalties", 'call: penalties(options["wide"] + options["deep"])'),
        ("Lines", 'call: lines(options["deep"])'),
    ):
        (chain,) = propagation.chains("deep", f"program:{own}.visit_leaf")
        shown = lines(chain)
        assert shown[0] == first
        assert shown[1] == f"call: return {own}().visit(TREE, depth)"
        assert shown[-1] == "if: if depth:"
        assert not {"Penalties", "Lines"} - {own} & {step.region.split(":")[1] for step in chain.steps}


def test_an_option_that_is_given_to_one_class_alone_does_not_come_from_the_other(tmp_path: Path) -> None:
    (chain,) = chains_of(tmp_path, VISITORS, {"wide": 1, "deep": 1}).chains(
        "wide", "program:Penalties.visit_leaf"
    )
    assert lines(chain)[0] == 'call: penalties(options["wide"] + options["deep"])'


PLUGINS = """
class Parser:
    def __init__(self, plugins):
        for plugin in plugins:
            plugin(self)

def table(parser):
    return 1 if parser else 0

def note(parser):
    return 2 if parser else 0

def small(size):
    return Parser([note] if size else [])

def large(size):
    return Parser([table] if size else [])

def run(options):
    size = options["size"]
    small(size)
    large(size)
"""


def test_a_chain_goes_through_the_caller_whose_plugin_it_was(tmp_path: Path) -> None:
    """One loop calls the plugins of both parsers."""
    propagation = chains_of(tmp_path, PLUGINS, {"size": 1})
    for plugin, caller in (("table", "large"), ("note", "small")):
        (chain,) = propagation.chains("size", f"program:{plugin}")
        assert lines(chain)[:3] == [
            'assignment: size = options["size"]',
            f"call: {caller}(size)",
            f"ternary: return Parser([{plugin}] if size else [])",
        ]


REGISTRY = """
HANDLERS = {}

def registered(name, handler):
    HANDLERS[name] = handler

def bold(text, size):
    return padded(text, size)

def code(text, size):
    return padded(text, size)

def padded(text, size):
    if size:
        return text * 2

def handled(name, size):
    return HANDLERS[name]("a", size)

def written(size):
    return handled("bold", size)

def drawn(size):
    return handled("code", size)

def run(options):
    registered("bold", bold)
    registered("code", code)
    wide = options["wide"]
    drawn(options["deep"])
    written(wide)
"""


def test_a_chain_through_a_registry_comes_from_the_caller_that_asked_for_its_function(tmp_path: Path) -> None:
    propagation = chains_of(tmp_path, REGISTRY, {"wide": 1, "deep": 1})
    (chain,) = propagation.chains("wide", "program:padded")
    assert lines(chain) == [
        'assignment: wide = options["wide"]',
        "call: written(wide)",
        'call: return handled("bold", size)',
        'call: return HANDLERS[name]("a", size)',
        "call: return padded(text, size)",
        "if: if size:",
    ]
    (chain,) = propagation.chains("deep", "program:padded")
    assert [step.region for step in chain.steps][1:4] == ["program:drawn", "program:handled", "program:code"]


HANDED = """
class Parser:
    def __init__(self):
        self.methods = {}

    def register(self, name, function):
        self.methods[name] = lambda text: function(self, text)

def one(parser, text):
    return 1 if text else 0

def two(parser, text):
    return 2 if text else 0

def three(parser, text):
    return 3 if text else 0

def tables(parser, on):
    if on:
        parser.register("one", one)
        parser.register("two", two)
        parser.register("three", three)

def run(options):
    parser = Parser()
    tables(parser, options["tables"])
    return [parser.methods[name]("a") for name in sorted(parser.methods)]
"""


def test_a_function_that_is_handed_over_and_called_there_comes_from_the_line_that_names_it(
    tmp_path: Path,
) -> None:
    propagation = chains_of(tmp_path, HANDED, {"tables": 1})
    for name in ("one", "two", "three"):
        (chain,) = propagation.chains("tables", f"program:{name}")
        shown = lines(chain)
        assert f'call: parser.register("{name}", {name})' in shown
        assert len([line for line in shown if "parser.register" in line]) == 1


def test_what_one_call_returns_is_not_given_to_another_function_that_it_was_of_at_another_time(
    tmp_path: Path,
) -> None:
    """The line gets the results of both, but neither gets that of the other."""
    text = """
def first(given):
    return given

def second(given):
    return 1 if given else 0

def called(function, given):
    return function(given)

def run(options):
    called(first, options["one"])
    called(second, options["two"])
"""
    propagation = chains_of(tmp_path, text, {"one": 1, "two": 1})
    (chain,) = propagation.chains("two", "program:second")
    assert lines(chain)[0] == 'call: called(second, options["two"])'
    assert propagation.chains("one", "program:second") == ()


def test_calls_before_the_record_was_cleared_are_no_part_of_a_trace(tmp_path: Path) -> None:
    """A warm-up may call what the traced run does not."""
    install_names()
    text = """
def first(given):
    return second(given)

def second(given):
    return 1 if given else 0

def third(given):
    return 2 if given else 0

def run(options):
    return first(options["one"]) if options["two"] else third(options["one"])
"""
    forget()
    program = Programs(tmp_path).load(text, rewritten=True)
    traced(program.run, {"one": 1, "two": 1})
    assert "program:first" in trace(("one", "two"))["functions"]
    forget()
    traced(program.run, {"one": 1, "two": 0})
    assert trace(("one", "two"))["functions"].keys() == {"program:run", "program:third"}


REGISTERED = """
class Parser:
    def __init__(self):
        self.rules = {}

    def register(self, name, rule):
        self.rules[name] = rule

    def used(self, name):
        rule = self.rules.get(name)
        if rule:
            return rule

def wide(parser):
    parser.register("wide", "w")

def deep(parser):
    parser.register("deep", "d")

def run(options):
    parser = Parser()
    plugins = [one for name, one in (("wide", wide), ("deep", deep)) if options[name]]
    if plugins:
        for plugin in plugins:
            plugin(parser)
    for name in ("wide", "deep"):
        parser.used(name)
"""


def test_a_chain_goes_through_the_functions_whose_counts_its_option_changes(tmp_path: Path) -> None:
    """All plugins are called where there is any; what was called between two steps counts as the steps do."""
    moved = {name: (f"program:{name}", "program:Parser.used") for name in ("wide", "deep")}
    propagation = chains_of(tmp_path, REGISTERED, {"wide": 1, "deep": 1}, moved=moved)
    for own in ("wide", "deep"):
        (chain,) = propagation.chains(own, "program:Parser.used")
        shown = lines(chain)
        assert f'call: parser.register("{own}", "{own[0]}")' in shown
        assert sum(line.startswith("call: parser.register(") for line in shown) == 1
