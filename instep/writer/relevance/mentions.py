"""Which articles mention names that a change removes or may rename, and which are up to date already."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from instep.core.name_matching import mention
from instep.writer.articles.corpus import Corpus
from instep.writer.facts.collect import Facts
from instep.writer.facts.values import Value

_MAX_NAMES = 400


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names that the change removes or may rename, by article id; ids of articles that are up to date."""

    removed: Mapping[str, list[str]]
    doubtful_renames: Mapping[str, list[str]]
    updated: frozenset[str]

    def count(self, article_id: str) -> int:
        return len(self.removed.get(article_id, ())) + len(self.doubtful_renames.get(article_id, ()))


def mentions_of(facts: Facts, corpus: Corpus) -> Mentions:
    return Mentions(
        _names_by_article([removed.name for removed in facts.removed_names[:_MAX_NAMES]], corpus),
        _names_by_article([rename.old for rename in facts.doubtful_renames[:_MAX_NAMES]], corpus),
        frozenset(_updated(facts, corpus)),
    )


def _updated(facts: Facts, corpus: Corpus) -> Iterator[str]:
    """Articles that state a new text of the change and no longer the old one."""
    for fact in facts.certain[:_MAX_NAMES]:
        statement = f"{fact.new} {fact.names[0]}" if isinstance(fact, Value) else fact.new
        old_text, new_text = mention(fact.old), mention(fact.new)
        for article in corpus.articles_with(statement):
            if new_text.search(article.text) and not old_text.search(article.text):
                yield article.id


def _names_by_article(names: Iterable[str], corpus: Corpus) -> dict[str, list[str]]:
    names_by_article: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        pattern = mention(name)
        for article in corpus.articles_with(name):
            if pattern.search(article.text):
                names_by_article[article.id].append(name)
    return names_by_article
