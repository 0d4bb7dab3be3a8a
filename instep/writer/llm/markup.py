"""What a model may not bring into an article: front matter, and what the guard forbids in every text."""

from instep.llm.guard import LinkPolicy, added_markup
from instep.writer.articles.parsed_article import front_matter


def violation(before: str, after: str, policy: LinkPolicy) -> str | None:
    """What `after` holds that a model may not have written, as the end of a sentence."""
    if front_matter(before) != front_matter(after):
        return "it changes the front matter"
    return added_markup(before, after, policy)
