"""Colours and templates of figures."""

import plotly.graph_objects as go
import plotly.io as pio
import pytest

from dashboard.figures.theme import DARK, LIGHT, Palette, blank, palette


def _luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2, definition)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_is_readable_and_marks_are_visible(colours: Palette) -> None:
    """WCAG 2.1 AA: 4.5 for text, 3 for what is drawn; the quiet grey of doubt is always labelled besides."""
    for text in (colours.ink, colours.ink_soft, colours.accent):
        assert _contrast(text, colours.surface) >= 4.5
    for mark in (colours.slower, colours.faster, colours.ink_faint):
        assert _contrast(mark, colours.surface) >= 3.0
    assert _contrast(colours.uncertain, colours.surface) >= 2.2


def test_light_and_dark_are_told_by_the_scheme() -> None:
    assert palette("dark") is DARK
    assert palette("light") is palette(None) is LIGHT
    assert pio.templates[palette("dark").template].layout.font.color == DARK.ink
    assert pio.templates[palette(None).template].layout.font.color == LIGHT.ink


def test_a_template_stays_small_since_every_figure_carries_it() -> None:
    figure = go.Figure(layout_template=palette("dark").template)
    assert len(figure.to_json()) < 3000


def test_a_blank_figure_draws_nothing() -> None:
    figure = blank()
    assert not figure.data
    assert not figure.layout.xaxis.visible
