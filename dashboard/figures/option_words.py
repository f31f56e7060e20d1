"""What is said of one option: what it costs alone and with others, and where."""

from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences_words import (
    at_text,
    is_time,
    quantity_text,
    region_text,
    term_names,
)
from dashboard.figures.numbers import listing, number, plural, share
from dashboard.selectors.model_rows import ChosenConfiguration, ModelIdentity, TermRegions, TermRow
from dashboard.selectors.option_rows import OptionTerms, SystemOptions

_MOST = 3  # options that a sentence names
_MAIN = 0.5  # the part of a term that makes a function worth naming


def term_costs(term: TermRow, model: ModelIdentity, *, margin: bool = True) -> str:
    """`codehilite costs 150 ± 29 ms`, `mode=fast saves 3 ms`; of what is no time `adds` and `takes away`."""
    verbs = ("costs", "saves") if is_time(model) else ("adds", "takes away")
    value = term.influence.value
    amount = number(abs(value), term.influence.margin if margin else None, model.unit)
    return f"{term_names(term)} {verbs[value < 0]} {amount}"


def partners(terms: OptionTerms) -> list[str]:
    """The options that it interacts with beyond doubt, the largest interaction first."""
    told = [one for one in terms.together if one in terms.told]
    names = (change.option for one in told for change in one.changes)
    return [name for name in dict.fromkeys(names) if name != terms.option.name]


def option_sentence(
    terms: OptionTerms,
    model: ModelIdentity,
    base: ChosenConfiguration,
    where: TermRegions | None,
    revision: str = "",
) -> str:
    """What an option costs, where most of it arises, and with which others it interacts; with the `revision` that was asked for."""
    name, told, others = terms.option.name, terms.told, partners(terms)
    here = f"{at_text(base)} at {revision_text(model.revision)}" if revision else at_text(base)
    alone = [one for one in terms.alone if one in told]
    if not terms.option.varied:
        return f"{name} is {terms.option.levels[0]} in all of these measurements: what it costs is not known"
    if not told:
        why = (
            "" if terms.first is None or terms.first.influence.margin is None else " that is surely not zero"
        )
        return f"{name} has no influence on the {quantity_text(model)}{why} {here}"
    first = alone[0] if alone else told[0]
    parts = [f"{term_costs(first, model)} {here}"]
    if where is not None and where.term.key == first.key and where.regions:
        largest = where.regions[0]
        if largest.share is not None and _MAIN <= largest.share <= 1.0:
            parts.append(f", {share(largest.share)} of it in {region_text(largest.name)}")
    if not alone:
        return f"Alone {name} has no influence that is surely not zero; {''.join(parts)}"
    if others:
        parts.append(f"; it interacts with {listing(others, _MOST)}")
    return "".join(parts)


def counted_sentence(terms: OptionTerms, system: str, revision: str) -> str:
    """What is known of an option without a model of times; at the `revision` that was asked for, "" for any."""
    at = f" at {revision_text(revision)}" if revision else ""
    if terms.counted is None:
        return f"What {terms.option.name} costs{at} is not known yet"
    most = f"{share(terms.counted)} of all that {system} does"
    return f"{terms.option.name} changes up to {most}, most of it in {terms.counted_in}; its time{at} is not known yet"


def options_sentence(found: SystemOptions, system: str) -> str:
    """How many options matter, and which one most."""
    many = len(found.options)
    if found.found is not None:
        told = [one for one in found.options if one.told]
        what = quantity_text(found.found.model)
        # Nothing is said of options that were the same in all measurements.
        varied = sum(one.option.varied for one in found.options)
        among = plural(varied, "option") if varied == many else plural(varied, "varied option")
        if not told:
            return f"No option of {among} is sure to change the {what} of {system}"
        verb = "changes" if len(told) == 1 else "change"
        said = f"{len(told)} of {among} {verb} the {what} of {system}"
        most = max(told[0].told, key=lambda one: abs(one.influence.value))
        return f"{said}; {term_costs(most, found.found.model)}"
    counted = [one for one in found.options if one.counted]
    if not counted:
        return f"{system} has {plural(many, 'option')}; what each costs is not known yet"
    verb = "changes" if len(counted) == 1 else "change"
    first = counted[0]
    return (
        f"{len(counted)} of {plural(many, 'option')} {verb} what {system} does; "
        f"{first.option.name} up to {share(first.counted)} of it"
    )
