"""Settings, read from the environment (or `.env`), safe by default.

Every value can come from a file by `NAME_FILE`. Unknown values are refused at start.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF, UNSAFE_INLINE
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")


class _StrictEnv(environ.FileAwareEnv):  # type: ignore[misc] # it has no types
    """Takes nothing for false that does not say so."""

    def bool(self, var: str, default: bool) -> bool:
        """Read true or false. Raises `ImproperlyConfigured`."""
        said = str(self.str(var, default=str(default))).strip().lower()
        if said not in (yes := {"true", "on", "yes", "1"}) | {"false", "off", "no", "0", ""}:
            raise ImproperlyConfigured(f"{var} is {said!r}: it must be true or false")
        return said in yes


env = _StrictEnv()

# Where the database, environments of subjects and the embedded broker live.
VAR = Path(env.str("PERFATLAS_VAR", default=str(BASE_DIR / "var"))).resolve()
SECRET_KEY = env.str("PERFATLAS_SECRET_KEY", default="")
DEBUG = env.bool("PERFATLAS_DEBUG", default=False)
ALLOWED_HOSTS = env.list("PERFATLAS_ALLOWED_HOSTS", default=["127.0.0.1", "localhost"])
CSRF_TRUSTED_ORIGINS = env.list("PERFATLAS_TRUSTED_ORIGINS", default=[])

# Under which address others open Perfatlas: links that it hands out begin with it.
PUBLIC_URL = env.str("PERFATLAS_PUBLIC_URL", default="").rstrip("/")
if PUBLIC_URL and not PUBLIC_URL.startswith(("http://", "https://")):
    raise ImproperlyConfigured(
        f"PERFATLAS_PUBLIC_URL is {PUBLIC_URL!r}: it must begin with http:// or https://"
    )

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "dashboard",
    "studies",
]
MIDDLEWARE = [
    "dashboard.requests.name_requests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # After the account is known, before anything reads a body.
    "dashboard.turns.take_turns",
    "dashboard.uploads.refuse_bodies",
    "dashboard.services.audit.note_address",
    "dashboard.services.sign_ins.note_sign_ins",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR / 'perfatlas.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE: a transaction that will write takes its lock at once, so none fails half-way as "locked".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;"
            "PRAGMA foreign_keys=ON;PRAGMA cache_size=-16000;PRAGMA temp_store=MEMORY"
        ),
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # A server that does not answer holds no request up for minutes.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
    # PostgreSQL takes a list of thousands of rows for a long computation, and compiles it for 1.6 s to run it in 0.8 s.
    DATABASES["default"]["OPTIONS"].setdefault("options", "-c jit=off")
# No file from a browser is larger than an import may be; pieces go to disk at once.
FILE_UPLOAD_HANDLERS = ["dashboard.uploads.LimitedUpload"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "dashboard.services.logins.PasswordLimits",
    "django.contrib.auth.backends.ModelBackend",
]
# Each web process has its own: what may differ between them.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Links for new passwords work for a day.
PASSWORD_RESET_TIMEOUT = 86_400
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_SAMESITE = "Lax"
# Cookies know no ports: under one name, two installations on a machine would sign each other's people out, and break the forms
# that they have open. Sessions are rows of the database, so its place names them, the same for all web servers that share it.
_sessions = "|".join(str(DATABASES["default"].get(part, "")) for part in ("HOST", "PORT", "NAME"))
SESSION_COOKIE_NAME = f"perfatlas-{sha256(_sessions.encode()).hexdigest()[:8]}"
CSRF_COOKIE_NAME = f"{SESSION_COOKIE_NAME}-csrf"
# Signing in by OpenID Connect beside passwords: off without an issuer. It needs the extra `sso`.
OPENID_ISSUER = env.str("PERFATLAS_OPENID_ISSUER", default="")
OPENID_CLIENT_ID = env.str("PERFATLAS_OPENID_CLIENT_ID", default="")
OPENID_CLIENT_SECRET = env.str("PERFATLAS_OPENID_CLIENT_SECRET", default="")
OPENID_NAME = env.str("PERFATLAS_OPENID_NAME", default="OpenID Connect")
OPENID_DOMAINS = [one.lower().lstrip("@") for one in env.list("PERFATLAS_OPENID_DOMAINS", default=[])]
OPENID_CLAIM = env.str("PERFATLAS_OPENID_CLAIM", default="")
OPENID_CREATES_ACCOUNTS = env.bool("PERFATLAS_OPENID_CREATES_ACCOUNTS", default=False)
_issuer = urlsplit(OPENID_ISSUER)
_hosts_without_tls = ("127.0.0.1", "localhost", "::1") if _issuer.scheme == "http" else (None, "")
if OPENID_ISSUER and (
    _issuer.scheme not in {"http", "https"}
    or "@" in _issuer.netloc
    or (_issuer.hostname in _hosts_without_tls) != (_issuer.scheme == "http")
):
    raise ImproperlyConfigured(
        f"PERFATLAS_OPENID_ISSUER is {OPENID_ISSUER!r}: it must begin with https://, but on this machine"
    )
if OPENID_ISSUER and not OPENID_CLIENT_ID:
    raise ImproperlyConfigured(
        "PERFATLAS_OPENID_CLIENT_ID is not set: the provider names it where Perfatlas is registered there"
    )
if OPENID_CLAIM and not all(OPENID_CLAIM.partition("=")):
    raise ImproperlyConfigured(
        f"PERFATLAS_OPENID_CLAIM is {OPENID_CLAIM!r}: it must be as groups=performance"
    )
# Behind TLS both cookies are marked secure; the demo on 127.0.0.1 has no TLS.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("PERFATLAS_TLS", default=False)
if env.bool("PERFATLAS_TLS", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # What asks whether the server lives, is ready, and what it does stands on the same machine.
    SECURE_SSL_REDIRECT, SECURE_REDIRECT_EXEMPT = True, ["^healthz$", "^readyz$", "^metrics$"]
    # A month, begun anew by each visit: who gives TLS up is not shut out for years.
    SECURE_HSTS_SECONDS = 30 * 86_400
    # Other names of the domain, and browsers' own lists, are their owner's to decide.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# Dash sends the token as a header and reads it from this cookie.
CSRF_COOKIE_HTTPONLY = False
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Files are served from where they lie: no collecting step before a start.
WHITENOISE_USE_FINDERS = True

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        # plotly and dash-ag-grid write style attributes.
        "style-src": [SELF, UNSAFE_INLINE],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF, "data:"],
        "connect-src": [SELF],
        "worker-src": [SELF, "blob:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

# The engine is Celery everywhere: embedded with a broker in files, Redis or RabbitMQ by one setting.
CELERY_BROKER_URL = env.str("PERFATLAS_BROKER_URL", default="filesystem://")
if CELERY_BROKER_URL == "filesystem://":
    # Celery warns at every connection of an address without a host; files have none.
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "dashboard.services.serving.broker_files:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "data_folder_in": str(VAR / "broker"),
        "data_folder_out": str(VAR / "broker"),
        "control_folder": str(VAR / "broker-control"),
        "polling_interval": 0.2,
    }
else:
    # A broker that does not answer holds no request up: the message is sent again by the reaper.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 43200,
        "socket_connect_timeout": 1.0,
        "max_retries": 0,
    }
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Rows tell what goes on; nobody listens to Celery's own remote control.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker that measures answers nobody meanwhile: RabbitMQ would take it for dead after two minutes.
CELERY_BROKER_HEARTBEAT = 0
# How long a claimed job may stay silent before another worker may take it over.
JOB_LEASE_SECONDS = env.int("PERFATLAS_JOB_LEASE_SECONDS", default=30)
# How many processes answer requests: one keeps one core busy at most.
WEB_PROCESSES = env.int("PERFATLAS_WEB_PROCESSES", default=1)
if not 1 <= WEB_PROCESSES <= (most := 64):
    raise ImproperlyConfigured(f"PERFATLAS_WEB_PROCESSES is {WEB_PROCESSES}: it must be from 1 to {most}")
# The most memory of a worker that imports and fits, in megabytes; unset, three quarters of the machine's, 0 for no limit.
WORKER_MEMORY_MB = env.int("PERFATLAS_WORKER_MEMORY_MB", default=None)
if WORKER_MEMORY_MB is not None and WORKER_MEMORY_MB != 0 and (least := 1024) > WORKER_MEMORY_MB:
    raise ImproperlyConfigured(
        f"PERFATLAS_WORKER_MEMORY_MB is {WORKER_MEMORY_MB}: it must be 0 for no limit, or at least {least}"
    )
# Whether the machine's speed is taken out of times in histories where that helps.
ADJUST_TIMES = env.bool("PERFATLAS_ADJUST_TIMES", default=True)
# What is locked while a process measures; the same file for all that measure on a machine.
MEASURING_LOCK = env.str("PERFATLAS_MEASURING_LOCK", default="")
# Whether subjects run in a sandbox: where there is one, always or not at all, never.
SANDBOX = env.str("PERFATLAS_SANDBOX", default="auto")
if SANDBOX not in ("auto", "required", "off"):
    raise ImproperlyConfigured(f"PERFATLAS_SANDBOX is {SANDBOX!r}: it must be auto, required or off")

# What carries alerts to people; without it there is no e-mail. Links in messages begin with PUBLIC_URL.
EMAIL_URL = env.str("PERFATLAS_EMAIL_URL", default="")
if EMAIL_URL:
    if not EMAIL_URL.startswith(("smtp://", "smtp+tls://", "smtp+ssl://")):
        raise ImproperlyConfigured(
            "PERFATLAS_EMAIL_URL must begin with smtp://, smtp+tls:// or smtp+ssl://, as smtp+tls://USER:PASSWORD@HOST:587"
        )
    vars().update(environ.Env.email_url_config(EMAIL_URL))
DEFAULT_FROM_EMAIL = env.str("PERFATLAS_EMAIL_FROM", default="Perfatlas <perfatlas@localhost>")
EMAIL_TIMEOUT = 15
# Machines of one's own network that webhooks may call, also without TLS; others must be public.
ALERT_INNER_HOSTS = [one.lower() for one in env.list("PERFATLAS_ALERT_INNER_HOSTS", default=[])]

# How long a message waits for a second measurement: then it goes out and says that it is not confirmed.
ALERT_CONFIRM_MINUTES = env.int("PERFATLAS_ALERT_CONFIRM_MINUTES", default=120)

# Opens the numbers for Prometheus at /metrics; without it there are none.
METRICS_TOKEN = env.str("PERFATLAS_METRICS_TOKEN", default="")
LOG_FORMAT = env.str("PERFATLAS_LOG_FORMAT", default="text")
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured(f"PERFATLAS_LOG_FORMAT is {LOG_FORMAT!r}: it must be text or json")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "dashboard.logs.PlainLines"},
        "json": {"()": "dashboard.logs.JsonLines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env.str("PERFATLAS_LOG_LEVEL", default="WARNING")},
}
