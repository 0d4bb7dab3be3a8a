"""The health of all articles, and by kind of problem, computed once per state of a help center."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from instep.visitors.insights.health.problems import SEVERITY_COSTS, Code, Problem
from instep.visitors.insights.schemas import Health, HealthSummary, KindSummary


@dataclass(frozen=True, slots=True)
class Assessment:
    """The health of articles, worst first: all of them, by problem code, and their numbers."""

    rows: list[Health]
    rows_by_code: dict[Code, list[Health]]
    summary: HealthSummary

    @property
    def problem_count(self) -> int:
        """The number of problems, with one entry per article."""
        return sum(1 + len(row.problems) for row in self.rows)


def assessment_of(rows: list[Health]) -> Assessment:
    rows_by_code: defaultdict[Code, list[Health]] = defaultdict(list)
    problems_by_code: defaultdict[Code, list[Problem]] = defaultdict(list)
    for row in rows:
        for code in {problem.code for problem in row.problems}:
            rows_by_code[code].append(row)
        for problem in row.problems:
            problems_by_code[problem.code].append(problem)
    kinds = [
        KindSummary(code, problems[0].severity, len(rows_by_code[code]), len(problems))
        for code, problems in problems_by_code.items()
    ]
    kinds.sort(key=lambda kind: (-SEVERITY_COSTS[kind.severity], -kind.articles, kind.code))
    healthy = sum(not row.problems for row in rows)
    return Assessment(rows, dict(rows_by_code), HealthSummary(len(rows), healthy, kinds))


def only_with_code(rows: Sequence[Health], code: Code) -> list[Health]:
    """The same articles, each with only its problems of this code."""
    return [
        replace(row, problems=tuple(problem for problem in row.problems if problem.code == code))
        for row in rows
    ]
