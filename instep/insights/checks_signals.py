"""What code changes and visitors say against an article, whatever its text looks like."""

from collections.abc import Callable, Iterator, Sequence

from instep.insights.health_queries import Signal
from instep.insights.problems import Check, Code, ProblemLocation

Signs = Sequence[Signal]


def places_of(code: Code) -> Callable[[Signs], Iterator[ProblemLocation]]:
    return lambda signs: (
        ProblemLocation(sign.line, " ".join(sign.what.split())) for sign in signs if sign.code == code
    )


SIGN_CHECKS: tuple[Check[Signs], ...] = (
    Check(
        "stale",
        "warning",
        "The change “{what}” made this text out of date: look at the edit that waits for review.",
        places_of("stale"),
    ),
    Check(
        "gone_name",
        "warning",
        "The text says {what}: see whether it still exists, and correct or remove it.",
        places_of("gone_name"),
    ),
    Check(
        "low_helpfulness",
        "warning",
        "{what} visitors found an answer from this article of no help: see what it leaves open.",
        places_of("low_helpfulness"),
    ),
)
