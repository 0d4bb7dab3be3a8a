"""The results of found drift: all edits of an article together, and a place for each removed name."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from instep.drafting.writer.articles.headings import heading_over
from instep.drafting.writer.drift.judging import judge
from instep.drafting.writer.drift.past_changes import CodeToday, Drift, DriftKind, PastChange
from instep.drafting.writer.drift.stated_names import stated_names
from instep.drafting.writer.editing.apply import evidence_for, new_title
from instep.drafting.writer.editing.edits import Edit, apply
from instep.drafting.writer.reporting.reasons import quoted
from instep.drafting.writer.reporting.statements import is_certain, made_statement, statements_of
from instep.drafting.writer.reporting.warnings import warnings_for
from instep.drafting.writer.shapes import Article, Evidence, Place, Proposal, Statement, excerpt_of
from instep.platform.text.characters import in_one_line, shorten

_MAX_STATEMENT_CHARACTERS = 300
_MAX_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class WrongStatement:
    """A wrong statement; `key` identifies it in drafts, places and dismissals.

    `elsewhere` says that the text is kept outside of the article, such as in a part, which no draft changes;
    `shown_in` are all articles that show such a text.
    """

    article_id: str
    article_title: str
    line: int
    statement: str
    kind: DriftKind
    old: str
    new: str | None
    file: str
    code_line: int
    code: str
    change: PastChange
    key: Statement
    heading: str | None
    elsewhere: str = ""
    shown_in: tuple[str, ...] = ()

    @property
    def wrong_articles(self) -> tuple[str, ...]:
        return self.shown_in or (self.article_id,)

    @property
    def is_edit(self) -> bool:
        return self.new is not None and not self.elsewhere


@dataclass(frozen=True, slots=True)
class ArticleDrift:
    """The findings of one article, and the edits among them."""

    article: Article
    findings: tuple[WrongStatement, ...]
    drifts: tuple[Drift, ...]

    def proposal(self, keys: frozenset[str]) -> Proposal | None:
        """The draft that makes the edits with these keys; None if there are none."""
        drifts = [
            drift
            for drift, finding in zip(self.drifts, self.findings, strict=True)
            if finding.is_edit and finding.key.key in keys
        ]
        edits = [drift.edit for drift in drifts if drift.edit is not None]
        return _proposal(self.article, edits, drifts) if edits else None


@dataclass(frozen=True, slots=True)
class DriftReport:
    """All that a check has found, by article, and how many statements the articles make."""

    articles: tuple[ArticleDrift, ...]
    statements: int


def report_drift(articles: Sequence[Article], changes: Sequence[PastChange], today: CodeToday) -> DriftReport:
    """Judge the articles, and say what each finding is."""
    by_article: dict[str, list[Drift]] = defaultdict(list)
    for drift in judge(articles, changes, today):
        by_article[drift.article.id].append(drift)
    reports = [
        ArticleDrift(drifts[0].article, tuple(map(_finding, drifts)), tuple(drifts))
        for drifts in by_article.values()
    ]
    return DriftReport(tuple(reports), stated_names(articles, 0).statements)


def place_of_finding(finding: WrongStatement) -> Place:
    """A place of a statement that no draft corrects: a removed name needs other words."""
    if finding.new is None:
        reason = f"Says {quoted(finding.old)}, which was removed from the code in {_named(finding.change)}."
    else:
        source = f"{finding.file}:{finding.code_line}"
        reason = _correction(finding.old, finding.new, source, finding.change)
    reason = f"{finding.elsewhere} {reason}".strip()
    evidence = Evidence(finding.file, finding.code_line, finding.code_line, finding.code, finding.line)
    return Place(
        finding.article_id, finding.heading, finding.line, in_one_line(reason), (evidence,), finding.key
    )


def _finding(drift: Drift) -> WrongStatement:
    lines = drift.article.text.splitlines(keepends=True)
    start = sum(map(len, lines[: drift.line - 1]))
    edit = drift.edit
    if edit is None:
        key = made_statement("gone", [drift.name], f"{quoted(drift.name)} is gone")
    else:
        [key] = statements_of([edit])
    return WrongStatement(
        drift.article.id,
        drift.article.title,
        drift.line,
        shorten(lines[drift.line - 1].strip(), _MAX_STATEMENT_CHARACTERS),
        drift.kind,
        drift.name if edit is None else edit.fact.old,
        None if edit is None else edit.fact.new,
        drift.source.file,
        drift.source.line,
        excerpt_of(drift.source.text),
        drift.change,
        key,
        heading_over(drift.article.text, start) or None,
    )


def _proposal(article: Article, edits: Sequence[Edit], drifts: Sequence[Drift]) -> Proposal:
    text = apply(edits, article.text)
    return Proposal(
        type="edit",
        article_id=article.id,
        title=new_title(article, edits),
        text=text,
        reason=_reason(drifts),
        evidence=evidence_for(edits, article.text),
        warnings=warnings_for(edits, text, ()),
        is_certain=is_certain(edits),
        statements=statements_of(edits),
    )


def _reason(drifts: Sequence[Drift]) -> str:
    sentences = list(dict.fromkeys(_sentence(drift) for drift in drifts))
    more = len(sentences) - _MAX_SENTENCES
    rest = [f"{more} more {'statement' if more == 1 else 'statements'} like these."] if more > 0 else []
    return " ".join([*sentences[:_MAX_SENTENCES], *rest])


def _sentence(drift: Drift) -> str:
    assert drift.edit is not None
    fact = drift.edit.fact
    return _correction(fact.old, fact.new, drift.source.location, drift.change)


def _correction(old: str, new: str, source: str, change: PastChange) -> str:
    return f"Says {quoted(old)}; the code has {quoted(new)} ({source}) since {_named(change)}."


def _named(change: PastChange) -> str:
    return f"“{shorten(in_one_line(change.title), 80)}” ({change.commit[:9]}, {change.date})"
