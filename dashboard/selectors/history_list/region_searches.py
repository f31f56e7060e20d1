"""What stored searches of regions found, as changes on one axis of revisions; and how what moved is packed."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analytics.configurations.identities import digest_of
from analytics.findings import CostShift, Moves, PossibleMove, SeriesChange
from dashboard.models import Region, RegionChanges, RegionSearch, System
from dashboard.selectors.configurations import configuration_names
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.stored_fits import CHANGE_BYTES, unpack_changes
from dashboard.selectors.history_list.region_costs import RegionContext, region_contexts
from dashboard.selectors.history_list.rows import ListedHistory


@dataclass(frozen=True, slots=True)
class RegionFindings:
    """The changes of regions, what moved at them, and each region that is named with its environment, by number.

    Numbers are negative: regions have no series. `searched` counts the regions that were searched, `waiting` the
    contexts whose search is missing or out of date.
    """

    changes: list[SeriesChange] = field(default_factory=list)
    moves: Moves = field(default_factory=Moves)
    rows: dict[int, tuple[int, ListedHistory]] = field(default_factory=dict)
    searched: int = 0
    waiting: int = 0


def outdated_contexts(system: System, order: OrderedRevisions) -> list[tuple[RegionContext, str]]:
    """The contexts whose search is missing or out of date, with what it is to be made of. Five queries at most."""
    columns = ("configuration_id", "workload_id", "environment_id", "digest")
    rows = RegionSearch.objects.filter(system=system).values_list(*columns)
    stored = {RegionContext(*context): digest for *context, digest in rows}
    return [one for one in region_contexts(system, order).items() if stored.get(one[0]) != one[1]]


def found_in_regions(system: System, order: OrderedRevisions) -> RegionFindings:
    """What the stored searches of a system found. Nine queries at most."""
    waiting = len(outdated_contexts(system, order))
    searched = dict(RegionSearch.objects.filter(system=system).values_list("pk", "regions"))
    if not searched:
        return RegionFindings(waiting=waiting)
    positions = {place.revision_id: place.position for place in order.revisions}
    numbers: dict[tuple[int, int, int], int] = {}
    found: dict[tuple[int, int], RegionChanges] = {}
    changes: list[SeriesChange] = []
    shifts: dict[SeriesChange, CostShift] = {}
    possible: dict[SeriesChange, PossibleMove] = {}
    rows = RegionChanges.objects.filter(search__system=system).order_by("pk")
    for row in rows.select_related("search__environment", "search__configuration", "metric"):
        context = (row.search_id, row.metric_id)
        found[context] = row

        def numbered(region: int, context: tuple[int, int] = context) -> int:
            return numbers.setdefault((*context, region), -len(numbers) - 1)

        for change, move in _unpacked(row, numbered, positions):
            changes.append(change)
            if isinstance(move, CostShift):
                shifts[change] = move
            elif move is not None:
                possible[change] = move
    keys = dict(Region.objects.filter(pk__in={region for *_, region in numbers}).values_list("pk", "key"))
    names = configuration_names(system) if len(searched) > 1 else {}
    listed = {
        number: _listed(number, keys[region], found[search, metric], names)
        for (search, metric, region), number in numbers.items()
    }
    return RegionFindings(changes, Moves(shifts, possible), listed, sum(searched.values()), waiting)


def _listed(number: int, key: str, row: RegionChanges, names: Mapping[str, str]) -> tuple[int, ListedHistory]:
    """A region of the search of `row`, and its environment; its configuration is named where it stands in `names`."""
    search, metric = row.search, row.metric
    context = (search.configuration_id, search.workload_id, search.environment_id)
    where = ["region", search.environment.name, names.get(search.configuration.identity, "")]
    return search.environment_id, ListedHistory(
        number,
        key,
        ", ".join(filter(None, where)),
        "",
        metric.quantity,
        metric.unit,
        region=key,
        identity=digest_of([search.system_id, "region", key, *context, metric.pk]),
    )


def pack_moves(changes: Sequence[SeriesChange], moves: Moves) -> bytes:
    """The bytes of what moved at the changes of one region, those of its share last, or may have; empty where nothing did."""
    rows = []
    for at, change in enumerate(changes):
        if (shift := moves.shifts.get(change)) is not None:
            ends = (shift.sources, shift.targets)
            rows.append([at, "shift", shift.domain, *ends, shift.share, shift.left, shift.error])
        elif (move := moves.possible.get(change)) is not None:
            rows.append([at, "possible", move.domain, move.probability, move.partners])
    return json.dumps(rows).encode() if rows else b""


def _unpacked(
    row: RegionChanges, numbered: Callable[[int], int], positions: Mapping[int, int]
) -> Iterator[tuple[SeriesChange, CostShift | PossibleMove | None]]:
    """The changes of a region with what moved at each, if anything; regions are `numbered` by their ids."""
    moves: dict[int, CostShift | PossibleMove] = {}
    for at, kind, domain, *rest in json.loads(bytes(row.packed_moves) or b"[]"):
        if kind == "shift":
            sources, targets, *figures = rest
            moves[at] = CostShift(
                domain, tuple(map(numbered, sources)), tuple(map(numbered, targets)), *figures
            )
        else:
            moves[at] = PossibleMove(domain, rest[0], tuple(map(numbered, rest[1])))
    packed = (bytes(row.packed_changes), bytes(row.packed_share_changes))
    number, places = numbered(row.region_id), itertools.count()
    for of_share, some in enumerate(packed):
        for start in range(0, len(some), CHANGE_BYTES):
            one = some[start : start + CHANGE_BYTES]
            at = next(places)
            # None where it lies between revisions that are in the order no more.
            for change in unpack_changes(number, one, positions, of_share=bool(of_share)):
                yield change, moves.get(at)
