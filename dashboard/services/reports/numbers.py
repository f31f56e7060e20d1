"""Numbers that a text of a report names: each is read from what the pages show, and written with its interval and unit."""

from collections.abc import Callable, Mapping

from dashboard.access import Access, Refused
from dashboard.figures.histories_words import certain, interval, scale_of
from dashboard.figures.numbers import estimate_text, number, percent
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Influences
from dashboard.selectors.regions.measured import region
from dashboard.services.reports.sections import Lens, selection_of

_NAMED = 5  # remedies that a message names


def bound_number(access: Access, word: str, about: str, lens: Lens) -> str:
    """The number that `{{ word about }}` stands for, for what the lens selects, as people read it.

    Raises `Refused` for a word or a thing that there is not, naming what there is, and `NotFound` where nothing is measured.
    """
    if word not in NUMBERS:
        raise Refused(f"there is no number {word!r}: choose one of {', '.join(NUMBERS)}")
    return NUMBERS[word](access, about, lens)


def influence_number(access: Access, about: str, lens: Lens) -> str:
    """What the term `about` (`A*B`) adds, in the unit of the metric. Raises as `bound_number`."""
    found = _model(access, lens)
    wanted = sorted(part.strip() for part in about.replace("×", "*").split("*"))
    named = [
        term
        for term in found.terms
        if term.key == about or sorted(change.option for change in term.changes) == wanted
    ]
    exact = [term for term in named if term.key == about] or named
    if len(exact) != 1:
        choices = [term.key for term in named or found.terms]
        several = f"{about!r} stands for several terms: say which of {', '.join(choices[:_NAMED])}"
        raise Refused(several if named else _absent("term", about, choices))
    one = exact[0].influence
    return number(one.value, one.margin, found.model.unit, signed=True)


def prediction_number(access: Access, about: str, lens: Lens) -> str:
    """The time of the configuration `about`, "" for that of the lens or the default. Raises as `bound_number`."""
    found = _model(access, {**lens, "compared": about or lens.get("compared", "")})
    time = found.base_time if found.target_time is None else found.target_time
    return estimate_text(time, found.model.unit)


def region_number(access: Access, about: str, lens: Lens) -> str:
    """The time of the region with the key `about`, "" for that of the lens. Raises as `bound_number`."""
    key = about or lens.get("region", "")
    if not key:
        raise Refused("say which region: its key, as it stands in the address of its page")
    found = region(system=access.system, selection=selection_of(lens), key=key)
    return estimate_text(found.time, found.model.unit)


def error_number(access: Access, about: str, lens: Lens) -> str:
    """The error of the model in percent; it is about nothing. Raises as `bound_number`."""
    if about:
        raise Refused(f"the error is one of the whole model: leave {about!r} out")
    quality = _model(access, lens).quality
    if quality.error is None:
        raise Refused("the error of this model is not known: measure more configurations, or leave it out")
    return percent(quality.error)


def level_number(access: Access, about: str, lens: Lens) -> str:
    """The level of a history at the revision `about`, "" for the newest that has one. Raises as `bound_number`."""
    found = _history(access, lens)
    if not found.band:
        raise Refused("this history has no levels yet: it was measured too rarely")
    names = found.order.names
    rows = [row for row in found.band if names[row.position] == about] if about else found.band[-1:]
    if not rows:
        raise Refused(_absent("revision", about, [names[row.position] for row in reversed(found.band)]))
    row = rows[0]
    margin = (row.upper_95 - row.lower_95) / 2
    return number(row.estimate, margin, found.series.unit)


def change_number(access: Access, about: str, lens: Lens) -> str:
    """The size of the change of a history at the revision `about`, "" for the last, and how certain it is. Raises as `bound_number`."""
    found = _history(access, lens)
    if not found.changes:
        raise Refused("this history shows no change: leave the number out, or choose another history")
    rows = [one for one in found.changes if one.after.name == about] if about else found.changes[-1:]
    if not rows:
        raise Refused(_absent("change at revision", about, [one.after.name for one in found.changes]))
    one = rows[0]
    return f"{interval(one, scale_of(found))}, {certain(one.certainty, is_candidate=one.is_candidate)}"


NUMBERS: Mapping[str, Callable[[Access, str, Lens], str]] = {
    "influence": influence_number,
    "prediction": prediction_number,
    "region": region_number,
    "error": error_number,
    "level": level_number,
    "change": change_number,
}


def _model(access: Access, lens: Lens) -> Influences:
    return influences(system=access.system, selection=selection_of(lens))


def _history(access: Access, lens: Lens) -> History:
    series = find_series(system=access.system, series_id=lens.get("series", ""), term=lens.get("term", ""))
    return get_history(system=access.system, series_id=series.series_id)


def _absent(kind: str, about: str, there: list[str]) -> str:
    more = ", …" if len(there) > _NAMED else ""
    return f"there is no {kind} {about!r}: there are {', '.join(there[:_NAMED])}{more}"
