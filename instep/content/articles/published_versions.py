"""Records the versions of an article that everyone could read, and what changed in each."""

from instep.content.articles.live import LIVE
from instep.content.articles.schemas import Article
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import shorten
from instep.platform.text.sections import TextSection, read_sections

# An edit of a public article is a version; so is the first text after it has become public.
INSERT = f"""
    with recorded as (
        insert into published_versions
            (workspace_id, bot_id, article_id, version, is_first, sections, published_at)
        select a.workspace_id, a.bot_id, a.id, a.version,
            not exists (select from published_versions v
                where v.workspace_id = %(workspace)s and v.article_id = a.id),
            %(sections)s, a.updated_at
        {LIVE} and a.id = %(id)s
        on conflict do nothing returning article_id, version
    )
    delete from published_versions v using recorded
    where v.workspace_id = %(workspace)s and v.article_id = recorded.article_id
      and v.version <= recorded.version - %(max_versions)s
"""


def record_published_version(ctx: Ctx, before: Article, after: Article) -> None:
    """Record the article's present version together with the next statement, if everyone can read it.

    Both articles have their text in Markdown. A version is recorded once, however often it is published.
    """
    if not after.is_live or after.visibility != "public" or _place(before) == _place(after):
        return
    sections = changed_sections(before.readers_text, after.readers_text) if before.is_live else []
    ctx.queue(INSERT, id=after.id, sections=sections, max_versions=limits.MAX_REVISIONS)


def changed_sections(before: str, after: str) -> list[str]:
    """The headings of the sections of `after` that `before` does not have in this form, up to a limit."""
    old_sections = set(map(_section_key, read_sections(before)))
    titles = dict.fromkeys(
        section.titles[-1]
        for section in read_sections(after)
        if section.titles and _section_key(section) not in old_sections
    )
    names = (shorten(title, limits.MAX_EMAIL_NAME_CHARACTERS) for title in titles if title)
    return list(names)[: limits.MAX_CHANGED_SECTIONS]


def _section_key(section: TextSection) -> tuple[str, str]:
    return (section.titles[-1] if section.titles else "", "\n".join(section.lines).strip())


def _place(article: Article) -> tuple[object, ...]:
    """The text, and everything that decides who can read it."""
    return article.version, article.status, article.visibility, article.collection_id
