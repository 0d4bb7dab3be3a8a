"""The statements of edits, so that a reviewer is not asked twice, and which edits are certain."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from instep.drafting.writer.editing.apply import MIN_CERTAIN
from instep.drafting.writer.editing.edits import Edit, EditReason, EditsByArticle
from instep.drafting.writer.porting.ported_text import PortedText, ReviewerNotice
from instep.drafting.writer.shapes import Evidence, Statement, Suppressed
from instep.platform.text.characters import in_one_line, shorten

_KEY_CHARACTERS = 32
_MAX_SUMMARY_CHARACTERS, _MAX_PART_CHARACTERS = 200, 80
_MAX_SUMMARIES = 3


def statements_of(edits: Iterable[Edit]) -> tuple[Statement, ...]:
    """The statements of the edits, each once, in the order of their places."""
    return tuple(dict.fromkeys(_statement(edit.fact) for edit in edits))


def is_certain(edits: Iterable[Edit]) -> bool:
    """True if the change proves every edit, and none has something to check."""
    return all(
        edit.probability >= MIN_CERTAIN and not (isinstance(edit.fact, PortedText) and edit.fact.warnings)
        for edit in edits
    )


def without_suppressed(edits: EditsByArticle, suppressed: Suppressed) -> EditsByArticle:
    """The edits without those whose statement is suppressed."""
    remaining = {
        article_id: [
            edit for edit in article_edits if _statement(edit.fact).key not in suppressed.get(article_id, ())
        ]
        for article_id, article_edits in edits.items()
    }
    return {article_id: article_edits for article_id, article_edits in remaining.items() if article_edits}


def suppression_notices(edits: EditsByArticle, suppressed: Suppressed) -> Mapping[str, ReviewerNotice]:
    """A sentence for each article whose edits `without_suppressed` removed."""
    notices: dict[str, ReviewerNotice] = {}
    for article_id, article_edits in edits.items():
        left_out = [row for row in statements_of(article_edits) if row.key in suppressed.get(article_id, ())]
        if left_out:
            summaries = "; ".join(row.summary for row in left_out[:_MAX_SUMMARIES])
            notices[article_id] = ReviewerNotice(
                f"Not proposed again, because it was drafted or dismissed before: {summaries}."
            )
    return notices


def article_statement(title: str) -> Statement:
    """The statement of a draft of a new article: the article is missing."""
    return made_statement("article", [title], f"New article “{_quoted(title)}”")


def place_statement(heading: str | None, evidence: Iterable[Evidence]) -> Statement:
    """The statement of a place: this section should speak of these lines of code."""
    summary = f"Text under “{_quoted(heading)}”" if heading else "Text for this article"
    return made_statement("place", [heading or "", *(source.excerpt for source in evidence)], summary)


def replacement_statement(old: str, new: str) -> Statement:
    """The statement of an edit, made from its two texts."""
    return made_statement("replacement", [old, new], _change(old, new))


def made_statement(kind: str, parts: Sequence[str], summary: str) -> Statement:
    """A statement whose key is made from its kind and its parts, ignoring white space."""
    text = "\0".join([kind, *(" ".join(part.split()) for part in parts)])
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]
    return Statement(key, shorten(summary, _MAX_SUMMARY_CHARACTERS))


def _statement(fact: EditReason) -> Statement:
    if isinstance(fact, PortedText):
        return made_statement("text", [fact.old, fact.new], _change(fact.old, fact.new))
    if fact.value:
        change = f"{_quoted(fact.names[0])}: {_change(fact.old, fact.new)}"
        return made_statement("value", [fact.names[0], fact.old, fact.new], change)
    kind = "rewording" if fact.kind == "text" else "rename"
    return made_statement(kind, [fact.old, fact.new], _change(fact.old, fact.new))


def _change(old: str, new: str) -> str:
    if not old.strip() or not new.strip():
        return f"{'Added' if new.strip() else 'Removed'}: “{_quoted(new if new.strip() else old)}”"
    return f"“{_quoted(old)}” → “{_quoted(new)}”"


def _quoted(text: str) -> str:
    return shorten(in_one_line(text), _MAX_PART_CHARACTERS)
