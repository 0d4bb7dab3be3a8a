"""What a problem of an article is, what a check is, and how problems become a score."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Literal, TypeVar

from instep.core import limits

Severity = Literal["error", "warning", "info"]
Code = Literal[
    "empty_text",
    "short_text",
    "no_headings",
    "heading_jump",
    "several_h1",
    "repeated_title",
    "image_without_alt",
    "vague_link",
    "empty_link",
    "broken_link",
    "moved_link",
    "broken_anchor",
    "leftover",
    "unclosed_code",
    "uneven_table",
    "too_complex",
    "missing_description",
    "no_collection",
    "outdated_translation",
    "duplicate_title",
    "duplicate_content",
    "waiting_edit",
    "stale",
    "gone_name",
    "low_helpfulness",
]
COSTS: dict[Severity, int] = {"error": 20, "warning": 8, "info": 2}
Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class ProblemLocation:
    """Where a check found something, and what: the words that its sentence names."""

    line: int | None = None
    what: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with an article; `line` is None when it concerns the whole of it."""

    code: Code
    severity: Severity
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Check(Generic[Subject]):
    """One thing to look for; `advice` says what to do, with `{what}` where the finding is named."""

    code: Code
    severity: Severity
    advice: str
    find: Callable[[Subject], Iterable[ProblemLocation]]

    def problems(self, subject: Subject) -> Iterator[Problem]:
        for place in islice(self.find(subject), limits.MAX_REPORTED_PROBLEMS_PER_CODE):
            yield Problem(self.code, self.severity, self.advice.format(what=place.what), place.line)


def run(checks: Iterable[Check[Subject]], subject: Subject) -> list[Problem]:
    return [problem for check in checks for problem in check.problems(subject)]


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """What concerns the whole article first, then by line."""
    return tuple(sorted(problems, key=lambda found: found.line or 0))


def score_of(problems: Iterable[Problem]) -> int:
    """100 less the costs of the problems; of one code only the first few count, and it ends at 0."""
    counts = Counter((found.code, found.severity) for found in problems)
    lost = sum(
        COSTS[severity] * min(count, limits.MAX_SCORED_PROBLEMS_PER_CODE)
        for (_, severity), count in counts.items()
    )
    return max(0, 100 - lost)
