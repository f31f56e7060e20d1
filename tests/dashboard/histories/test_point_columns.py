"""Points by column come by series and in order, however they were read and however far apart ids lie."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.selectors.histories.columns import by_series
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace

SERIES = (3, 4, 9)


def order_of(ids: list[int]) -> OrderedRevisions:
    """An order of revisions with these ids."""
    places = [RevisionPlace(pk, f"r{pk}", 2 * at, "", "", None, "", None, "") for at, pk in enumerate(ids)]
    return OrderedRevisions("dates", tuple(places))


@given(
    ids=st.lists(st.integers(1, 40), unique=True, max_size=12),
    points=st.lists(st.tuples(st.sampled_from(SERIES), st.integers(1, 45)), unique=True, max_size=30),
    apart=st.sampled_from((1, 10**9)),
    is_sorted=st.booleans(),
)
def test_points_are_those_of_each_series_in_order(
    *, ids: list[int], points: list[tuple[int, int]], apart: int, is_sorted: bool
) -> None:
    """Points at revisions that the order lacks are left out."""
    order = order_of([apart * pk for pk in ids])
    rows: list[tuple[Any, ...]] = [
        (series, apart * revision, at + 1, at * 0.5, at * 0.1) for at, (series, revision) in enumerate(points)
    ]
    place_of = {place.revision_id: at for at, place in enumerate(order.revisions)}
    if is_sorted:
        rows.sort(key=lambda row: (row[0], place_of.get(row[1], -1)))
    kinds = ("i8", "i8", "i8", "f8", "f8")
    columns = tuple(np.array([row[at] for row in rows], dtype=kind) for at, kind in enumerate(kinds))
    found = by_series(SERIES, columns, order)
    assert list(found) == list(SERIES)
    for one in SERIES:
        own = sorted(
            (row for row in rows if row[0] == one and row[1] in place_of), key=lambda row: place_of[row[1]]
        )
        assert found[one].revisions.tolist() == [row[1] for row in own]
        assert found[one].places.tolist() == [place_of[row[1]] for row in own]
        assert found[one].positions.tolist() == [2 * place_of[row[1]] for row in own]
        values = (found[one].repetitions, found[one].medians, found[one].spreads)
        assert [some.tolist() for some in values] == [[row[at] for row in own] for at in (2, 3, 4)]
