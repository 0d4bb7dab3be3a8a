"""Which articles still say names that a change takes out, or may rename."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from instep.writer.articles.corpus import Corpus
from instep.writer.facts.collect import Facts
from instep.writer.facts.values import Value
from instep.writer.words.identifiers import mention

_MOST = 400


@dataclass(frozen=True, slots=True)
class Mentions:
    """By article the names that no line of the change has any more, and those that may have a new one;
    and the articles that say what is so with the change already."""

    removed: Mapping[str, list[str]]
    doubtful_renames: Mapping[str, list[str]]
    updated: frozenset[str]

    def count(self, article_id: str) -> int:
        return len(self.removed.get(article_id, ())) + len(self.doubtful_renames.get(article_id, ()))


def mentions_of(facts: Facts, corpus: Corpus) -> Mentions:
    return Mentions(
        _holders([gone.name for gone in facts.removed_names[:_MOST]], corpus),
        _holders([rename.old for rename in facts.doubtful_renames[:_MOST]], corpus),
        frozenset(_updated(facts, corpus)),
    )


def _updated(facts: Facts, corpus: Corpus) -> Iterator[str]:
    """Articles that state a new text of the change and not the old one."""
    for fact in facts.certain[:_MOST]:
        said = f"{fact.new} {fact.names[0]}" if isinstance(fact, Value) else fact.new
        old, new = mention(fact.old), mention(fact.new)
        for article in corpus.articles_with(said):
            if new.search(article.text) and not old.search(article.text):
                yield article.id


def _holders(names: Iterable[str], corpus: Corpus) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        pattern = mention(name)
        for article in corpus.articles_with(name):
            if pattern.search(article.text):
                found[article.id].append(name)
    return found
