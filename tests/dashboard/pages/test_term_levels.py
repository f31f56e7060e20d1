"""What is said beside the small histories of terms."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dashboard.access import Access, Permission, Principal
from dashboard.models import System
from dashboard.pages.histories import terms
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import BandRow, History, MeasuredPoint, SeriesRow

SERIES = SeriesRow("term", "a", 1, 1, 1, 1, "a", "regular", "here", "time", "s", "cpu", "lower", 2, 1)
POINTS = (MeasuredPoint(0, "1.0", 5, 0.050, None), MeasuredPoint(1, "1.1", 5, -0.017, None))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What the page shows of a term with this band."""

    def shown(band: tuple[BandRow, ...], others: int = 0) -> str:
        history = History(
            SERIES, OrderedRevisions("all", ()), POINTS, band, (), (), enough_data=True, gap=None
        )
        more = [
            replace(history, series=replace(SERIES, subject=f"t{at}", label=f"t{at}")) for at in range(others)
        ]
        monkeypatch.setattr(terms, "term_histories", lambda **_: (history, *more))
        monkeypatch.setattr(terms, "chosen_series", lambda *_: SERIES)
        access = Access(Principal.operator(), System(slug="small"), Permission.VIEW)
        return str(terms.show_terms(access, None, None, Lens()))

    return shown


def test_a_steady_term_is_told_by_its_estimate_and_not_by_its_last_scattering_point(
    said: Callable[..., str],
) -> None:
    band = tuple(BandRow(place, 0.006, 0.004, 0.008, 0.0, 0.012) for place in range(2))
    assert "steady at 6 ± 6" in said(band).replace("\\xa0", " ")


def test_without_an_estimate_the_last_point_is_told(said: Callable[..., str]) -> None:
    assert "17." in said(())


def test_terms_without_a_figure_are_links(said: Callable[..., str]) -> None:
    """The first twelve of them; how many more there are stands at the link to the list of all."""
    few = said((), others=13)
    assert "and 2 more: " in few
    assert all(f"/app/s/small/histories?term=t{at}" in few for at in (11, 12))
    assert "A(children='all histories', " in few
    assert "A(children='3 more in all histories', " in said((), others=26)
