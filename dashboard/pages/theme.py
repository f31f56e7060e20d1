"""Mantine's theme: our typefaces, sizes and the one accent. Colours of surfaces come from `static/css`."""

from typing import Any

from dashboard.figures.theme import MONO, SANS

THEME: dict[str, Any] = {
    "fontFamily": SANS,
    "fontFamilyMonospace": MONO,
    "headings": {"fontFamily": SANS, "fontWeight": "600"},
    "fontSizes": {"xs": "12px", "sm": "14px", "md": "14px", "lg": "14px", "xl": "22px"},
    "primaryColor": "accent",
    "primaryShade": {"light": 6, "dark": 4},
    "autoContrast": True,
    "defaultRadius": "sm",
    "radius": {"xs": "4px", "sm": "6px", "md": "8px", "lg": "12px", "xl": "16px"},
    "cursorType": "pointer",
    "respectReducedMotion": True,
    "colors": {
        "accent": [
            "#efeffc",
            "#dcdcf8",
            "#c3c2f2",
            "#a3a1ff",
            "#8a88f0",
            "#6462dc",
            "#4b4ac9",
            "#403fb0",
            "#353492",
            "#2a2974",
        ],
    },
}
