"""What programs that watch the installation ask: does it live, is it ready, what does it do."""

import hmac
import os
from collections.abc import Iterator
from http import HTTPStatus

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from dashboard.requests import REQUEST_SECONDS
from dashboard.selectors.job_amounts import job_amounts
from dashboard.services.jobs.presence import seen_lately
from dashboard.services.readiness import OK, readiness


@require_safe
def health(_request: HttpRequest) -> HttpResponse:
    """Say that the web server answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """Say whether each part does its work: 200 or 503."""
    said = readiness()
    is_ready = all(word == OK for word in said.values())
    status = HTTPStatus.OK if is_ready else HTTPStatus.SERVICE_UNAVAILABLE
    response = JsonResponse({"ready": is_ready, **said}, status=status)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus, to whoever has the token of the settings; without one there is nothing here."""
    wanted = f"Bearer {settings.METRICS_TOKEN}"
    if not settings.METRICS_TOKEN:
        raise Http404("no metrics: set PERFATLAS_METRICS_TOKEN")
    if not hmac.compare_digest(request.headers.get("Authorization", "").encode(), wanted.encode()):
        refused = HttpResponse("A token is wanted.\n", "text/plain", HTTPStatus.UNAUTHORIZED)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    return HttpResponse(generate_latest(_everything()), content_type=CONTENT_TYPE_LATEST)


def _everything() -> CollectorRegistry:
    told = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        # Of all processes of this web server.
        MultiProcessCollector(told)  # type: ignore[no-untyped-call] # it has no types
    else:
        told.register(REQUEST_SECONDS)
    told.register(_Jobs())
    return told


class _Jobs(Collector):
    """What the database says of jobs and workers, at the moment of asking."""

    def collect(self) -> Iterator[Metric]:
        amounts = job_amounts()
        jobs = GaugeMetricFamily("perfatlas_jobs", "Jobs by kind and state.", labels=("kind", "state"))
        for (kind, state), count in sorted(amounts.jobs.items()):
            jobs.add_metric((kind, state), count)
        took = SummaryMetricFamily(
            "perfatlas_job_seconds", "Time from start to end of jobs that are done.", labels=("kind",)
        )
        for kind, (count, seconds) in sorted(amounts.seconds.items()):
            took.add_metric((kind,), count, seconds)
        waiting = GaugeMetricFamily(
            "perfatlas_queue_age_seconds", "How long the oldest waiting job has waited.", labels=("queue",)
        )
        workers = GaugeMetricFamily(
            "perfatlas_workers", "Workers that were seen within a minute.", labels=("queue",)
        )
        seen = seen_lately()
        for queue, seconds in amounts.waiting.items():
            waiting.add_metric((queue,), seconds)
            workers.add_metric((queue,), seen.get(queue, 0))
        yield from (jobs, took, waiting, workers)

    def describe(self) -> Iterator[Metric]:
        """Nothing: asking the database at import would be too early."""
        yield from ()
