"""Sentences that say who may do something: "Only **owners** can delete an event"."""

import re
from collections.abc import Sequence

from instep.writer.editing.apply import add_edit
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.facts.entitlements import Entitlement
from instep.writer.facts.values import Value
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import parts_of

_SUBJECT = re.compile(
    r"(?:^|(?<=[.!?:;]\s)|(?<=\n)|(?<=[-*+]\s)|(?<=\|\s))(?:Only\s+|only\s+)?(?:the\s+)?"
    r"(?P<list>[^\W\d][\w*`_ ,/-]{1,80}?|[*`_]{1,2}\w[\w*`_ ,/-]{1,80}?)"
    r"\s+(?:can|may|are\s+(?:allowed|able)\s+to)\s+(?!not\b)(?P<what>[^.!?\n|]{3,200})"
)
_SEPARATOR = re.compile(r"(,?\s{1,3}and\s{1,3}|,?\s{1,3}or\s{1,3}|,\s{1,3}|\s{0,3}/\s{0,3})")
_ITEM = re.compile(r"(?P<before>[*`_]{0,3})(?P<name>[^\W_](?:[\w -]{0,60}[^\W_])?)(?P<after>[*`_]{0,3})")
_PLAIN_ROLE_WORDS = frozenset(("is", "role", "roles", "user", "users"))


def add_entitled_subjects(
    edits: EditsByArticle,
    entitlements: Sequence[Entitlement],
    candidates: Sequence[DraftCandidate],
    title: str,
) -> None:
    """Edits who may do something in the sentences of sure candidates that name exactly those who could."""
    for candidate in candidates:
        if not candidate.is_concerned:
            continue
        article_edits = edits.get(candidate.article.id, [])
        for entitlement in entitlements:
            if edit := _edit(entitlement, candidate.article.text, title):
                add_edit(article_edits, edit)
        if article_edits:
            edits[candidate.article.id] = article_edits


def _edit(entitlement: Entitlement, text: str, title: str) -> Edit | None:
    """The edit of the one sentence about what is allowed, or of the one that shares most with the title."""
    action, topic = change_terms(entitlement.key).keys(), change_terms(title).keys()
    subjects = [
        (len(topic & terms), match, subject)
        for match in _SUBJECT.finditer(text)
        if action
        and action <= (terms := change_terms(match["what"]).keys())
        and (subject := _subject(entitlement, match["list"]))
    ]
    most = max((shared for shared, _, _ in subjects), default=0)
    nearest = [(match, subject) for shared, match, subject in subjects if shared == most]
    if len(nearest) != 1:
        return None
    [(match, subject)] = nearest
    fact = Value(match["list"], subject, (entitlement.key,), (entitlement.source,), is_beside_name=False)
    return Edit(*match.span("list"), subject, fact)


def _subject(entitlement: Entitlement, listed: str) -> str | None:
    """Who may do it now, in the form of a list of those who could before; None for any other list."""
    parts = _SEPARATOR.split(listed)
    items, separators = [_ITEM.fullmatch(part) for part in parts[::2]], parts[1::2]
    named = {_role(item["name"]): item for item in items if item}
    before, after = (list(map(_role, members)) for members in (entitlement.before, entitlement.after))
    if len(named) != len(items) or named.keys() != {*before}:
        return None
    template = next(iter(named.values()))
    labels = [item[0] for role, item in named.items() if role in after]
    labels += [_label(role, template) for role in after if role not in named]
    conjunction = separators[-1] if separators and len(labels) > 1 else " and "
    conjunction = conjunction if len(labels) > 2 else conjunction.removeprefix(",")
    return ", ".join(labels[:-1]) + (conjunction if len(labels) > 1 else "") + labels[-1]


def _role(name: str) -> str:
    """The words of a role in the singular: `ROLE_TEAM_LEAD`, team leads."""
    words = [part for part in parts_of(name) if part not in _PLAIN_ROLE_WORDS]
    return " ".join(words).removesuffix("s")


def _label(role: str, template: re.Match[str]) -> str:
    """A role in the form of another one, whose capital may be that of the sentence."""
    name = role + ("s" if template["name"].endswith("s") else "")
    has_capital = template["name"][:1].isupper() and bool(template["before"])
    return template["before"] + (name.capitalize() if has_capital else name) + template["after"]
