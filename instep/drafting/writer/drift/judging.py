"""Judges what past commits have made wrong in articles: a replay of the history, checked by today's code.

The writer reads each commit like an incoming change. An edit counts if the current code agrees: it no longer
has the old text, and it has the new one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from instep.drafting.writer.articles.corpus import Corpus, corpus_of
from instep.drafting.writer.articles.headings import headings_of
from instep.drafting.writer.articles.passages import (
    fence_at,
    is_in_code,
    is_in_example,
    is_in_url,
    sentence_around,
)
from instep.drafting.writer.drift.consistent_swaps import find_swaps
from instep.drafting.writer.drift.past_changes import CodeToday, Drift, DriftKind, MovedFile, PastChange
from instep.drafting.writer.drift.past_definitions import ChangedDefinitions, Definition, is_of_interface
from instep.drafting.writer.drift.stated_addresses import (
    RepositoryLink,
    begins_with_host,
    is_part_of_host,
    repository_links,
)
from instep.drafting.writer.editing.apply import MIN_CERTAIN, best_source, find_edits
from instep.drafting.writer.editing.edits import Edit, add_edit
from instep.drafting.writer.facts.became import Became, find_became
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.written_names import name_form_of
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.words.units import UNITS
from instep.platform.core.name_matching import is_distinct, mention

_MAX_STEPS = 10
# A sentence about what was: it stays true.
_OF_THE_PAST = re.compile(
    r"\b(?:deprecat\w+|formerly|previously|prior to|(?:was|were|been) removed|removed in|renamed|replaced by"
    r"|no longer|used to|older versions?|(?:was|were) (?:called|named))\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"v?\d[\w.+-]*")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_MIN_VARIABLES = 3
# The same value in another unit, as in `3600 # 1 hour`.
_RESTATED = re.compile(rf"(?<![\d.,])\d[\d.,]*+\s*+(?:{'|'.join(UNITS.values())})\b", re.IGNORECASE)
_DEFAULT = re.compile(r"\bdefault", re.IGNORECASE)
_INDENTED = re.compile(r" {4}|\t")
# Paths and variables of the system, which it has whether the code names them or not.
_OF_THE_SYSTEM = re.compile(
    r"/(?:bin|dev|etc|home|mnt|opt|proc|root|srv|sys|tmp|Users|usr|var)/|(?:HTTPS?|NO)_PROXY$"
)
# The first words of variables of other products: `GOOGLE_CREDENTIALS`.
_OTHER_PRODUCTS = """
    ACROBAT ANDROID ASANA AUTH0 AZURE BITBUCKET CALENDLY CHROME CLOUDFLARE CLICKUP CONFLUENCE DISCORD
    DROPBOX EDGE EXCEL FACEBOOK FIGMA FIREFOX GITHUB GITLAB GMAIL GODADDY GOOGLE HUBSPOT INSTAGRAM IOS
    IPHONE JIRA LINKEDIN LINEAR MAILCHIMP MICROSOFT NOTION OKTA ONEDRIVE ONELOGIN OPERA OUTLOOK PAYPAL
    POWERPOINT QUICKBOOKS SAFARI SALESFORCE SHOPIFY SLACK SQUARESPACE STRIPE TEAMS TELEGRAM THUNDERBIRD
    TRELLO TWILIO TWITTER WHATSAPP WINDOWS WIX WORDPRESS XERO YOUTUBE ZAPIER ZENDESK ZOOM AWS DOCKER XDG
"""
_PREFIXES_OF_OTHERS = tuple(f"{name}_" for name in _OTHER_PRODUCTS.split())
# A title with a version, a date or these words: its section is about the past, or about both.
_DATED = re.compile(
    r"\bv?\d+\.(?:\d+|x)|\b20\d\d-\d\d|\b(?:breaking changes|deprecat\w+|migrat\w+|upgrad\w+)",
    re.IGNORECASE,
)


def judge(articles: Sequence[Article], changes: Sequence[PastChange], today: CodeToday) -> list[Drift]:
    """The statements of articles that the changes, newest first, have made wrong, by article and place."""
    corpus = corpus_of(tuple(articles))
    defined = [(change, ChangedDefinitions(change)) for change in changes]
    facts = [(change, _facts_of(change, definitions, today)) for change, definitions in defined]
    outcomes = _Outcomes(facts)
    by_id = {article.id: article for article in articles}
    edits_by_id: dict[str, list[Edit]] = {}
    drifts: list[Drift] = []
    for change, pairs in facts:
        lasting = [last for pair in pairs if (last := outcomes.lasting(pair, change, today))]
        edits_by_article = find_edits(lasting, corpus, FITTED).likely
        for article_id, edits in edits_by_article.items():
            chosen = edits_by_id.setdefault(article_id, [])
            for edit in edits:
                if not _is_proven(edit, by_id[article_id]):
                    continue
                count = len(chosen)
                add_edit(chosen, edit)
                if len(chosen) > count and isinstance(edit.fact, Became):
                    kind: DriftKind = "value" if edit.fact.value else "renamed"
                    source = best_source(edit.fact)
                    drifts.append(Drift(kind, by_id[article_id], edit.start, edit.end, change, source, edit))
    drifts += _gone(defined, corpus, edits_by_id, today)
    drifts += [
        drift
        for drift in _find_moved(articles, today)
        if not _is_of_the_past(drift.article, drift.start, drift.end)
    ]
    return sorted(drifts, key=lambda drift: (drift.article.id, drift.start))


def _is_proven(edit: Edit, article: Article) -> bool:
    """True if the change surely is about what the passage states, and the passage about the present."""
    pair = edit.fact
    assert isinstance(pair, Became)
    if begins_with_host(pair.old) and is_part_of_host(article.text, edit.start, edit.end):
        return False
    is_name = pair.kind == "name" and is_of_interface(pair.old) and is_of_interface(pair.new)
    is_sure = edit.probability >= MIN_CERTAIN or is_name
    if not is_sure or _is_of_another(pair.old) or _is_of_the_past(article, edit.start, edit.end):
        return False
    return pair.value is None or _is_one_value(pair, article.text, edit)


def _is_one_value(pair: Became, text: str, edit: Edit) -> bool:
    """True if a line states a value once, and the name of the setting is no common word."""
    line_start, line_end = text.rfind("\n", 0, edit.start) + 1, text.find("\n", edit.end)
    rest = text[line_start : edit.start] + text[edit.end : line_end if line_end >= 0 else None]
    # An example sets a value of its own.
    is_chosen = is_in_example(text, edit.start) and not _DEFAULT.search(rest)
    is_same = _as_number(pair.old) == _as_number(pair.new) is not None
    return is_distinct(pair.names[0]) and not (is_same or is_chosen) and not _RESTATED.search(rest)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_of_the_past(article: Article, start: int, end: int) -> bool:
    """True if a sentence, a heading over it or the title says that it is about an earlier version."""
    is_dated = any(_DATED.search(title) for title in _titles_over(article, start))
    return is_dated or bool(_OF_THE_PAST.search(article.text, *sentence_around(article.text, start, end)))


def _titles_over(article: Article, start: int) -> Iterator[str]:
    """The titles of the article and of the sections that contain a place."""
    yield article.title
    level = 7
    for heading in reversed([row for row in headings_of(article.text) if row.start <= start]):
        if heading.level < level:
            level = heading.level
            yield heading.title


def _is_in_block(text: str, start: int) -> bool:
    return fence_at(text, start) is not None or bool(_INDENTED.match(text, text.rfind("\n", 0, start) + 1))


def _facts_of(change: PastChange, definitions: ChangedDefinitions, today: CodeToday) -> list[Became]:
    pairs = find_became(Change(change.title, None, change.diff), definitions.change_set)
    defined = [
        pair
        for pair in pairs
        if _may_be_stated(pair)
        and (pair.value or today.lacks(pair.old))
        and (pair.kind != "name" or definitions.replaces(pair.old, pair.new))
    ]
    swaps = {(pair.old, pair.new): pair for pair in find_swaps(definitions.code, today)}
    return [*(pair for pair in defined if (pair.old, pair.new) not in swaps), *swaps.values()]


def _may_be_stated(pair: Became) -> bool:
    """False for a version number without a setting: it belongs to a dependency and is no name."""
    return not _is_reference(pair) and (bool(pair.value) or not _VERSION.fullmatch(pair.old))


def _is_reference(pair: Became) -> bool:
    """True if the lines only say where the code shows a text, as in translation catalogs (gettext)."""
    return all(source.text.startswith("#:") for source in pair.sources)


class _Outcomes:
    """The present form of each text: a name may have been renamed again since."""

    def __init__(self, facts: Sequence[tuple[PastChange, Sequence[Became]]]) -> None:
        # Newest first, so that for one text an earlier change comes last; index by what was there before.
        self._by_old: dict[tuple[str, str, tuple[str, ...]], list[tuple[int, PastChange, Became]]] = {}
        self._order = {id(change): index for index, (change, _) in enumerate(facts)}
        for index, (change, pairs) in enumerate(facts):
            for pair in pairs:
                self._by_old.setdefault((pair.kind, pair.old, pair.names[:1]), []).append(
                    (index, change, pair)
                )

    def lasting(self, pair: Became, change: PastChange, today: CodeToday) -> Became | None:
        """The pair with the text that replaces the old one now; None if it is unknown."""
        index, last = self._order[id(change)], pair
        for _ in range(_MAX_STEPS):
            sources = _todays_sources(last, change, today)
            if sources:
                is_back = last.new == pair.old
                return None if is_back else replace(pair, new=last.new, sources=sources)
            later = [
                row for row in self._by_old.get((last.kind, last.new, last.names[:1]), ()) if row[0] < index
            ]
            if not later:
                return None
            index, change, last = later[-1]
        return None


def _todays_sources(pair: Became, change: PastChange, today: CodeToday) -> tuple[SourceLine, ...]:
    """The lines that are evidence for a pair, if they or their new name are still in the code."""
    lines = {(row.file, row.line): row for row in change.standing}
    standing = tuple(
        replace(source, file=row.file_today, line=row.line_today)
        for source in pair.sources
        if (row := lines.get((source.file, source.line)))
    )
    if pair.value:
        # The same line elsewhere may be about another setting.
        standing = tuple(row for row in standing if row.file in {source.file for source in pair.sources})
    if standing or pair.value or not pair.new.replace("-", "_").isidentifier():
        return standing
    return () if today.lacks(pair.new) else pair.sources


def _gone(
    defined: Sequence[tuple[PastChange, ChangedDefinitions]],
    corpus: Corpus,
    edits: Mapping[str, Sequence[Edit]],
    today: CodeToday,
) -> Iterator[Drift]:
    """The mentions of names that the code no longer has, and that nothing is known to have replaced."""
    seen, prefixes = set[tuple[str, str]](), _own_prefixes(corpus)
    for change, definitions in defined:
        for name in change.names:
            is_foreign = name_form_of(name) == "variable" and name.partition("_")[0] not in prefixes
            is_gone = name in today.gone_names and not is_foreign
            removed = definitions.find_removed(name) if is_gone else None
            for article in corpus.articles_with(name) if removed else ():
                is_new = (article.id, name) not in seen and not article.is_record
                if removed and is_new and _is_same_thing(removed, article, corpus):
                    seen.add((article.id, name))
                    place = _mention(name, article, edits.get(article.id, ()))
                    if place:
                        yield Drift("gone", article, *place, change, removed.source)


def _is_same_thing(definition: Definition, article: Article, corpus: Corpus) -> bool:
    """True if an article has another name from around a definition: a function or key can be a namesake."""
    return definition.is_of_interface or any(
        article in corpus.articles_with(name) for name in definition.neighbors
    )


def _own_prefixes(corpus: Corpus) -> frozenset[str]:
    """The first words of several variables in the articles: others belong to the system or to libraries."""
    variables = {name for article in corpus.articles for name in _VARIABLE.findall(article.text)}
    counts = Counter(name.partition("_")[0] for name in variables)
    return frozenset(prefix for prefix, count in counts.items() if count >= _MIN_VARIABLES)


def _is_of_another(name: str) -> bool:
    return bool(_OF_THE_SYSTEM.match(name)) or (name.isupper() and name.startswith(_PREFIXES_OF_OTHERS))


def _mention(name: str, article: Article, edits: Sequence[Edit]) -> tuple[int, int] | None:
    """The first place of an article that states a name as one of the product; None if an edit covers it."""
    place = None
    if not (is_distinct(name) or is_of_interface(name)) or _is_of_another(name):
        return None
    for match in mention(name).finditer(article.text):
        start, end = match.span()
        if any(edit.start < end and start < edit.end for edit in edits):
            return None
        if place is None and _is_stated(name, article, start, end):
            place = (start, end)
    return place


def _is_stated(name: str, article: Article, start: int, end: int) -> bool:
    """True if a text says in code marks, and as of the present, that there is a thing with this name."""
    text = article.text
    is_placeholder = text[start - 1 : start] == "<" and text[end : end + 1] == ">"
    # The names of an example only look like names of the code.
    if (_is_in_block(text, start) and not is_of_interface(name)) or is_placeholder or is_in_url(text, start):
        return False
    return is_in_code(text, start) and not _is_of_the_past(article, start, end)


def _find_moved(articles: Sequence[Article], today: CodeToday) -> Iterator[Drift]:
    """The links of articles to files and folders that the repository does not have any more."""
    moves = {move.old: move for move in today.moves}
    for article in articles if moves else ():
        for link in repository_links(article.text) if not article.is_record else ():
            move = moves.get(link.path) if link.home in {"", today.home} else None
            if move:
                yield _drift_of_move(move, link, article)


def _drift_of_move(move: MovedFile, link: RepositoryLink, article: Article) -> Drift:
    source = SourceLine(move.new or move.old, 1, move.new or move.old, 1.0)
    if move.new is None:
        return Drift("gone", article, link.start, link.end, move.change, source)
    fact = Became("name", move.old, move.new, (source,), {})
    edit = Edit(link.start, link.end, move.new, fact)
    return Drift("renamed", article, link.start, link.end, move.change, source, edit)
