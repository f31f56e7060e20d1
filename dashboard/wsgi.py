"""The WSGI application that gunicorn serves."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from dashboard.celery import app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
application = get_wsgi_application()
# All pages, addresses, what sends jobs and what searches histories, so that neither the first visitor nor the first upload waits for
# them: a server that answers is ready.
for _name in ("dashboard.dash_app", "dashboard.urls", "celery.canvas", "ruptures"):
    import_module(_name)
app.connection_for_write().get_transport_cls()
