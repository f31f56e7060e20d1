"""The lens: what is selected, kept in the address and carried from page to page."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dashboard.selectors.model_rows import Selection

# What links to other pages carry, in the order of an address.
CARRIED = ("base", "compared", "term", "region", "revision", "since", "workload", "environment", "metric")


@dataclass(frozen=True, slots=True)
class Lens(Selection):
    """What is selected, as texts; "" where nothing is: a model, and what of it is looked at.

    `term` is options joined by `*`, `region` a region's key, `since` a revision by name. `model` and `settings` belong
    to one page (threshold, filter, ...): they stay in the address and are dropped by a link to another page.
    """

    term: str = ""
    region: str = ""
    since: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, data: Mapping[str, Any] | None) -> "Lens":
        """The lens of `ids.LENS`'s data, or of anything like it."""
        given = {str(name): str(value) for name, value in (data or {}).items() if value not in (None, "")}
        selected = {name: given.pop(name) for name in (*CARRIED, "model") if name in given}
        return cls(**selected, settings=given)

    @classmethod
    def of_query(cls, search: str | None) -> "Lens":
        """The lens of a query string; of a repeated name the last one counts."""
        return cls.read(dict(parse_qsl((search or "").lstrip("?"))))

    def data(self) -> dict[str, str]:
        """What `ids.LENS` holds."""
        selected = {name: getattr(self, name) for name in (*CARRIED, "model")}
        return {name: value for name, value in {**selected, **self.settings}.items() if value}

    def query(self) -> str:
        """The query string without settings, "" or beginning with `?`: what links to other pages carry."""
        carried = {name: value for name in CARRIED if (value := getattr(self, name))}
        return "?" + urlencode(carried) if carried else ""

    def whole_query(self) -> str:
        """All of it as a query string without `?`: what an address of its own page says."""
        return urlencode(self.data())

    def whole(self, setting: str) -> int | None:
        """A setting that is a whole number, None where it is not."""
        written = self.settings.get(setting, "")
        return int(written) if written.isdecimal() else None

    def but(self, **changes: str) -> "Lens":
        """The same lens with some selections changed; "" removes one."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def setting(self, **changes: str) -> "Lens":
        """The same lens with some of this page's settings changed; "" removes one."""
        kept = {name: value for name, value in {**self.settings, **changes}.items() if value}
        return replace(self, settings=kept)
