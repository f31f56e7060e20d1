"""What is said beside the small histories of terms."""

from dashboard.pages.histories.terms import _small
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.rows import BandRow, History, MeasuredPoint, OrderedRevisions, SeriesRow

SERIES = SeriesRow("term", "a", 1, 1, 1, 1, "a", "regular", "here", "time", "s", "cpu", "lower", 2, 1)
POINTS = (MeasuredPoint(0, "1.0", 5, 0.050, None), MeasuredPoint(1, "1.1", 5, -0.017, None))


def _said(band: tuple[BandRow, ...]) -> str:
    history = History(SERIES, OrderedRevisions("all", ()), POINTS, band, (), (), enough_data=True, gap=None)
    caption = _small(history, None, "small", Lens()).children[0]
    return str(caption.children[1].children)


def test_a_steady_term_is_told_by_its_estimate_and_not_by_its_last_scattering_point() -> None:
    band = tuple(BandRow(place, 0.006, 0.004, 0.008, 0.0, 0.012) for place in range(2))
    assert _said(band).startswith("steady at 6.")


def test_without_an_estimate_the_last_point_is_told() -> None:
    assert "17." in _said(())
