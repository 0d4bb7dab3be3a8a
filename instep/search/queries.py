"""The SQL of the search. Each language that the bot has live articles in reads the words in its own way."""

from dataclasses import dataclass

from instep.articles.queries import columns
from instep.core import limits
from instep.core.paging import Listed, Order, Page, PageRequest
from instep.identity.schemas import Ctx
from instep.search.schemas import Found, Wanted
from instep.search.words import Question, read_question
from instep.web.shapes import Format

ORDER = Order(("h.score", "h.id"), descending=True)
# Scores of articles with all terms begin here; those with some of the words are below.
ALL = 1.0

# From one language in the index to the next, past all articles between them.
LANGUAGES = """
    used (name) as (
        (select config from article_search where bot_id = %(bot)s order by config limit 1)
        union all
        select (select config from article_search
            where bot_id = %(bot)s and config > used.name order by config limit 1)
        from used where used.name is not null
    ), languages as (
        select used.name, c.oid::regconfig as config from used join pg_ts_config c on c.cfgname = used.name
        where c.cfgnamespace = 'pg_catalog'::regnamespace
    )
"""
# How the words begin whatever their endings are, for the excerpt: `query` and `queries` are read as `queri`.
BEGINNINGS = """
    select l.name, array_agg(distinct beginning) as beginnings
    from languages l, unnest(%(words)s::text[]) as word,
        unnest(tsvector_to_array(to_tsvector(l.config, word))) as read,
        unnest(array[lower(word), regexp_replace(read, '(....)i$', '\\1')]) as beginning
    group by l.name
"""


@dataclass(frozen=True, slots=True)
class Way:
    """How each language asks (`name`, `wanted`, `words`, `ranked`), and the score of what it finds."""

    asked: str
    score: str


# Or all of them as they were typed: a title may have nothing but words that its language leaves out.
ALL_TERMS = Way(
    """
    select name, '{}'::tsquery[] as words,
        coalesce(string_agg(read, ' & '), '')::tsquery || string_agg(typed, ' & ')::tsquery as wanted,
        coalesce(string_agg(read, ' | '), '')::tsquery || string_agg(typed, ' | ')::tsquery as ranked
    from (
        select l.name, nullif(phraseto_tsquery(l.config, term)::text, '') as read,
            nullif(phraseto_tsquery('simple', term)::text, '') as typed
        from languages l, unnest(%(terms)s::text[]) as term
    ) as terms where typed is not null group by name
    """,
    "1 + m.rank + m.is_title::integer",
)

# The last word may be one that is still being typed.
ANY_WORD = Way(
    """
    select name, array_agg(word) as words, string_agg(word::text, ' | ')::tsquery as wanted,
        string_agg(word::text, ' | ')::tsquery as ranked
    from (
        select l.name, case when word = %(beginning)s
            then to_tsquery(l.config, quote_literal(word) || ':*')
                || to_tsquery('simple', quote_literal(word) || ':*')
            else phraseto_tsquery(l.config, word) end as word
        from languages l, unnest(%(words)s::text[]) as word
        where numnode(phraseto_tsquery(l.config, word)) > 0
    ) as words group by name
    """,
    "(m.words + m.rank) / (cardinality(asked.words) + 1)",
)


async def search_page(ctx: Ctx, wanted: Wanted, form: Format, request: PageRequest) -> Listed[Found]:
    """The articles with all terms; where there is none, those with any word, most of the words first."""
    page = request.page(ORDER, "search", ctx.bot.id, wanted.query, wanted.locale)
    question = read_question(wanted.query)
    rows: list[Found] = []
    for way in ways_of(page):
        if question.terms and not rows:
            rows = await find(ctx, wanted, question, way, form, page)
    return page.cut(rows, lambda row: (row.score, row.id))


def ways_of(page: Page) -> list[Way]:
    """The next page is found in the way in which the one before was."""
    if page.after is None:
        return [ALL_TERMS, ANY_WORD]
    return [ALL_TERMS if page.after[0] >= ALL else ANY_WORD]


async def find(
    ctx: Ctx, wanted: Wanted, question: Question, way: Way, form: Format, page: Page
) -> list[Found]:
    return await ctx.tx.all(
        Found,
        f"""
        with recursive {LANGUAGES}, asked as ({way.asked}), h as (
            select m.article_id as id, asked.name, round(({way.score})::numeric, 6)::float8 as score
            from asked, search_matches(%(bot)s, asked.name, asked.wanted, asked.words, asked.ranked,
                search_title(%(query)s)) m
            where {"m.locale = %(locale)s" if wanted.locale else "true"}
        ), shown as (select * from h where {page.condition} {page.tail}), beginnings as ({BEGINNINGS})
        select {columns(form)}, h.score, left(a.content_html, %(read)s) as html,
            coalesce(b.beginnings, '{{}}') as beginnings
        from shown h join articles a on a.bot_id = %(bot)s and a.id = h.id left join beginnings b using (name)
        order by {page.order.sql}
        """,
        bot=ctx.bot.id,
        query=wanted.query,
        terms=list(question.terms),
        words=question.words,
        beginning=question.beginning,
        locale=wanted.locale,
        read=limits.EXCERPT_READS,
        **page.params,
    )
