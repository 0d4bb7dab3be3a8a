"""Checks of the signals against an article, from code changes and visitors' ratings."""

from collections.abc import Callable, Iterator, Sequence

from instep.visitors.insights.health.problems import Check, Code, ProblemLocation
from instep.visitors.insights.health.queries import Signal

Signals = Sequence[Signal]


def signals_with(code: Code) -> Callable[[Signals], Iterator[ProblemLocation]]:
    return lambda signals: (
        ProblemLocation(signal.line, " ".join(signal.what.split()))
        for signal in signals
        if signal.code == code
    )


SIGNAL_CHECKS: tuple[Check[Signals], ...] = (
    Check(
        "stale",
        "warning",
        "The change “{what}” made this text outdated: review the pending edit.",
        signals_with("stale"),
    ),
    Check(
        "gone_name",
        "warning",
        "The text mentions {what}: check whether it still exists, then fix or remove the mention.",
        signals_with("gone_name"),
    ),
    Check(
        "low_helpfulness",
        "warning",
        "{what} visitors said that an answer from this article did not help: check what is missing.",
        signals_with("low_helpfulness"),
    ),
    Check(
        "unhelpful",
        "warning",
        "{what} readers said that this article did not help: read their comments and improve the text.",
        signals_with("unhelpful"),
    ),
    Check(
        "part_problem",
        "warning",
        "Readers still see the text from before a change of its parts. {what}",
        signals_with("part_problem"),
    ),
)
