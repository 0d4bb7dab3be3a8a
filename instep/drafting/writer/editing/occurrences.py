"""Estimates whether an old text in an article refers to what the change replaced.

One logistic model weighs the signs of the pair (`facts.became`) and of the passage; `make eval-fitting` fits
it and evaluates it on left-out products. `_is_barred` refuses cases that no sign may outweigh.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from instep.drafting.writer.articles.commands import foreign_programs, program_at
from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.headings import headings_of
from instep.drafting.writer.articles.parsed_article import front_matter
from instep.drafting.writer.articles.passages import fence_at, is_in_code, is_in_url, sentence_around
from instep.drafting.writer.editing.stated_values import probability_of_value, says_a_name, statement_at
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.porting.link_resolver import address_name
from instep.drafting.writer.shapes import Article
from instep.drafting.writer.words.identifiers import emphasised
from instep.platform.core.name_matching import is_distinct, mention

_ROOT = re.compile(r"(?:^|[^\w./}>-]|://[\w.:-]+|\$\{?\w+\}?|[\w>]\}|<[\w-]+>)\Z")
_TEMPLATE = re.compile(r"\{[{%][^{}%]*\Z|<!--[^>]*\Z")
_BEFORE_ADDRESS = re.compile(r"[\s\"'(<]")
# An example that shows what an earlier change removed and added.
_RECORDED = frozenset(("diff", "patch"))
_BLOCK_BREAK = re.compile(r"\n[ \t]*(?:\n|[-*+#>|]|\d+[.)] )")
_MAX_HOST_CHARACTERS = 80
# A text in more articles than this is an everyday one.
MAX_READ_ARTICLES = 60
_MANY_LEFT = 1 / 3


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A span of an article (offsets in characters) that contains the old text of a pair.

    `probability` (0 to 1) is known for values; for other texts the model estimates it from the signs.
    """

    start: int
    end: int
    signs: Mapping[str, float]
    probability: float | None


def occurrences(pair: Became, corpus: Corpus) -> Iterator[tuple[Article, list[Occurrence]]]:
    """The passages of each article with the old text, except those that surely mean something else."""
    articles = [article for article in corpus.articles_with(pair.old) if not article.is_record]
    if len(articles) > MAX_READ_ARTICLES:
        return
    foreign = foreign_programs(pair.old, corpus)
    for article in articles:
        places = _occurrences(pair, article, corpus)
        yield (
            article,
            [row for row in places if not (foreign and program_at(article.text, row.start) in foreign)],
        )


def _occurrences(pair: Became, article: Article, corpus: Corpus) -> Iterator[Occurrence]:
    text, first = article.text, len(front_matter(article.text))
    if pair.value and not says_a_name(pair, text):
        return
    is_shown = emphasised(pair.old)
    for match in mention(pair.old, may_be_flag=True).finditer(text):
        start, end = match.span()
        is_marked = is_in_code(text, start) or bool(is_shown.match(text, start))
        if start < first or _is_barred(pair, text, start, end, corpus, is_marked=is_marked):
            continue
        if pair.value:
            probability = probability_of_value(pair, statement_at(text, start, end))
            if probability:
                yield Occurrence(start, end, {}, probability)
            continue
        is_address = float(is_in_url(text, start))
        signs = {**_KIND_SIGNS[pair.kind], **pair.signs, "in address": is_address}
        yield Occurrence(start, end, signs, None)


_KIND_SIGNS: Mapping[str, Mapping[str, float]] = {
    kind: {f"is {other}": float(kind == other) for other in ("label", "text")}
    for kind in ("name", "label", "text", "value")
}


def _is_barred(pair: Became, text: str, start: int, end: int, corpus: Corpus, *, is_marked: bool) -> bool:
    """True if a passage is surely about another address or time."""
    is_word = is_plain_word(pair) and not (is_marked or _is_described_word(pair))
    # People edited three of 560 such passages.
    is_kept = pair.signs["left"] >= _MANY_LEFT and not pair.signs["described"] and not pair.value
    return (
        is_word
        or is_kept
        or (is_marked and fence_at(text, start) in _RECORDED)
        or _is_broken(text, start, end)
        or _says_both(pair, text, start, end)
        or _is_said_already(pair, text, start)
        or _is_other_address(pair, text, start, end, corpus)
    )


def _is_other_address(pair: Became, text: str, start: int, end: int, corpus: Corpus) -> bool:
    """True if a path continues or begins elsewhere, or new lines still use an address."""
    is_url, before = is_in_url(text, start), text[max(0, start - _MAX_HOST_CHARACTERS) : start]
    page, is_fragment, _ = _BEFORE_ADDRESS.split(before)[-1].partition("#")
    if is_url and is_fragment:
        return bool(page) and not _is_heading_of(page, pair, corpus)
    if is_url and (pair.signs["left"] or not _is_addressed(pair)):
        return True
    if pair.old.startswith("/"):
        return not _ROOT.search(text, max(0, start - _MAX_HOST_CHARACTERS), start)
    is_inside = "/" in pair.old and text[start - 1 : start] == "/" and not is_url
    return is_inside or (pair.old.endswith("/") and text[end : end + 1].isalnum())


def _is_heading_of(page: str, pair: Became, corpus: Corpus) -> bool:
    """True if the article at an address has a heading with the old text, which is edited too."""
    return any(
        article.url.rpartition("/")[2] == address_name(page)
        and not article.is_record
        and any(mention(pair.old).search(heading.title) for heading in headings_of(article.text))
        for article in (corpus.articles_with(pair.old) if "://" not in page else ())
    )


def _is_broken(text: str, start: int, end: int) -> bool:
    """True if the words span two blocks, are in a template or comment, or label a link defined elsewhere."""
    before = text[max(0, start - _MAX_HOST_CHARACTERS) : start]
    is_label = before.endswith(("][", "[^"))
    return is_label or bool(_BLOCK_BREAK.search(text, start, end) or _TEMPLATE.search(before))


def is_plain_word(pair: Became) -> bool:
    """True if a name is spelled like an ordinary word, so that a text may mean something else by it."""
    return pair.kind == "name" and not pair.signs["distinct"] and pair.old.isalnum()


def _is_described_word(pair: Became) -> bool:
    """True if the change itself says that one word replaces another, as in “Rename Team to Group”."""
    return bool(pair.signs["described"]) and not is_distinct(pair.new)


def _says_both(pair: Became, text: str, start: int, end: int) -> bool:
    """A sentence with both texts describes the change itself, or two different things."""
    first, last = sentence_around(text, start, end)
    rest = f"{text[first:start]} {text[end:last]}"
    return bool(mention(pair.new).search(mention(pair.old).sub(" ", rest)))


def _is_said_already(pair: Became, text: str, start: int) -> bool:
    """True if the old text is already part of the new one, as “Service” is in “Application Service”."""
    place = pair.new.find(pair.old)
    first = max(0, start - place)
    return place >= 0 and text[first : first + len(pair.new)].casefold() == pair.new.casefold()


def _is_addressed(pair: Became) -> bool:
    """True if the change moves URLs; otherwise links keep working under the old one."""
    if "/" in pair.old or "@" in pair.old or pair.kind == "text":
        return True
    return is_distinct(pair.old) and any(
        f"/{pair.new}" in row.text or f"{pair.new}/" in row.text for row in pair.sources
    )
