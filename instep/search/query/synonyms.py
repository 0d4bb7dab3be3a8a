"""Synonyms that are common in help centers, in the seven languages of the site, and the synonyms of a bot.

A line contains synonyms of each other, separated by commas; one may have several words ("log in"). The lists
are not specific to a product. They come from no dictionary, because WordNet and the like join all
senses of a word ("plan" and "architectural drawing"), and so find more wrong articles than right ones.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from instep.platform.core.database import Tx
from instep.search.index.stems import SITE_LANGUAGES, Stems, stems_of
from instep.search.query.tokenizer import normalize_title, parse_query

FOLDER = Path(__file__).parent / "synonym_lists"
# The weight of a match of a synonym, relative to the word itself; a term of several words is searched for
# only by its longest word, which may mean something else.
SYNONYM_BOOST = 0.4
TERM_BOOST = 0.3
# The words of a term: their stems, and stop words after an equals sign.
Term = tuple[str, ...]
Group = tuple[tuple[str, ...], ...]
# By the words of a term: the stems of its synonyms with their boosts.
SynonymTable = dict[Term, dict[str, float]]


@cache
def groups_of(config: str) -> tuple[Group, ...]:
    """The synonyms of a language, each as its words; none for a language without a list."""
    language = SITE_LANGUAGES.get(config)
    return parse_lines((FOLDER / f"{language}.txt").read_text().splitlines()) if language else ()


def parse_lines(lines: Iterable[str]) -> tuple[Group, ...]:
    """The groups of synonyms; a line with fewer than two is ignored."""
    groups = (
        tuple(words for part in line.split(",") if (words := tuple(normalize_title(part).split())))
        for line in lines
    )
    return tuple(tuple(map(in_index_words, group)) for group in groups if len(group) > 1)


def in_index_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a term in their indexed form: pairs of letters in scripts without spaces."""
    return tuple(word for term in parse_query(" ".join(words)) for word in term.lower().split())


def table_of(groups: Iterable[Group], stems: Stems) -> SynonymTable:
    table: SynonymTable = {}
    for group in groups:
        terms = [tuple(keys_of(words, stems)) for words in group]
        for term in terms:
            for other in terms:
                word = main_word(other)
                if other != term and word is not None:
                    boosts = table.setdefault(term, {})
                    boost = SYNONYM_BOOST if len(other) == 1 and len(term) == 1 else TERM_BOOST
                    boosts[word] = max(boosts.get(word, 0.0), boost)
    return table


def keys_of(words: Sequence[str], stems: Stems) -> Iterator[str]:
    for word in words:
        yield stems.get(word) or f"={word}"


def main_word(term: Term) -> str | None:
    """The longest word of a term that is not a stop word."""
    return max((key for key in term if not key.startswith("=")), key=len, default=None)


class Synonyms:
    """The synonyms of a help center: from its languages and from its list."""

    def __init__(self, tables: Mapping[str, Sequence[SynonymTable]]) -> None:
        """`tables`: by text search configuration."""
        self.tables = tables

    def of_words(self, words: Sequence[str], config: str, stems: Stems) -> dict[str, dict[str, float]]:
        """For each stem of the question's words: the stems of its synonyms, with their boosts."""
        keys = list(keys_of(words, stems))
        boosts_by_stem: dict[str, dict[str, float]] = {}
        for table in self.tables.get(config, ()):
            longest = max(map(len, table), default=0)
            for start in range(len(keys)):
                for end in range(start + 1, min(start + longest, len(keys)) + 1):
                    term = tuple(keys[start:end])
                    stem = main_word(term)
                    if stem is not None and term in table:
                        boosts = boosts_by_stem.setdefault(stem, {})
                        for synonym, boost in table[term].items():
                            boosts[synonym] = max(boosts.get(synonym, 0.0), boost)
        return boosts_by_stem


# By configuration: the table of its list, whose stems never change.
TABLES: dict[str, SynonymTable] = {}


async def synonyms_of(tx: Tx, configs: Iterable[str], own_lines: Sequence[str]) -> Synonyms:
    """The synonyms in these languages; `own_lines`: those of the bot, for all of its languages."""
    own_groups = parse_lines(own_lines)
    tables: dict[str, list[SynonymTable]] = {}
    for config in configs:
        if config not in TABLES:
            groups = groups_of(config)
            TABLES[config] = table_of(groups, await stems_of(tx, config, words_of(groups)))
        tables[config] = [TABLES[config]]
        if own_groups:
            stems = await stems_of(tx, config, words_of(own_groups))
            tables[config].append(table_of(own_groups, stems))
    return Synonyms(tables)


def words_of(groups: Iterable[Group]) -> set[str]:
    return {word for group in groups for term in group for word in term}
