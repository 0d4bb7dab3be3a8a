"""Problems of an article, the checks that find them, and the score that they add up to."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Literal, TypeVar

from instep.platform.core import limits

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
    "style",
    "missing_description",
    "no_collection",
    "outdated_translation",
    "duplicate_title",
    "duplicate_content",
    "waiting_edit",
    "stale",
    "gone_name",
    "low_helpfulness",
    "unhelpful",
    "part_problem",
]
# The points that a problem subtracts from the score.
SEVERITY_COSTS: dict[Severity, int] = {"error": 20, "warning": 8, "info": 2}
Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class ProblemLocation:
    """The line of a problem, and the text that its sentence names; `line` is None for the whole article."""

    line: int | None = None
    what: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an article; `line` is None if it concerns the whole article."""

    code: Code
    severity: Severity
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Check(Generic[Subject]):
    """One kind of problem; `advice` says what to do, with `{what}` for the found text.

    `find` returns the locations of the problem, or, for a problem of the whole article, whether it exists.
    """

    code: Code
    severity: Severity
    advice: str
    find: Callable[[Subject], Iterable[ProblemLocation] | bool]

    def problems(self, subject: Subject) -> Iterator[Problem]:
        result = self.find(subject)
        locations = [ProblemLocation()] * result if isinstance(result, bool) else result
        for location in islice(locations, limits.MAX_REPORTED_PROBLEMS_PER_CODE):
            # Thousands of problems in the cache share one sentence.
            message = self.advice.format(what=location.what) if "{" in self.advice else self.advice
            yield Problem(self.code, self.severity, message, location.line)


def run_checks(checks: Iterable[Check[Subject]], subject: Subject) -> list[Problem]:
    return [problem for check in checks for problem in check.problems(subject)]


def sort_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems of the whole article come first, then the others by line."""
    return tuple(sorted(problems, key=lambda problem: problem.line or 0))


def score_of(problems: Iterable[Problem]) -> int:
    """The score, from 0 to 100: 100 minus the costs of the problems; only a few per code count."""
    counts = Counter((problem.code, problem.severity) for problem in problems)
    cost = sum(
        SEVERITY_COSTS[severity] * min(count, limits.MAX_SCORED_PROBLEMS_PER_CODE)
        for (_, severity), count in counts.items()
    )
    return max(0, 100 - cost)
