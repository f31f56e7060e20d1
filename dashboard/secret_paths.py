"""Keeps secrets that stand in addresses out of the log: those of share links, invitations and logins."""

import logging
import re

_SECRET = re.compile(r"(/(?:r|join|login|reset)/)[^\s?]+")


class SecretPaths(logging.Filter):
    """Lets every record pass, with dots in place of such secrets, whoever logs the address: Django or we."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Cover secrets in the message and in what is put into it."""
        record.msg = _covered(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_covered(one) for one in record.args)
        return True


def _covered(value: object) -> object:
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value
