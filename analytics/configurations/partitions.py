"""Partitions: the configuration space of one region, split into subspaces.

All configurations of a subspace take the same path through the region (Velez et al., ICSE 2021, Sec. III-A).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np

from analytics.configurations.cubes import literal_of
from analytics.configurations.errors import ConfigurationError, TooManyCellsError, how_many
from analytics.configurations.formulas import BoolArray, Literal, parse, resolve, words
from analytics.configurations.operations import atoms, truth
from analytics.configurations.options import IntArray, OptionSpace

MAX_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The subspaces of a region over the options that it mentions.

    `options` holds positions in `space`, ascending. `table` has one axis per such option, as long as the
    option has levels; each of its cells holds the index of the subspace, which is the index in `formulas`.
    """

    space: OptionSpace
    options: tuple[int, ...]
    formulas: tuple[str, ...]
    table: IntArray

    @classmethod
    def from_formulas(cls, space: OptionSpace, formulas: Sequence[str]) -> "Partition":
        """The partition whose subspaces are `formulas`, in order.

        Raises `FormulaSyntaxError`, and `ConfigurationError` for unknown options and levels; it has a
        witness when two formulas overlap, none holds somewhere, or one holds nowhere.
        """
        parsed = [parse(text) for text in formulas]
        literals = {literal: resolve(literal, space) for formula in parsed for literal in atoms(formula)}
        options = tuple(sorted({position for position, _ in literals.values()}))
        shape = _shape(space, options)
        levels = np.indices(shape, dtype=np.int8).reshape(len(shape), math.prod(shape))
        axes = {position: levels[axis] for axis, position in enumerate(options)}

        held: dict[Literal, BoolArray] = {
            literal: axes[position] != 0 if level is None else axes[position] == level
            for literal, (position, level) in literals.items()
        }
        table = np.full(math.prod(shape), -1, dtype=np.int32)
        everywhere = np.ones(len(table), dtype=bool)
        for index, formula in enumerate(parsed):
            cells = np.flatnonzero(truth(formula, held.__getitem__, everywhere))
            taken = cells[table[cells] >= 0]
            if len(taken):
                where = _written(space, options, shape, int(taken[0]))
                raise ConfigurationError(
                    f"subspaces {formulas[table[taken[0]]]!r} and {formulas[index]!r} overlap: "
                    f"both hold for {where}; make the formulas exclude each other"
                )
            if not len(cells):
                raise ConfigurationError(
                    f"subspace {formulas[index]!r} holds for no configuration; leave it out"
                )
            table[cells] = index
        missing = np.flatnonzero(table < 0)
        if len(missing):
            where = _written(space, options, shape, int(missing[0]))
            listed = ", ".join(repr(text) for text in formulas[:5]) + (", ..." if len(formulas) > 5 else "")
            raise ConfigurationError(
                f"no subspace holds for {where}; the subspaces are {listed or 'none'}; add the missing one"
            )
        return cls(space, options, tuple(formulas), table.reshape(shape))

    @classmethod
    def exhaustive(cls, space: OptionSpace, names: Iterable[str]) -> "Partition":
        """One subspace for each combination of levels of the options called `names`."""
        options = tuple(sorted({space.position(name) for name in names}))
        shape = _shape(space, options)
        atoms = [
            [literal_of(space, position, 1 << level) for level in range(space.sizes[position])]
            for position in options
        ]
        formulas = tuple(" & ".join(parts) or "True" for parts in product(*atoms))
        return cls(space, options, formulas, np.arange(math.prod(shape), dtype=np.int32).reshape(shape))

    @property
    def n_subspaces(self) -> int:
        """The number of subspaces."""
        return len(self.formulas)

    @property
    def key(self) -> Hashable:
        """Equal for two partitions exactly if they give each configuration the same subspace index."""
        return self.options, self.table.tobytes()

    def assign(self, configurations: IntArray) -> IntArray:
        """The subspace index of each configuration, shape (n,), given (n, n_options) level indices."""
        columns = tuple(configurations[:, position] for position in self.options)
        return np.broadcast_to(self.table[columns], len(configurations))

    def words(self) -> tuple[str, ...]:
        """Every subspace as a person says it, in order."""
        return tuple(words(parse(text), self.space) for text in self.formulas)


def partitions_of(space: OptionSpace, formulas: Mapping[str, Sequence[str]]) -> dict[str, Partition]:
    """The partition of each region; regions with the same formulas share one object.

    Raises what `Partition.from_formulas` raises.
    """
    made = cache(partial(Partition.from_formulas, space))
    return {region: made(tuple(texts)) for region, texts in formulas.items()}


def _shape(space: OptionSpace, options: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(space.sizes[position] for position in options)
    if math.prod(shape) > MAX_CELLS:
        raise TooManyCellsError(
            f"a partition over {len(shape)} options has {how_many(math.prod(shape))} combinations of levels "
            f"(at most {MAX_CELLS} can be listed): split the region or mention fewer options"
        )
    return shape


def _written(space: OptionSpace, options: Sequence[int], shape: Sequence[int], cell: int) -> str:
    """A cell of the table in words."""
    levels = np.unravel_index(cell, shape)
    return (
        ", ".join(
            f"{space.options[position].name}={space.options[position].text(int(level))}"
            for position, level in zip(options, levels, strict=True)
        )
        or "every configuration"
    )
