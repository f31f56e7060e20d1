"""The WSGI application that gunicorn serves."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
application = get_wsgi_application()
# All pages, so that the first visitor does not wait for them: a server that answers is ready.
import_module("dashboard.dash_app")
