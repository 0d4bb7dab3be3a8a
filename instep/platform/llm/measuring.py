"""What calls of models cost, for metrics and traces: numbers alone, never a prompt or a completion."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from instep.platform.core.metrics import count_model_call
from instep.platform.core.tracing import span


@dataclass(slots=True)
class ModelCall:
    """A call under way; `tokens` are those of prompt and completion, None if the provider does not say."""

    tokens: int | None = None


@contextmanager
def measured_call(kind: str) -> Iterator[ModelCall]:
    """Count a call of a model of this kind (`chat` or `embeddings`), with its outcome and its time."""
    began, call, outcome = time.perf_counter(), ModelCall(), "failed"
    try:
        with span(f"model {kind}"):
            yield call
        outcome = "ok"
    finally:
        count_model_call(kind, outcome, time.perf_counter() - began, call.tokens)
