"""Terms of a table as the papers write them."""

from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable


def written(table: TermTable) -> list[str]:
    """Each term as its changes, `option [from -> to]`, joined by ×; the empty one is the intercept."""
    return [
        " × ".join(
            sorted(
                f"{option.name} [{option.text(start)} -> {option.text(end)}]"
                for option, start, end in zip(table.space.options, table.base.tolist(), row, strict=True)
                if end != UNTOUCHED
            )
        )
        or "intercept"
        for row in table.levels.tolist()
    ]
