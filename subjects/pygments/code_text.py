"""Python source from a seed: it parses, and it means nothing."""

import random

NAMES = ("alpha", "beta", "count", "delta", "entries", "first", "group", "height", "index", "label")
TYPES = ("int", "str", "float", "bytes", "list[int]", "dict[str, int]", "None")


def generate(seed: int, functions: int) -> str:
    """Return the source of `functions` functions and of a class for every fourth, the same for the same `seed`."""
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    parts = ['"""Made up."""', "import os, sys", "from typing import Any, Optional"]
    for at in range(functions):
        parts.append(function(chance, at))
        if at % 4 == 0:
            parts.append(class_(chance, at))
    return "\n\n\n".join(parts) + "\n"


def expression(chance: random.Random) -> str:
    """Return an expression over the known names."""
    left, right = chance.sample(NAMES, 2)
    return chance.choice(
        (
            f"{left} + {right} * {chance.randrange(1000)}",
            f"{left}.get('{right}', {chance.random():.3f})",
            f"[{left} for {left} in range({chance.randrange(9)}) if {left} % 2 == 0]",
            f'f"{{{left}}} of {{{right}!r:>10}}"',
            f"not {left} and {right} is None or 0x{chance.randrange(4096):x}",
            f"lambda {left}, *{right}: ({left}, {right})",
            f'"{left} {right}\\n" % {left}',
        )
    )


def function(chance: random.Random, at: int) -> str:
    """Return a function with loops, branches and a docstring."""
    first, second = chance.sample(NAMES, 2)
    lines = [
        f"@decorated({at})",
        f"def {first}_{at}({second}: {chance.choice(TYPES)} = None, **rest: Any) -> Optional[int]:",
        f'    """Return {first} of `{second}`, or nothing."""',
    ]
    for _ in range(4):
        name = chance.choice(NAMES)
        lines += [
            f"    {name} = {expression(chance)}  # {chance.choice(NAMES)} comes later",
            f"    if {name} >= {chance.randrange(99)}e-3:",
            f"        raise ValueError({expression(chance)})",
        ]
    return "\n".join([*lines, f"    return {expression(chance)}"])


def class_(chance: random.Random, at: int) -> str:
    """Return a class with two methods."""
    lines = [f"class {chance.choice(NAMES).title()}{at}(object):", f"    {chance.choice(NAMES)} = {at}"]
    for name in chance.sample(NAMES, 2):
        lines += [
            "",
            f"    async def {name}(self, other):",
            f"        async with self.{name} as {name}, other:",
            f"            yield {expression(chance)}",
        ]
    return "\n".join(lines)
