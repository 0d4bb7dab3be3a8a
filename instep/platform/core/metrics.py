"""The counters of this process for monitoring (Prometheus); every label has a bounded set of values.

With several server processes the library keeps the numbers in files of `PROMETHEUS_MULTIPROC_DIR`, so that
each process can answer for all of them.
"""

from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY = CollectorRegistry()
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# Upper bounds in seconds.
REQUEST_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
WORK_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)

_requests = Counter(
    "instep_http_requests",
    "Requests by method, route template and class of the status.",
    ["method", "route", "status"],
    registry=REGISTRY,
)
_request_seconds = Histogram(
    "instep_http_request_duration_seconds",
    "Time from the head of a request to the end of its response.",
    ["route"],
    buckets=REQUEST_BUCKETS,
    registry=REGISTRY,
)
_jobs = Counter(
    "instep_jobs",
    "Attempts at jobs by kind and outcome: done, postponed, failed (tried again) or dead (given up).",
    ["kind", "outcome"],
    registry=REGISTRY,
)
_job_seconds = Histogram(
    "instep_job_duration_seconds",
    "Time of one attempt at a job.",
    ["kind"],
    buckets=WORK_BUCKETS,
    registry=REGISTRY,
)
_deliveries = Counter(
    "instep_webhook_deliveries",
    "Attempts at webhook deliveries by outcome: delivered, refused (another status than 2xx) or unreachable.",
    ["outcome"],
    registry=REGISTRY,
)
_delivery_seconds = Histogram(
    "instep_webhook_delivery_duration_seconds",
    "Time of one attempt at a webhook delivery.",
    buckets=WORK_BUCKETS,
    registry=REGISTRY,
)
_model_calls = Counter(
    "instep_model_calls",
    "Calls of the language model (chat) and of the embedding model (embeddings) by outcome: ok or failed.",
    ["kind", "outcome"],
    registry=REGISTRY,
)
_model_seconds = Histogram(
    "instep_model_call_duration_seconds",
    "Time of one call of a model with all its tries.",
    ["kind"],
    buckets=WORK_BUCKETS,
    registry=REGISTRY,
)
_model_tokens = Counter(
    "instep_model_tokens",
    "Tokens that the language model's provider reported, of prompts and completions together.",
    registry=REGISTRY,
)


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request; `route` is the template of its route, never its path."""
    requests, request_seconds = _metrics_of(method if method in METHODS else "other", route, status // 100)
    requests.inc()
    request_seconds.observe(seconds)


@cache
def _metrics_of(method: str, route: str, status_class: int) -> tuple[Counter, Histogram]:
    # Looking up the labels takes the library longer than counting.
    return _requests.labels(method, route, f"{status_class}xx"), _request_seconds.labels(route)


def count_job(kind: str, outcome: str, seconds: float) -> None:
    _jobs.labels(kind, outcome).inc()
    _job_seconds.labels(kind).observe(seconds)


def count_delivery(outcome: str, seconds: float) -> None:
    _deliveries.labels(outcome).inc()
    _delivery_seconds.observe(seconds)


def count_model_call(kind: str, outcome: str, seconds: float, tokens: int | None) -> None:
    _model_calls.labels(kind, outcome).inc()
    _model_seconds.labels(kind).observe(seconds)
    if tokens:
        _model_tokens.inc(tokens)
