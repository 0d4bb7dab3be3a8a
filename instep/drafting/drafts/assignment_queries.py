"""The SQL of assignments: the rules of a bot, and who is asked about an article."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from instep.content.collections.visibility import ANCESTORS
from instep.notifications.inbox.schemas import NoticeSubject
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx

# Members who may decide on drafts.
REVIEWERS = """
    (select person_id from memberships
    where workspace_id = %(workspace)s and disabled_at is null and role <> 'viewer')
"""
# The last time that the person `p.id` got a draft or a place, and whether any is of the task.
LAST_TURN = """
    (select max(i.created_at) as at, coalesce(bool_or(i.task_id = %(task)s), false) as is_of_task
    from (
        select d.created_at, d.task_id from drafts d
        where d.workspace_id = %(workspace)s and d.bot_id = %(bot)s and d.assignee_id = p.id
        union all
        select c.created_at, c.task_id from places c
        where c.workspace_id = %(workspace)s and c.bot_id = %(bot)s and c.assignee_id = p.id) i)
"""


@dataclass(frozen=True, slots=True)
class AssignmentFacts:
    """The people who may be asked about a draft or a place of an article, without those who may not review.

    `team_member_id` is the next person of the rule for the nearest collection.
    """

    has_excluded_label: bool
    article_owner_id: str | None
    team_member_id: str | None
    collection_owner_id: str | None
    author_id: str | None


@dataclass(frozen=True, slots=True)
class AssignmentRule:
    """People who are asked in turn about a collection, or a label whose changes no one is asked about."""

    id: str
    collection_id: str | None
    collection_title: str | None
    label: str | None
    emails: list[str]


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Drafts and places that a notice asks a person to review: the first one, and how many more."""

    person_id: str
    id: str
    title: str
    others: int

    @property
    def subject(self) -> NoticeSubject:
        return NoticeSubject(self.id, self.title, self.others)


async def find_facts(ctx: Ctx, article_id: str, task_id: str | None) -> AssignmentFacts:
    return await ctx.fetch_one(
        AssignmentFacts,
        f"""
        with reviewers as {REVIEWERS}
        select
            exists (
                select from assignment_rules r
                where r.workspace_id = %(workspace)s and r.bot_id = %(bot)s
                  and lower(r.label) in (select lower(label) from unnest(t.labels) label)
            ) as has_excluded_label,
            (select person_id from reviewers where person_id = a.owner_id) as article_owner_id,
            (select p.id
                from unnest(rule.person_ids) with ordinality p (id, place)
                join reviewers on person_id = p.id
                cross join lateral {LAST_TURN} turn
                order by turn.is_of_task desc, turn.at nulls first, p.place limit 1
            ) as team_member_id,
            (select person_id from reviewers
                where person_id = coalesce(c.owner_id, parent.owner_id, grandparent.owner_id)
            ) as collection_owner_id,
            (select person_id from reviewers where person_id = t.author_id) as author_id
        from articles a
        left join tasks t on t.workspace_id = %(workspace)s and t.id = %(task)s
        left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
        {ANCESTORS}
        left join lateral (
            select r.person_ids from assignment_rules r
            where r.workspace_id = %(workspace)s and r.bot_id = %(bot)s
              and r.collection_id in (c.id, parent.id, grandparent.id)
            order by array_position(array[c.id, parent.id, grandparent.id], r.collection_id) limit 1
        ) rule on true
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(article)s
        """,
        article=article_id,
        task=task_id,
    )


async def list_new_requests(ctx: Ctx, task_id: str) -> list[ReviewRequest]:
    """The items that this transaction asks each person for, without drafts that replace one of theirs."""
    return await ctx.all(
        ReviewRequest,
        """
        select i.person_id, (array_agg(i.id order by i.id))[1] as id,
            (array_agg(i.title order by i.id))[1] as title, (count(*) - 1)::integer as others
        from (
            select d.assignee_id as person_id, d.id, coalesce(d.title, a.title) as title
            from drafts d join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.task_id = %(task)s
              and d.status = 'pending' and d.created_at = %(now)s and d.assignee_id is not null
              and not exists (
                select from drafts before
                where before.workspace_id = %(workspace)s and before.replaced_by = d.id
                  and before.assignee_id = d.assignee_id)
            union all
            select p.assignee_id, p.id, a.title
            from places p join articles a on a.workspace_id = %(workspace)s and a.id = p.article_id
            where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.task_id = %(task)s
              and p.status = 'open' and p.created_at = %(now)s and p.assignee_id is not null) i
        group by i.person_id order by i.person_id
        """,
        task=task_id,
    )


async def list_rules(ctx: Ctx) -> list[AssignmentRule]:
    """The rules of the bot: those for collections by title, then those for labels."""
    return await ctx.all(
        AssignmentRule,
        f"""
        select r.id, r.collection_id, c.title as collection_title, r.label, array(
            select m.email from unnest(r.person_ids) with ordinality p (id, place)
            join {REVIEWERS} reviewer on reviewer.person_id = p.id
            join people m on m.id = p.id order by p.place) as emails
        from assignment_rules r
        left join collections c on c.workspace_id = %(workspace)s and c.id = r.collection_id
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
        order by lower(c.title), lower(r.label), r.id
        """,
    )


async def insert_rule(ctx: Ctx, values: dict[str, Any]) -> str | None:
    """Add a rule and return its id; None if the bot has one for the same collection or label."""
    return await ctx.value(
        """
        insert into assignment_rules
            (id, workspace_id, bot_id, collection_id, label, person_ids, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(collection)s, %(label)s, %(people)s, %(now)s)
        on conflict do nothing returning id
        """,
        id=new_id("rule"),
        **values,
    )


async def count_rules(ctx: Ctx) -> int:
    return await ctx.value(
        "select count(*) from assignment_rules where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def delete_rules(ctx: Ctx, rule_ids: Sequence[str]) -> int:
    """Delete rules; return the number of those that this call deleted."""
    return await ctx.execute(
        """
        delete from assignment_rules
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=list(rule_ids),
    )


async def find_reviewers(ctx: Ctx, emails: Iterable[str]) -> dict[str, str]:
    """The ids of people with these addresses in lowercase who may decide on drafts, by address."""
    return await ctx.value(
        f"""
        select coalesce(jsonb_object_agg(lower(p.email), p.id), '{{}}')
        from {REVIEWERS} r join people p on p.id = r.person_id where lower(p.email) = any(%(emails)s)
        """,
        emails=list(emails),
    )


async def are_reviewers(ctx: Ctx, person_ids: list[str]) -> bool:
    """True if all of these people may decide on drafts."""
    count: int = await ctx.value(
        f"select count(*) from {REVIEWERS} r where person_id = any(%(ids)s)", ids=person_ids
    )
    return count == len(person_ids)
