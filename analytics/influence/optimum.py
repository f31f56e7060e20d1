"""The best and the worst configuration that a model knows of, exactly, under constraints.

Few configurations are predicted one by one. Of more, the model is a sum of products of indicators [option = level], and
the valid configurations are the paths of their decision diagram: a mixed-integer linear program, which HiGHS solves by
branch and cut (Huangfu & Hall, Math. Prog. Comp. 2018). A path is a flow of one through the diagram; a product z of
indicators x is z <= x for each, and z >= sum of x - (their number - 1) (McCormick, Math. Programming 1976).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from analytics.configurations.cubes import cubes_of
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.located import LocatedModel, TermModel
from analytics.influence.moebius import UNTOUCHED, all_levels, differences, term_levels
from analytics.influence.terms import summed_terms
from analytics.influence.times import FloatArray

LISTED = 1 << 12  # configurations that are predicted one by one
_AT_ONCE = 1 << 10
_SAME = 1e-12  # relative: what rounding leaves between equal sums
_FREE = 1e-4  # far beyond the tolerances of the solver, far below what undetermined sums are
_LARGEST = 100.0  # to which coefficients are scaled: the solver's tolerances are absolute
_NEVER_BEST = 2  # the solver's status where nothing satisfies the constraints

# One row of a linear program: (column, factor) pairs, and between which values their sum is.
_Row = tuple[list[tuple[int, float]], float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """A configuration, shape (n_options,), than which none has a better predicted `value`.

    `is_proven` is False where the search ran out of time: then a better one may exist.
    """

    configuration: IntArray
    value: float
    is_proven: bool = True


def optimum(
    model: TermModel,
    valid: ValidConfigurations,
    *,
    largest: bool = False,
    listed: int = LISTED,
    seconds: float = 10.0,
) -> Optimum | None:
    """The `valid` configuration with the smallest predicted value, or the `largest`; None where none is predicted.

    Of equal ones, one with few options away from the reference. Up to `listed` configurations are predicted one by one;
    a search among more ends after `seconds`. Raises `InfluenceError` where it found nothing until then.
    """
    if valid.count() <= listed:
        rows = valid.enumerate(listed)
        starts = range(0, len(rows), _AT_ONCE)
        values = np.concatenate([[], *(model.predict(rows[at : at + _AT_ONCE]) for at in starts)])
        known = np.flatnonzero(np.isfinite(values))
        if not len(known):
            return None
        best = values[known].max() if largest else values[known].min()
        same = known[np.abs(values[known] - best) <= _SAME * np.abs(values[known]).max()]
        row = rows[same[np.count_nonzero(rows[same], axis=1).argmin()]]
        return Optimum(row, float(model.predict(row[np.newaxis])[0]))
    return _Program(model, valid, -1.0 if largest else 1.0).solved(seconds)


class _Program:
    """The linear program: columns are first the arcs of the decision diagram, then the terms of the model."""

    def __init__(self, model: TermModel, valid: ValidConfigurations, sign: float) -> None:
        self.model, self.valid = model, valid
        self.levels, self.coefficients = _terms_of(model)
        # Options that decide whether anything is predicted.
        self.used: set[int] = set()
        sizes = [layer.size for layer in valid.layers]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.arcs = int(self.starts[-1])
        scale = _LARGEST / max(np.abs(self.coefficients).max(initial=0.0), np.finfo(float).tiny)
        self.costs = np.concatenate([np.zeros(self.arcs), sign * scale * self.coefficients])

    def solved(self, seconds: float) -> Optimum | None:
        """The best configuration; see `optimum`."""
        rows = [*self.paths(), *self.products(), *self.predicted()]
        places = [(at, column, factor) for at, (pairs, _, _) in enumerate(rows) for column, factor in pairs]
        at, columns, factors = zip(*places, strict=True)
        matrix = coo_array((factors, (at, columns)), shape=(len(rows), len(self.costs))).tocsr()
        ends = [layer.ravel() < after for layer, after in zip(self.valid.layers, self._after(), strict=True)]
        upper = np.concatenate([*ends, np.ones(len(self.coefficients))]).astype(float)
        found = milp(
            self.costs,
            integrality=(np.arange(len(self.costs)) < self.arcs).astype(int),
            bounds=Bounds(0.0, upper),
            constraints=LinearConstraint(matrix, [row[1] for row in rows], [row[2] for row in rows]),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if found.status == _NEVER_BEST:
            return None
        if found.x is None:
            raise InfluenceError(f"no best configuration was found within {seconds:g} s: fix some options")
        row = np.zeros(len(self.valid.order), dtype=np.int8)
        for place, position in enumerate(self.valid.order):
            taken = found.x[self.starts[place] : self.starts[place + 1]]
            row[position] = int(taken.argmax()) % self.valid.space.sizes[position]
        # Options without any influence stay at their reference where constraints allow it.
        used = sorted(self.used | set(np.flatnonzero((self.levels != UNTOUCHED).any(axis=0)).tolist()))
        kept = self.valid.holding({place: int(row[place]) for place in used}).nearest(
            self.valid.space.reference
        )
        row = row if kept is None else kept
        return Optimum(row, float(self.model.predict(row[np.newaxis])[0]), found.status == 0)

    def _after(self) -> list[int]:
        """For each layer the number that stands for no valid remainder."""
        return [*(len(layer) for layer in self.valid.layers[1:]), 1]

    def paths(self) -> Iterator[_Row]:
        """A flow of one enters the first layer, and leaves each node as it came in."""
        sizes = [self.valid.space.sizes[position] for position in self.valid.order]
        into: dict[int, list[tuple[int, float]]] = {0: []}
        amount = 1.0
        for place, (layer, size, never) in enumerate(
            zip(self.valid.layers, sizes, self._after(), strict=True)
        ):
            coming: dict[int, list[tuple[int, float]]] = {node: [] for node in range(never)}
            for node, after in enumerate(layer):
                first = int(self.starts[place]) + node * size
                leaving = [(first + level, 1.0) for level in range(size)]
                yield [*leaving, *into[node]], amount, amount
                for level in np.flatnonzero(after < never).tolist():
                    coming[int(after[level])].append((first + level, -1.0))
            into, amount = coming, 0.0

    def _indicator(self, position: int, level: int) -> list[tuple[int, float]]:
        """Whether the option has the level: the sum of these arcs."""
        place = self.valid.order.index(position)
        size = self.valid.space.sizes[position]
        return [(arc, 1.0) for arc in range(self.starts[place] + level, self.starts[place + 1], size)]

    def products(self) -> Iterator[_Row]:
        """Each term's column is the product of its indicators."""
        for column, row in enumerate(self.levels, self.arcs):
            parts = [self._indicator(at, int(row[at])) for at in np.flatnonzero(row != UNTOUCHED).tolist()]
            for part in parts:
                yield [(column, 1.0), *((arc, -1.0) for arc, _ in part)], -1.0, 0.0
            yield [*(one for part in parts for one in part), (column, -1.0)], -np.inf, len(parts) - 1.0

    def predicted(self) -> Iterator[_Row]:
        """What is not predicted is left out: uncovered subspaces, and what the measured values do not determine."""
        if isinstance(self.model, LocatedModel):
            for direction in _plain(self.model.whole.fitted.free.T):
                factors = np.flatnonzero(np.abs(direction) > _FREE)
                yield [(self.arcs + int(at), float(direction[at])) for at in factors], -_FREE, _FREE
            return
        for group in (local.subspaces for local in self.model.local):
            missing = np.isnan(group.values.sum(axis=0))[group.partition.table]
            for cube in cubes_of(missing):
                held = [
                    (position, [level for level in range(size) if mask >> level & 1], size)
                    for position, mask, size in zip(group.partition.options, cube, missing.shape, strict=True)
                ]
                parts = [(position, levels) for position, levels, size in held if len(levels) < size]
                self.used |= {position for position, _ in parts}
                pairs = [
                    one for at, levels in parts for level in levels for one in self._indicator(at, level)
                ]
                yield pairs, -np.inf, len(parts) - 1.0


def _plain(directions: FloatArray) -> FloatArray:
    """Directions (k, n_terms) that span the same, each with a 1 where all others have a 0: sums of few terms, none of them tiny."""
    if not len(directions):
        return directions
    reduced, order = qr(directions, mode="r", pivoting=True)
    made = np.empty_like(directions)
    made[:, order] = solve_triangular(reduced[:, : len(directions)], reduced)
    return made


def _terms_of(model: TermModel) -> tuple[IntArray, FloatArray]:
    """The terms of a model (n_terms, n_options), relative to the reference, and their coefficients (n_terms,).

    What was never measured counts as 0. Of a multiplicative model they are those of the logarithm, which has the same order.
    """
    if isinstance(model, LocatedModel):
        return model.whole.levels, model.whole.fitted.coefficients
    space, levels, coefficients = model.times.space, [], []
    reach = all_levels(space, space.reference)
    for group in (local.subspaces for local in model.local):
        options = group.partition.options
        cells = np.nan_to_num(group.values.sum(axis=0))[group.partition.table]
        moved = differences(cells[..., np.newaxis]).ravel()
        rows = np.flatnonzero(moved)
        levels.append(term_levels(rows, options, [reach[at] for at in options], len(reach)))
        coefficients.append(moved[rows])
    return summed_terms(np.concatenate(levels), np.concatenate(coefficients))
