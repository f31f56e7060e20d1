"""Parts of addresses: numbers of rows. Importing this names them `row` in patterns."""

from django.urls import register_converter


class RowConverter:
    """A number that a row may have: Django's own takes more digits than any table holds, which some databases fail over."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_url(self, value: int) -> str:
        """The number as it stands in the address."""
        return str(value)


register_converter(RowConverter, "row")
