"""The SQL of unanswered questions."""

from typing import Any

from psycopg.types.json import Jsonb

from instep.platform.core import limits
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.questions.question_key import QuestionKey, filler_words_of
from instep.visitors.insights.schemas import DRAFT_GAP, REQUESTED, Gap, Nearest, Need, UnansweredQuestionOut

# The status is derived from the draft, so that it always agrees with the review queue.
STATUS = """case
    when q.dismissed_at is not null then 'dismissed'
    when d.status = 'pending' then 'drafted'
    when d.status = 'applied' and d.updated_at >= q.last_asked_at then 'answered'
    else 'open' end"""
QUESTION = f"""
    q.id, q.locale, q.question, q.examples, q.asked_count, q.visitor_count, {STATUS} as status, q.draft_id,
    q.first_asked_at, q.last_asked_at,
    coalesce((select jsonb_agg(jsonb_build_object('article_id', a.id, 'title', a.title, 'score', n.score)
            order by n.score desc, a.id)
        from jsonb_to_recordset(q.nearest) as n (article_id text, score float8)
        join articles a on a.workspace_id = %(workspace)s and a.bot_id = q.bot_id and a.id = n.article_id
            and a.deleted_at is null), '[]') as nearest_articles
"""
FROM = """
    from unanswered_questions q
    left join drafts d on d.workspace_id = q.workspace_id and d.bot_id = q.bot_id and d.id = q.draft_id
"""
ORDER = Order(("q.asked_count", "q.last_asked_at", "q.id"), descending=True)


async def list_page(
    ctx: Ctx, statuses: list[str], locale: str | None, request: PageRequest
) -> Page[UnansweredQuestionOut]:
    page = request.page(ORDER, "unanswered", ctx.bot.id, *statuses, *([locale] if locale else []))
    return await page.read(
        ctx,
        UnansweredQuestionOut,
        f"""
        select {QUESTION} {FROM}
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.merged_into is null
          and {STATUS} = any(%(statuses)s) and q.locale = coalesce(%(locale)s, q.locale)
          and {page.condition} {page.tail}
        """,
        statuses=statuses,
        locale=locale,
    )


async def find(ctx: Ctx, question_id: str) -> UnansweredQuestionOut | None:
    return await ctx.first(
        UnansweredQuestionOut,
        f"""
        select {QUESTION} {FROM}
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.id = %(id)s
          and q.merged_into is null
        """,
        id=question_id,
    )


async def list_locales(ctx: Ctx) -> list[str]:
    """The languages of questions without an answer."""
    # One index lookup per language, however many questions there are.
    return await ctx.column(
        """
        with recursive locales as (
            select min(locale) as locale from question_terms
            where bot_id = %(bot)s and workspace_id = %(workspace)s
            union all
            select (select min(t.locale) from question_terms t
                where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.locale > l.locale)
            from locales l where l.locale is not null)
        select locale from locales where locale is not null order by locale
        """
    )


async def list_similar(ctx: Ctx, question: UnansweredQuestionOut, limit: int) -> list[UnansweredQuestionOut]:
    """Other waiting questions in its language, those that share the most words first."""
    return await ctx.all(
        UnansweredQuestionOut,
        f"""
        select {QUESTION} {FROM} left join (
            select o.question_id, count(*) as shared from question_terms t
            join question_terms o on o.workspace_id = %(workspace)s and o.bot_id = t.bot_id
              and o.locale = t.locale and o.term = t.term
            where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.question_id = %(id)s
            group by o.question_id
        ) terms on terms.question_id = q.id
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.locale = %(locale)s
          and q.id <> %(id)s and q.merged_into is null and {STATUS} in ('open', 'drafted')
        order by coalesce(terms.shared, 0) desc, q.asked_count desc, q.id limit %(limit)s
        """,
        id=question.id,
        locale=question.locale,
        limit=limit,
    )


async def merge(ctx: Ctx, question_id: str, into_id: str) -> None:
    """Move the counts of one question to another, and group its wording there from now on."""
    await ctx.execute(
        """
        with moved as (
            update askings set question_id = %(into)s
            where bot_id = %(bot)s and workspace_id = %(workspace)s and question_id = %(id)s
        ), merged as (
            update unanswered_questions set merged_into = %(into)s, draft_id = null
            where bot_id = %(bot)s and workspace_id = %(workspace)s
              and (id = %(id)s or merged_into = %(id)s)
        )
        update unanswered_questions q set
            asked_count = q.asked_count + m.asked_count,
            visitor_count = q.visitor_count + m.visitor_count,
            examples = (select array_agg(example order by place) from (
                select example, min(place) as place
                from unnest(q.examples || m.examples) with ordinality as e (example, place)
                group by example order by place limit %(max_examples)s) as distinct_examples),
            first_asked_at = least(q.first_asked_at, m.first_asked_at),
            last_asked_at = greatest(q.last_asked_at, m.last_asked_at),
            draft_id = coalesce(q.draft_id, m.draft_id),
            drafted_at = coalesce(q.drafted_at, m.drafted_at)
        from unanswered_questions m
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.id = %(into)s
          and m.workspace_id = %(workspace)s and m.bot_id = q.bot_id and m.id = %(id)s
        """,
        id=question_id,
        into=into_id,
        max_examples=limits.MAX_QUESTION_EXAMPLES,
    )


async def reopen(ctx: Ctx, question_id: str) -> bool:
    """Undo a dismissal; return True if this call did."""
    row_count = await ctx.execute(
        """
        update unanswered_questions set dismissed_at = null
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and dismissed_at is not null and merged_into is null
        """,
        id=question_id,
    )
    return row_count == 1


async def dismiss(ctx: Ctx, question_id: str) -> bool:
    """Dismiss a question; exactly one of several concurrent calls returns True."""
    row_count = await ctx.execute(
        """
        update unanswered_questions set dismissed_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and dismissed_at is null and merged_into is null
        """,
        id=question_id,
    )
    return row_count == 1


async def question_terms(ctx: Ctx, wording: QuestionKey, locale: str) -> list[str]:
    """The stems of a question's words without stop words and filler words; all words if nothing is left."""
    stems = await ctx.column(
        """
        select distinct stem
        from (select search_config(%(locale)s)::text as config) as searched,
            concat_ws('_', config, case when config <> 'simple' then 'stem' end) as dictionary,
            unnest(%(words)s::text[]) as word,
            unnest(coalesce(ts_lexize(dictionary::regdictionary, word), array[word])) as stem
        where word <> all(%(fillers)s::text[])
        """,
        words=wording.words,
        locale=locale,
        fillers=filler_words_of(locale),
    )
    return sorted({*stems, *wording.marks}) or wording.words


async def lock_language(ctx: Ctx, locale: str) -> None:
    """Prevent others from grouping questions in this language until this transaction ends."""
    await ctx.tx.advisory_lock(f"question {ctx.bot.id} {locale}")


async def find_same(ctx: Ctx, terms: list[str], marks: list[str], locale: str) -> str | None:
    """The id of the question whose terms overlap most with these, locked; None if none overlaps enough.

    Words of a merged question lead to the one that it was merged into.
    """
    return await ctx.value(
        """
        select coalesce(q.merged_into, q.id) from unanswered_questions q join (
            select question_id, count(*)::integer as shared from question_terms
            where bot_id = %(bot)s and workspace_id = %(workspace)s and locale = %(locale)s
              and term = any(%(terms)s)
            group by question_id) t on t.question_id = q.id
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.marks = %(marks)s
          and t.shared::float8 / (q.term_count + %(count)s - t.shared) >= %(same)s
        order by t.shared::float8 / (q.term_count + %(count)s - t.shared) desc, q.id limit 1
        for update of q
        """,
        locale=locale,
        terms=terms,
        marks=marks,
        count=len(terms),
        same=limits.MIN_SAME_QUESTION_OVERLAP,
    )


async def insert(ctx: Ctx, wording: QuestionKey, terms: list[str], locale: str) -> str:
    """Insert a new question, with no asking counted yet; return its id."""
    question_id = new_id("q")
    await ctx.execute(
        """
        with question as (
            insert into unanswered_questions (id, workspace_id, bot_id, locale, question, examples, marks,
                term_count, nearest, asked_count, visitor_count, first_asked_at, last_asked_at)
            values (%(id)s, %(workspace)s, %(bot)s, %(locale)s, %(text)s, '{}', %(marks)s, %(count)s, '[]', 0,
                0, %(now)s, %(now)s))
        insert into question_terms (workspace_id, bot_id, locale, term, question_id)
        select %(workspace)s, %(bot)s, %(locale)s, term, %(id)s from unnest(%(terms)s::text[]) as term
        """,
        id=question_id,
        locale=locale,
        text=wording.text,
        marks=wording.marks,
        count=len(terms),
        terms=terms,
    )
    return question_id


async def count_asking(
    ctx: Ctx, question_id: str, text: str, visitor_hash: bytes, nearest: list[Nearest]
) -> Need:
    """Count one asking of a locked question. The update does not see the asking that it inserts."""
    articles: list[dict[str, Any]] = [
        {"article_id": article.article_id, "score": article.score} for article in nearest
    ]
    return await ctx.value(
        """
        with asked as (
            insert into askings (workspace_id, bot_id, question_id, visitor_hash, asked_at)
            values (%(workspace)s, %(bot)s, %(id)s, %(visitor)s, %(now)s))
        update unanswered_questions q set
            asked_count = asked_count + 1,
            visitor_count = visitor_count + case when exists (select from askings a
                where a.workspace_id = %(workspace)s and a.bot_id = q.bot_id and a.question_id = q.id
                  and a.visitor_hash = %(visitor)s)
                then 0 else 1 end,
            examples = case when cardinality(examples) >= %(max_examples)s
                or exists (select from unnest(examples) as example where lower(example) = lower(%(text)s))
                then examples else examples || %(text)s::text end,
            nearest = case when %(nearest)s::jsonb = '[]' then nearest else %(nearest)s::jsonb end,
            last_asked_at = greatest(last_asked_at, %(now)s)
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s and q.id = %(id)s
        returning case
            when dismissed_at is not null or visitor_count < %(min_visitors)s then null
            when drafted_at is null then 'draft'
            when exists (select from drafts d
                where d.workspace_id = %(workspace)s and d.bot_id = q.bot_id and d.id = q.draft_id
                  and d.status = 'pending' and d.questions <> to_jsonb(q.examples)) then 'renewal' end
        """,
        id=question_id,
        visitor=visitor_hash,
        text=text,
        max_examples=limits.MAX_QUESTION_EXAMPLES,
        nearest=Jsonb(articles),
        min_visitors=limits.MIN_GAP_VISITORS,
    )


async def find_gap(ctx: Ctx, question_id: str, *, min_visitors: int, lock: bool) -> Gap | None:
    """A question that at least this many visitors asked without an answer, unless it is dismissed.

    A merged question leads to the one that it was merged into. Call `lock_gap_drafts` before locking it.
    """
    return await ctx.first(
        Gap,
        f"""
        select q.id, q.question, q.examples, q.locale, q.asked_count, q.visitor_count, q.draft_id,
            q.drafted_at,
            exists (select from drafts d
                where d.workspace_id = %(workspace)s and d.bot_id = q.bot_id and d.id = q.draft_id
                  and d.status = 'pending') as is_waiting
        from unanswered_questions q
        where q.bot_id = %(bot)s and q.workspace_id = %(workspace)s
          and q.id = (select coalesce(m.merged_into, m.id) from unanswered_questions m
            where m.bot_id = %(bot)s and m.workspace_id = %(workspace)s and m.id = %(id)s)
          and q.dismissed_at is null and q.visitor_count >= %(min_visitors)s
        {"for update of q" if lock else ""}
        """,
        id=question_id,
        min_visitors=min_visitors,
    )


async def list_notes(ctx: Ctx, gap: Gap) -> list[str]:
    """The notes of visitors who then wrote to a person, latest first."""
    return await ctx.column(
        """
        select c.message from conversations c
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.status = 'escalated'
          and c.message is not null
          and exists (select from messages m
            where m.workspace_id = %(workspace)s and m.bot_id = c.bot_id and m.conversation_id = c.id
              and not m.answered
              and lower(m.question) in (select lower(example) from unnest(%(examples)s::text[]) as example))
        order by c.escalated_at desc limit %(limit)s
        """,
        examples=gap.examples,
        limit=limits.MAX_GAP_NOTES,
    )


async def list_later_questions(ctx: Ctx, gap: Gap) -> list[str]:
    """The questions that visitors asked in a conversation after this one, latest first, each once."""
    return await ctx.column(
        """
        with examples as (select lower(example) as question from unnest(%(examples)s::text[]) as example)
        select later.question
        from messages m join messages later
          on later.workspace_id = %(workspace)s and later.bot_id = m.bot_id
            and later.conversation_id = m.conversation_id and later.created_at > m.created_at
        where m.bot_id = %(bot)s and m.workspace_id = %(workspace)s and not m.answered
          and lower(m.question) in (select question from examples)
          and lower(later.question) not in (select question from examples)
        group by later.question order by max(later.created_at) desc limit %(limit)s
        """,
        examples=gap.examples,
        limit=limits.MAX_GAP_LATER_QUESTIONS,
    )


async def list_drafted_in(ctx: Ctx, conversation_id: str) -> list[str]:
    """The ids of questions that a conversation asked without an answer and whose drafts are pending."""
    return await ctx.column(
        """
        select q.id
        from drafts d join unanswered_questions q
          on q.workspace_id = %(workspace)s and q.bot_id = d.bot_id and q.draft_id = d.id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'gap_draft'
          and exists (select from messages m
            where m.workspace_id = %(workspace)s and m.bot_id = d.bot_id
              and m.conversation_id = %(conversation)s and not m.answered
              and lower(m.question) in (select lower(example) from unnest(q.examples) as example))
        """,
        conversation=conversation_id,
    )


async def lock_gap_drafts(ctx: Ctx) -> None:
    """Prevent storing, requesting and merging gap drafts of the bot until this transaction ends."""
    await ctx.tx.advisory_lock(f"gap drafts {ctx.bot.id}")


async def count_gap_drafts(ctx: Ctx, question_id: str) -> int:
    """The number of gap drafts that wait for review or are being written on request for other questions."""
    return await ctx.value(
        """
        select (select count(*) from drafts
                where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'pending'
                  and type = 'gap_draft')
             + (select count(*) from jobs
                where workspace_id = %(workspace)s and run_at is not null and kind = %(kind)s
                  and payload ->> 'bot' = %(bot)s::text and payload ? %(requested)s
                  and payload ->> 'question' <> %(question)s)
        """,
        kind=DRAFT_GAP,
        requested=REQUESTED,
        question=question_id,
    )


async def set_draft(ctx: Ctx, question_id: str, draft_id: str) -> None:
    await ctx.execute(
        """
        update unanswered_questions set draft_id = %(draft)s, drafted_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=question_id,
        draft=draft_id,
    )
