"""The report of `instep drift`: lines for a person, and SARIF for code hosts."""

import json
from typing import Any

from instep.client.ci.escaping import line_excerpt, one_line
from instep.client.drift.shapes import DriftAnswer, ReportedFinding

RULES = {
    "gone": "The code no longer has this name.",
    "renamed": "The code has a different name.",
    "value": "The code has a different value.",
    "unknown": "The code never had this name.",
}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_findings(answer: DriftAnswer) -> str:
    """The findings by article, and how much was read."""
    lines: list[str] = []
    title = None
    for finding in answer.findings:
        if finding.article_id != title:
            title = finding.article_id
            lines.append(f"{one_line(finding.title)} ({one_line(finding.article_id)})")
        lines += lines_of(finding)
    count = len(answer.findings)
    counted = "Nothing" if not count else "1 statement" if count == 1 else f"{count:,} statements"
    read = f"{answer.statements:,} statements of {answer.articles:,} articles"
    lines.append(f"{counted} of {read} {'differs' if count <= 1 else 'differ'} from the code.")
    if answer.readings:
        articles = "1 article" if answer.readings == 1 else f"{answer.readings:,} articles"
        lines.append(
            f"The language model compares {articles} with the code. Its drafts go to the review queue."
        )
    return "\n".join(lines)


def lines_of(finding: ReportedFinding) -> list[str]:
    lines = [
        f"  line {finding.line}: {sentence_of(finding)}",
        f"    says    {line_excerpt(finding.statement)}",
    ]
    if finding.now:
        place = f"{one_line(finding.now.file)}:{finding.now.line}"
        lines.append(f"    code    {place}  {line_excerpt(finding.now.text.strip())}")
    if finding.changed:
        changed = finding.changed
        lines.append(f"    since   {changed.commit[:9]} of {changed.date}: {one_line(changed.title)}")
    waiting = finding.draft_id or finding.place_id
    return [*lines, f"    review  {waiting}"] if waiting else lines


def sentence_of(finding: ReportedFinding) -> str:
    old, new = one_line(finding.old), one_line(finding.new or "")
    return f"“{old}” is “{new}” in the code." if finding.new else f"“{old}” is gone from the code."


def as_sarif(answer: DriftAnswer) -> str:
    """The findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS)."""
    rules = [{"id": kind, "shortDescription": {"text": text}} for kind, text in RULES.items()]
    run = {
        "tool": {"driver": {"name": "instep drift", "rules": rules}},
        "results": [result_of(finding) for finding in answer.findings],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def result_of(finding: ReportedFinding) -> dict[str, Any]:
    """One result: its location is the article, and the line of the code is related to it."""
    article = location(f"articles/{finding.article_id}", finding.line)
    article["logicalLocations"] = [{"name": finding.title, "kind": "resource"}]
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "level": "warning",
        "message": {"text": f"{finding.title}: {sentence_of(finding)}"},
        "locations": [article],
        "partialFingerprints": {"statement/v1": f"{finding.article_id}:{finding.old}:{finding.new or ''}"},
    }
    if finding.now:
        result["relatedLocations"] = [location(finding.now.file, finding.now.line)]
    return result


def location(uri: str, line: int) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
