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


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"instep_{name}", text, labels, registry=REGISTRY)


def _seconds(name: str, text: str, *labels: str, buckets: tuple[float, ...] = WORK_BUCKETS) -> Histogram:
    name = f"instep_{name}_duration_seconds"
    return Histogram(name, text, labels, buckets=buckets, registry=REGISTRY)


_requests = _counter(
    "http_requests",
    "Requests by method, route template and class of the status.",
    *("method", "route", "status"),
)
_request_seconds = _seconds(
    "http_request",
    "Time from the head of a request to the end of its response.",
    "route",
    buckets=REQUEST_BUCKETS,
)
_jobs = _counter(
    "jobs",
    "Attempts at jobs by kind and outcome: done, postponed, failed (tried again) or dead (given up).",
    *("kind", "outcome"),
)
_job_seconds = _seconds("job", "Time of one attempt at a job.", "kind")
_deliveries = _counter(
    "webhook_deliveries",
    "Attempts at webhook deliveries by outcome: delivered, refused (another status than 2xx) or unreachable.",
    "outcome",
)
_delivery_seconds = _seconds("webhook_delivery", "Time of one attempt at a webhook delivery.")
_model_calls = _counter(
    "model_calls",
    "Calls of the language model (chat) and of the embedding model (embeddings) by outcome: ok or failed.",
    *("kind", "outcome"),
)
_model_seconds = _seconds("model_call", "Time of one call of a model with all its tries.", "kind")
_model_tokens = _counter(
    "model_tokens",
    "Tokens that the language model's provider reported, of prompts and completions together.",
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
