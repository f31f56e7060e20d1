"""A badge as a picture: a word and what holds, side by side."""

from html import escape

from dashboard.figures.numbers import percent

# Each with its white text has a contrast of 4.5 and more.
_GREY, _GREEN, _RED = "#5f6670", "#1f7a4d", "#b3401c"
_HEIGHT, _LETTER, _SIDE = 20, 6.6, 8


def badge_picture(worst: float | None, *, word: str = "slower", label: str = "performance") -> str:
    """`no change`, `slower +30.0 %` or `unknown` as SVG, whose title says the same.

    `worst` is the largest change for the worse, a share, 0 for none; `word` what to call it.
    """
    words = f"{word} {percent(100 * worst, signed=True)}" if worst else "no change"
    words = "unknown" if worst is None else words
    color = _GREY if worst is None else _RED if worst else _GREEN
    left, right = (round(len(text) * _LETTER + 2 * _SIDE) for text in (label, words))
    said = escape(f"{label}: {words}")
    font = "Verdana, DejaVu Sans, sans-serif"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" aria-label="{said}">'
        f"<title>{said}</title>"
        f'<rect width="{left + right}" height="{_HEIGHT}" rx="3" fill="#3a3f47"/>'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3}z" fill="{color}"/>'
        f'<g fill="#fff" font-family="{font}" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14" textLength="{left - 2 * _SIDE}">{escape(label)}</text>'
        f'<text x="{left + right / 2}" y="14" textLength="{right - 2 * _SIDE}">{escape(words)}</text></g></svg>'
    )
