"""Where an article states what a change made untrue, and the text that belongs there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from instep.core.name_matching import mention
from instep.writer.articles.code_languages import language_at
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.headings import headings_of
from instep.writer.articles.other_products import other_product_at
from instep.writer.articles.parsed_article import front_matter
from instep.writer.articles.passages import is_in_code, is_in_url, sentence_around
from instep.writer.editing.example_edits import ExampleEdit
from instep.writer.editing.heading_links import HeadingLink
from instep.writer.editing.name_context import is_in_context
from instep.writer.editing.supported_versions import without_dropped_versions
from instep.writer.editing.value_binding import (
    StatedValue,
    is_mentioned,
    is_of_section,
    is_own_cell,
    is_stated_default,
    statement_at,
    states_value_of,
)
from instep.writer.facts.collect import Fact
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.rewordings import Rewording, wrapped_like
from instep.writer.facts.signatures import Signature
from instep.writer.facts.values import Value
from instep.writer.inserting.insertions import Insertion
from instep.writer.porting.ported_text import PortedText
from instep.writer.shapes import Article
from instep.writer.words.identifiers import emphasised

# A route begins where no path precedes it, or right after a host.
_ROOT = re.compile(r"(?:^|[^\w./}>-]|://[\w.:-]+|\$\{?\w+\}?|[\w>]\}|<[\w-]+>)\Z")
_HOST = re.compile(r"://([\w.-]+)(?::\d+)?\Z")
_WIDESPREAD_HOST_NAMES = """
    amazon.com anthropic.com apache.org apple.com atlassian.com auth0.com bitbucket.org cloudflare.com
    digitalocean.com discord.com docker.com facebook.com figma.com git-scm.com github.com
    githubusercontent.com gitlab.com golang.org google.com heroku.com hubspot.com ietf.org instagram.com
    intercom.com jetbrains.com kubernetes.io linkedin.com live.com mailgun.com medium.com microsoft.com
    mongodb.com mozilla.org mysql.com netlify.com nginx.org nodejs.org notion.so office.com okta.com
    openai.com oracle.com paypal.com postgresql.org python.org readthedocs.io reddit.com redhat.com
    redis.io salesforce.com sendgrid.com sentry.io shopify.com slack.com stackoverflow.com
    stripe.com telegram.org twilio.com twitter.com ubuntu.com vercel.com w3.org whatsapp.com wikipedia.org
    wordpress.org x.com youtube.com zapier.com zendesk.com zoom.us
"""
_WIDESPREAD_HOSTS = frozenset(_WIDESPREAD_HOST_NAMES.split())
_VALUE_AFTER = re.compile(r"""[`*_"'\s|:=(>]{1,12}(?:is\s[`*]{0,3})?(\d[\d._,]*\b)""")
_CURRENCY = re.compile(r"[$€£]\s?\Z")
_UNDERLINE = re.compile(r"([=\-~#*^\"'`+])\1{2,}")
_ITEM_START = re.compile(r"\s*+(?:[-*+]\s++)?[`*_\"']*+[?&]?(?:[\w.-]++=)?[\"']?")
_INDEFINITE = re.compile(r"\b([Aa]n?)(\s[`*_\"\[]{0,3})\Z")
_MAX_INDEFINITE_CHARACTERS = 8
# Other beginnings, as in `user`, `one`, `hour` and `URL`, do not tell how they sound.
_VOWEL = re.compile(r"[AEIaei][a-z]|[Oo][a-mo-z]")
_CONSONANT = re.compile(r"[BCDFGJKLMNPQRSTVWZbcdfgjklmnpqrstvwz][a-z]")
_WORD = re.compile(r"\w+")
_MAX_HOST_CHARACTERS = 80
_MIN_IDF = 6.0
# So many different words in a row are no coincidence, also where a few articles leave no word rare.
_MIN_WORDS = 8
# Less have the files of tests, and those that are internal.
_MIN_WEIGHT = 0.5


EditReason = Fact | Insertion | ExampleEdit | HeadingLink | Removal | PortedText


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces a span of an article (offsets in characters) by `new`, because of `fact`."""

    start: int
    end: int
    new: str
    fact: EditReason


def is_shown_by_tests_alone(fact: EditReason) -> bool:
    """Whether no line that users are concerned with is behind a fact."""
    return max(source.weight for source in fact.sources) < _MIN_WEIGHT


# The edits of each article by its id, sorted by place and without overlaps.
EditsByArticle = dict[str, list[Edit]]


def edits_for(fact: Fact, article: Article, corpus: Corpus) -> Iterator[Edit]:
    if isinstance(fact, Signature):
        yield from _signature_edits(fact, article.text)
        return
    if isinstance(fact, Value) and fact.is_version:
        for start, end, new in without_dropped_versions(fact, article.text):
            yield Edit(start, end, new, fact)
    first = len(front_matter(article.text))
    for start, end in _spans(fact, article, corpus):
        if start >= first and not _states_both(fact, article.text, start, end):
            new = wrapped_like(article.text[start:end], fact.new)
            before = _INDEFINITE.search(article.text, max(0, start - _MAX_INDEFINITE_CHARACTERS), start)
            if before and (indefinite := _agreeing_article(before[1], fact.old, fact.new)):
                start, new = before.start(1), indefinite + before[2] + new
            yield Edit(start, end, new, fact)


def _spans(fact: Rename | Value | Rewording, article: Article, corpus: Corpus) -> Iterator[tuple[int, int]]:
    if isinstance(fact, Rename):
        for start, end in _rename_spans(fact, article.text):
            if not _is_of_others(fact, article, start, end, corpus):
                yield start, end
    elif isinstance(fact, Value):
        yield from _value_spans(fact, article)
    else:
        yield from _rewording_spans(fact, article.text, corpus)


def _agreeing_article(word: str, old: str, new: str) -> str | None:
    """`a` or `an` for the new name, if spelling tells how both names sound and the other one stood there."""
    sounds = [bool(_VOWEL.match(name)) for name in (old, new) if _VOWEL.match(name) or _CONSONANT.match(name)]
    if len(sounds) < 2 or sounds[0] == sounds[1] or (len(word) > 1) != sounds[0]:
        return None
    return f"{word[0]}n" if sounds[1] else word[0]


def _signature_edits(fact: Signature, text: str) -> Iterator[Edit]:
    """Only headings: an example may omit the new parameter. An underline grows with its heading."""
    for heading in headings_of(text):
        if fact.old not in heading.title:
            continue
        start = text.index(fact.old, heading.start)
        yield Edit(start, start + len(fact.old), fact.new, fact)
        below = _UNDERLINE.match(text, text.find("\n", start) + 1)
        if below and not heading.mark.startswith("#"):
            length = len(heading.title) - len(fact.old) + len(fact.new)
            yield Edit(below.start(), below.end(), below[1] * length, fact)


def _states_both(fact: Fact, text: str, start: int, end: int) -> bool:
    """A sentence with both texts describes the change itself, or two different things.

    Not so a cell, and a default beside which all choices are listed.
    """
    if isinstance(fact, Value) and _stands_by_itself(fact, statement_at(text, start, end)):
        return False
    first, last = sentence_around(text, start, end)
    rest = text[first:start] + " " + text[end:last]
    return bool(mention(fact.new).search(mention(fact.old).sub(" ", rest)))


def _rename_spans(fact: Rename, text: str) -> Iterator[tuple[int, int]]:
    pattern = _pattern_of(fact)
    is_in_links = "/" in fact.old or "@" in fact.old
    in_paths = is_in_links or any(_is_path_part(fact.new, source.text) for source in fact.sources)
    for match in pattern.finditer(text):
        if fact.marking == "coded" and not is_in_code(text, match.start()):
            continue
        if fact.marking == "in context" and not is_in_context(fact, text, *match.span()):
            continue
        if fact.old.startswith("/") and not _is_route(text, match.start()):
            continue
        if _is_said_already(fact, text, match.start()):
            continue
        if fact.converted is not None and _has_other_value(fact.converted, text, match.end()):
            continue
        # A link keeps working under the old address unless the change moves addresses.
        if in_paths or not is_in_url(text, match.start()):
            yield match.span()


def _is_said_already(fact: Rename, text: str, start: int) -> bool:
    """Whether the old name stands in the new one here, as “Service” does in “Application Service”."""
    place = fact.new.find(fact.old)
    first = max(0, start - place)
    return place >= 0 and text[first : first + len(fact.new)].casefold() == fact.new.casefold()


def _is_of_others(fact: Rename, article: Article, start: int, end: int, corpus: Corpus) -> bool:
    """Whether a label is that of another product, or a function that of a library in another language."""
    if fact.is_label and other_product_at(article, start, end, corpus):
        return True
    return _is_in_other_language(fact, article.text, start)


def _is_in_other_language(fact: Rename | Value, text: str, start: int) -> bool:
    language = language_at(text, start)
    return language is not None and bool(fact.languages) and language not in fact.languages


def _pattern_of(fact: Rename) -> re.Pattern[str]:
    if fact.rest is not None:
        before = "" if fact.old.startswith("/") else r"(?<![\w-])"
        return re.compile(rf"{before}{re.escape(fact.old)}(?={fact.rest})")
    return emphasised(fact.old) if fact.marking == "emphasised" else mention(fact.old)


def _is_route(text: str, start: int) -> bool:
    """Whether a path begins here, and not on a host that help centers of other products link to."""
    first = max(0, start - _MAX_HOST_CHARACTERS)
    host = _HOST.search(text, first, start)
    is_foreign = host is not None and ".".join(host[1].split(".")[-2:]) in _WIDESPREAD_HOSTS
    return bool(_ROOT.search(text, first, start)) and not is_foreign


def _has_other_value(converted: frozenset[str], text: str, end: int) -> bool:
    """Whether a name stands beside a number that the change does not convert to the new unit."""
    value = _VALUE_AFTER.match(text, end)
    return value is not None and value[1] not in converted


def _is_path_part(name: str, line: str) -> bool:
    return f"/{name}" in line or f"{name}/" in line


def _rewording_spans(fact: Rewording, text: str, corpus: Corpus) -> Iterator[tuple[int, int]]:
    is_long = not fact.is_part and len(set(_WORD.findall(fact.old))) >= _MIN_WORDS
    if is_long or corpus.total_idf(fact.old) >= _MIN_IDF:
        yield from (match.span() for match in mention(fact.old).finditer(text))


def _is_item_of(fact: Value, before: str) -> bool:
    """Whether a word is what a list item is about: one of the possible values, which all remain."""
    return not any(char.isdigit() for char in fact.old) and bool(_ITEM_START.fullmatch(before.lstrip("\n")))


def _stands_by_itself(fact: Value, sentence: StatedValue) -> bool:
    """Whether a word is what its row or its sentence says of a setting, whatever else they list."""
    return fact.is_word and (
        any(is_own_cell(name, sentence) for name in fact.names) or is_stated_default(fact, sentence)
    )


def _value_spans(fact: Value, article: Article) -> Iterator[tuple[int, int]]:
    text = article.text
    if not is_mentioned(fact, text):
        return
    for match in mention(fact.old).finditer(text):
        start, end = match.span()
        if fact.is_word and is_in_url(text, start):
            continue
        sentence = statement_at(text, start, end)
        if is_in_code(text, start) and _is_in_other_language(fact, text, start):
            continue
        is_one_of_several = (
            not fact.is_version
            and len(mention(fact.old).findall(sentence.text)) > 1
            and not _stands_by_itself(fact, sentence)
        )
        if is_one_of_several or _is_item_of(fact, sentence.before):
            continue
        if _CURRENCY.search(text, max(0, start - 2), start) and not fact.is_money:
            continue
        is_stated = any(states_value_of(fact, name, sentence, article.title) for name in fact.names)
        if is_stated and is_of_section(fact, sentence):
            yield start, end
