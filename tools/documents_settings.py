"""The reference of settings: names and defaults are read from `dashboard/settings.py`, the meanings stand here."""

import ast
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "dashboard" / "settings.py"
KINDS = {
    "str": "text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "list": "list, separated by commas",
    "db_url": "address",
}
# What each setting means, and in words the default that is no plain value.
MEANINGS = {
    "DATABASE_URL": "The database: `sqlite:///PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`.",
    "PERFATLAS_ADJUST_TIMES": (
        "Take the machine's speed out of the times in histories where that helps. A change counts for a history from its next run on."
    ),
    "PERFATLAS_ALERT_CONFIRM_MINUTES": (
        "How long an alert waits for a second measurement; then it goes out and says that it is not confirmed."
    ),
    "PERFATLAS_ALERT_INNER_HOSTS": (
        "Machines of your own network that webhooks of alerts may call, also without TLS, by the name that stands in the address. Others must be public."
    ),
    "PERFATLAS_ALLOWED_HOSTS": "The names under which browsers may reach the server.",
    "PERFATLAS_BROKER_URL": (
        "What carries jobs to workers: files under the data folder, or the address of a Redis (`redis://...`) or a RabbitMQ (`amqp://...`)."
    ),
    "PERFATLAS_DEBUG": "Show tracebacks in the browser. Never where others can reach the server.",
    "PERFATLAS_EMAIL_FROM": "The sender of e-mail, as `Perfatlas <perf@example.org>`.",
    "PERFATLAS_EMAIL_URL": (
        "The mail server that carries alerts and links for a new password: `smtp+tls://USER:PASSWORD@HOST:587` (or `smtp+ssl://`, `smtp://`); without it nobody gets e-mail."
    ),
    "PERFATLAS_JOB_LEASE_SECONDS": "How long a running job may be silent before another worker takes it over.",
    "PERFATLAS_LOG_FORMAT": "How lines of the log look: `text` for people, `json` for programs, an object each.",
    "PERFATLAS_LOG_LEVEL": "The least severe messages that are logged: DEBUG, INFO, WARNING, ERROR.",
    "PERFATLAS_MEASURING_LOCK": (
        "The file that a process locks while it measures, so that one measures at a time: containers on one machine each need the same one."
    ),
    "PERFATLAS_METRICS_TOKEN": "Opens the numbers for Prometheus at `/metrics`, as `Authorization: Bearer ...`; without it there are none.",
    "PERFATLAS_OPENID_CLAIM": "Who is let in by OpenID Connect must have it, as `groups=performance`: the claim is that value, or a list that holds it.",
    "PERFATLAS_OPENID_CLIENT_ID": "What the provider of OpenID Connect calls this Perfatlas.",
    "PERFATLAS_OPENID_CLIENT_SECRET": "The secret that the provider gave to this Perfatlas; without it none is sent.",
    "PERFATLAS_OPENID_CREATES_ACCOUNTS": "Make an account for whoever the provider lets in and has none. It sees no system until somebody gives it a role.",
    "PERFATLAS_OPENID_DOMAINS": "Whose verified e-mail address is in one of these domains is let in by OpenID Connect, as `example.org`; without any, whoever the provider lets in.",
    "PERFATLAS_OPENID_ISSUER": "The provider of [OpenID Connect](../how-to/sign-in-by-openid-connect.md), as `https://id.example.org/realms/team`; without it people sign in by password alone.",
    "PERFATLAS_OPENID_NAME": "What the button calls the provider: *Sign in with ...*.",
    "PERFATLAS_PUBLIC_URL": (
        "Under which address others open Perfatlas, as `https://perf.example.org`: links to reports and invitations begin with it. Links for a new password are sent only where it is set."
    ),
    "PERFATLAS_SANDBOX": (
        "Whether subjects run in a sandbox: `auto` where the machine has one, `required` always or not at all, `off` never."
    ),
    "PERFATLAS_SECRET_KEY": "Signs sessions. The server does not start without it; `make demo` writes one into `.env`.",
    "PERFATLAS_TLS": "The server is reached through TLS at a proxy: cookies are sent over TLS only, `http://` leads to `https://`, and browsers keep to it.",
    "PERFATLAS_TRUSTED_ORIGINS": "Further origins whose forms are accepted, as `https://perf.example.org`.",
    "PERFATLAS_VAR": "The data folder: database, environments of subjects, the embedded broker.",
    "PERFATLAS_WEB_PROCESSES": "How many processes answer requests, each by one core at most; each takes about 290 MB.",
    "PERFATLAS_WORKER_MEMORY_MB": "The most memory of a worker that imports and fits, in megabytes; a job that needs more fails and says so. 0 is no limit.",
}
DEFAULTS = {
    "DATABASE_URL": "`perfatlas.sqlite3` in the data folder",
    "PERFATLAS_MEASURING_LOCK": "`perfatlas-measuring.lock` in `/run/lock`",
    "PERFATLAS_PUBLIC_URL": "where it is opened just then",
    "PERFATLAS_SECRET_KEY": "none",
    "PERFATLAS_VAR": "`var` in the project's folder",
    "PERFATLAS_WORKER_MEMORY_MB": "three quarters of the machine's, at least 4096",
}
HEAD = """# Settings

<!-- written by `make docs` from dashboard/settings.py -->

Settings are environment variables. A file `.env` in the project's folder may hold them,
one `NAME=value` per line; the environment outranks it. A secret can stand in a file of its own:
`PERFATLAS_SECRET_KEY_FILE=/run/secrets/key` reads it from there, and so for every name.

| setting | kind | default | meaning |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that `dashboard/settings.py` reads from the environment."""

    name: str
    kind: str
    default: str


def settings_read() -> list[Setting]:
    """Every `env.KIND("NAME", default=...)` in the settings, by name, each once."""
    found: dict[str, Setting] = {}
    for call in ast.walk(ast.parse(SOURCE.read_text(encoding="utf-8"))):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        reader, first = call.func, call.args[0] if call.args else None
        of_env = isinstance(reader.value, ast.Name) and reader.value.id == "env"
        if of_env and isinstance(first, ast.Constant):
            name = str(first.value)
            found[name] = Setting(name, KINDS[reader.attr], DEFAULTS.get(name) or _default(call))
    return [found[name] for name in sorted(found)]


def _default(call: ast.Call) -> str:
    for keyword in call.keywords:
        if keyword.arg == "default":
            value = ast.literal_eval(keyword.value)
            text = (
                ",".join(value)
                if isinstance(value, list)
                else str(value).lower()
                if isinstance(value, bool)
                else str(value)
            )
            return f"`{text}`" if text else "none"
    return "must be given"


def settings_page() -> str:
    """The whole page. Raises `KeyError` for a setting without a meaning."""
    rows = [
        f"| `{setting.name}` | {setting.kind} | {setting.default} | {MEANINGS[setting.name]} |\n"
        for setting in settings_read()
    ]
    return HEAD + "".join(rows)
