"""Export and erase the data that all slices store about one visitor.

A visitor is identified by an email address, by the identifier that the pages of a website send as `visitor`,
or by one of their conversations. An address leads to the data that was left with it or mentions it, an
identifier or a conversation to the questions that were asked with it.
"""

import json
from dataclasses import dataclass
from typing import Any

from instep.notifications.alerts.actions import SEND_ALERT
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.jobs import defer
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import OPERATOR, Actor
from instep.platform.identity.visitor_hash import hash_visitor
from instep.platform.web.shapes import Out
from instep.platform.web.visitors.route import visitor_subject
from instep.visitors.insights.questions.question_key import question_key
from instep.visitors.privacy.erasure_marks import ErasureMark, mark_erasure, scan_marks

# The job that writes erasures next to the backups.
KEEP_ERASURES = "keep_erasures"
ERASED_EMAIL = "erased@example.invalid"
PERSONAL_FIELDS = {"email": ERASED_EMAIL, "name": None, "message": None, "pageUrl": None}
# A rating of an article identifies no one; its comment may.
MENTIONED = "position(%(email)s in lower(comment)) > 0"
SUBSCRIBED = "email = any (%(emails)s)"
EVENT_KINDS = ["lead.created", "conversation.escalated"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The visitor whose data is requested, by a known address, identifier or conversation."""

    email: str | None = None
    visitor: str | None = None
    conversation: str | None = None

    @classmethod
    def of(cls, email: str | None, visitor: str | None) -> "Subject":
        email, visitor = [(text or "").strip() or None for text in (email, visitor)]
        if (email is None) == (visitor is None):
            raise InvalidRequest("Identify the visitor by exactly one of `--email` and `--visitor`.")
        return cls(email, visitor)


class Erasure(Out):
    """Numbers of erased rows; events, and questions that others asked too, only lose their personal part."""

    conversations: int
    messages: int
    leads: int
    article_feedback: int
    subscriptions: int
    events: int
    alerts: int
    unanswered_questions: int
    rate_windows: int


@dataclass(frozen=True, slots=True)
class VisitorSummary:
    """The amount of data that is stored about a visitor."""

    conversations: int
    leads: int
    subscriptions: int
    emails: tuple[str, ...]


class VisitorExport(Out):
    """Everything that is stored about a visitor: rows with the names of their columns."""

    conversations: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    leads: list[dict[str, Any]]
    article_feedback: list[dict[str, Any]]
    subscriptions: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Traces:
    """The ids of a visitor's rows, the normalized wordings of their questions, and their email addresses."""

    conversations: list[str]
    leads: list[str]
    wordings: set[str]
    emails: set[str]

    def identifies(self, text: str) -> bool:
        """True if the text contains one of the visitor's addresses."""
        return any(email in text.lower() for email in self.emails)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event that is kept for its deliveries."""

    id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """An unanswered question with its wordings and its number of visitors."""

    id: str
    question: str
    examples: list[str]
    visitor_count: int


async def summarize_visitor(tx: Tx, workspace_id: str, subject: Subject) -> VisitorSummary:
    """The number of things stored about the visitor in this workspace, and their email addresses."""
    traces = await find_traces(tx, workspace_id, subject)
    subscriptions = await tx.value(
        f"select count(*) from subscriptions where workspace_id = %(workspace)s and {SUBSCRIBED}",
        workspace=workspace_id,
        emails=list(traces.emails),
    )
    emails = tuple(sorted(traces.emails))
    return VisitorSummary(len(traces.conversations), len(traces.leads), subscriptions, emails)


async def export_visitor(
    tx: Tx, workspace_id: str, subject: Subject, actor: Actor = OPERATOR
) -> VisitorExport:
    """Everything that this workspace stores about the visitor (GDPR, articles 15 and 20).

    The audit log records the export without the visitor.
    """
    traces = await find_traces(tx, workspace_id, subject)
    await record(tx, workspace_id, actor, "export_visitor")
    by_conversation = {"workspace": workspace_id, "ids": traces.conversations}
    return VisitorExport(
        conversations=await rows_of(tx, "conversations", "id = any (%(ids)s)", **by_conversation),
        messages=await rows_of(tx, "messages", "conversation_id = any (%(ids)s)", **by_conversation),
        leads=await rows_of(tx, "leads", "id = any (%(ids)s)", workspace=workspace_id, ids=traces.leads),
        article_feedback=await rows_of(
            tx, "article_feedback", MENTIONED, workspace=workspace_id, email=email_of(subject)
        ),
        subscriptions=await rows_of(
            tx, "subscriptions", SUBSCRIBED, workspace=workspace_id, emails=list(traces.emails)
        ),
    )


async def erase_visitor(tx: Tx, workspace_id: str, subject: Subject, actor: Actor = OPERATOR) -> Erasure:
    """Delete what this workspace stores about the visitor (GDPR, article 17).

    The audit log records the erasure without the visitor, and a mark repeats it when an older backup is
    restored. Copies outside the installation remain: in chat tools, at receivers of webhooks, in backups.
    """
    visitor_hashes = await hashes_of(tx, workspace_id, subject)
    await mark_erasure(tx, workspace_id, email_of(subject), visitor_hashes)
    await defer(tx, KEEP_ERASURES, {}, dedupe=KEEP_ERASURES)
    erasure = await erase_traces(tx, workspace_id, subject)
    await record(tx, workspace_id, actor, "erase_visitor")
    return erasure


async def repeat_erasures(tx: Tx, marks: list[ErasureMark]) -> int:
    """Erase the visitors of marks that a restored database does not know; the number of those it had."""
    count = 0
    async for mark, emails, conversations in scan_marks(tx, marks):
        subjects = [
            *(Subject(email=email) for email in emails),
            *(Subject(conversation=conversation) for conversation in conversations),
        ]
        for subject in subjects:
            await erase_traces(tx, mark.workspace_id, subject)
        if subjects:
            await record(tx, mark.workspace_id, OPERATOR, "erase_visitor")
            count += 1
    return count


async def erase_traces(tx: Tx, workspace_id: str, subject: Subject) -> Erasure:
    """Delete what this workspace stores about the visitor, wherever it is."""
    traces = await find_traces(tx, workspace_id, subject)
    await tx.execute(
        "delete from undelivered_emails where workspace_id = %(workspace)s and address = any (%(emails)s)",
        workspace=workspace_id,
        emails=list(traces.emails),
    )
    messages = await tx.value(
        """
        select count(*) from messages
        where workspace_id = %(workspace)s and conversation_id = any (%(ids)s)
        """,
        workspace=workspace_id,
        ids=traces.conversations,
    )
    return Erasure(
        alerts=await erase_alerts(tx, workspace_id, traces),
        events=await erase_events(tx, workspace_id, traces),
        unanswered_questions=await erase_questions(tx, workspace_id, traces),
        rate_windows=await erase_windows(tx, workspace_id, subject),
        leads=await tx.execute(
            "delete from leads where workspace_id = %(workspace)s and id = any (%(ids)s)",
            workspace=workspace_id,
            ids=traces.leads,
        ),
        article_feedback=await tx.execute(
            f"delete from article_feedback where workspace_id = %(workspace)s and {MENTIONED}",
            workspace=workspace_id,
            email=email_of(subject),
        ),
        subscriptions=await tx.execute(
            f"delete from subscriptions where workspace_id = %(workspace)s and {SUBSCRIBED}",
            workspace=workspace_id,
            emails=list(traces.emails),
        ),
        # The database deletes their messages too.
        conversations=await tx.execute(
            "delete from conversations where workspace_id = %(workspace)s and id = any (%(ids)s)",
            workspace=workspace_id,
            ids=traces.conversations,
        ),
        messages=messages,
    )


async def find_traces(tx: Tx, workspace_id: str, subject: Subject) -> Traces:
    conversations = await find_conversations(tx, workspace_id, subject)
    leads = await tx.column(
        """
        select id from leads
        where workspace_id = %(workspace)s and (conversation_id = any (%(conversations)s)
            or lower(email) = %(email)s or position(%(email)s in lower(message)) > 0)
        order by id
        """,
        workspace=workspace_id,
        conversations=conversations,
        email=email_of(subject),
    )
    questions = await tx.column(
        """
        select question from messages
        where workspace_id = %(workspace)s and conversation_id = any (%(ids)s)
        """,
        workspace=workspace_id,
        ids=conversations,
    )
    emails = await tx.column(
        """
        select lower(email) from conversations
        where workspace_id = %(workspace)s and id = any (%(conversations)s) and email is not null
        union select lower(email) from leads
        where workspace_id = %(workspace)s and id = any (%(leads)s)
        """,
        workspace=workspace_id,
        conversations=conversations,
        leads=leads,
    )
    wordings = set(map(wording_of, questions))
    return Traces(conversations, leads, wordings, {*emails, *filter(None, [email_of(subject)])})


async def find_conversations(tx: Tx, workspace_id: str, subject: Subject) -> list[str]:
    return await tx.column(
        """
        select c.id from conversations c
        where c.workspace_id = %(workspace)s and (c.visitor_hash = any (%(hashes)s)
            or lower(c.email) = %(email)s or position(%(email)s in lower(c.message)) > 0
            or position(%(email)s in lower(c.page_url)) > 0
            or exists (select from leads l
                where l.workspace_id = %(workspace)s and l.conversation_id = c.id
                  and lower(l.email) = %(email)s)
            or exists (select from messages m
                where m.workspace_id = %(workspace)s and m.conversation_id = c.id
                  and position(%(email)s in lower(concat_ws(' ', m.question, m.answer, m.comment))) > 0))
        order by c.id
        """,
        workspace=workspace_id,
        hashes=await hashes_of(tx, workspace_id, subject),
        email=email_of(subject),
    )


async def hashes_of(tx: Tx, workspace_id: str, subject: Subject) -> list[bytes]:
    """The hashes of the visitor's identifier, one per bot; of a conversation the one that it has."""
    if subject.conversation is not None:
        return await tx.column(
            "select visitor_hash from conversations where workspace_id = %(workspace)s and id = %(id)s",
            workspace=workspace_id,
            id=subject.conversation,
        )
    if subject.visitor is None:
        return []
    bots = await tx.column("select id from bots where workspace_id = %(id)s", id=workspace_id)
    return [hash_visitor(bot, subject.visitor) for bot in bots]


async def erase_alerts(tx: Tx, workspace_id: str, traces: Traces) -> int:
    """Delete messages to chat tools that are waiting or have permanently failed."""
    return await tx.execute(
        """
        delete from jobs where kind = %(kind)s and workspace_id = %(workspace)s and exists (
            select from unnest(%(marks)s::text[]) as mark
            where position(mark in lower(payload ->> 'text')) > 0)
        """,
        kind=SEND_ALERT,
        workspace=workspace_id,
        marks=[*traces.emails, *traces.conversations],
    )


async def erase_events(tx: Tx, workspace_id: str, traces: Traces) -> int:
    """Remove the personal fields of events, and the responses in the logs of their deliveries.

    Both have the same retention as other events.
    """
    events = await tx.all(
        StoredEvent,
        """
        select id, body from events where workspace_id = %(workspace)s and type = any (%(kinds)s)
        order by id for update
        """,
        workspace=workspace_id,
        kinds=EVENT_KINDS,
    )
    ids = {*traces.leads, *traces.conversations}
    bodies = {
        event.id: body for event in events if (body := json.loads(event.body))["data"]["object"]["id"] in ids
    }
    for event_id, body in bodies.items():
        for part in body["data"].values():
            part.update(
                {name: value for name, value in PERSONAL_FIELDS.items() if part.get(name) is not None}
            )
        erased = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        await tx.execute(
            "update events set body = %(body)s where workspace_id = %(workspace)s and id = %(id)s",
            workspace=workspace_id,
            body=erased,
            id=event_id,
        )
    # A receiver's response may repeat its request.
    await tx.execute(
        """
        update deliveries d set attempts = (
            select coalesce(jsonb_agg(attempt || '{"answer": null}' order by place), '[]')
            from jsonb_array_elements(d.attempts) with ordinality as log (attempt, place))
        where d.workspace_id = %(workspace)s and d.event_id = any (%(ids)s)
        """,
        workspace=workspace_id,
        ids=list(bodies),
    )
    return len(bodies)


async def erase_questions(tx: Tx, workspace_id: str, traces: Traces) -> int:
    """Delete questions that only this visitor asked, and the visitor's wordings of others' questions."""
    questions = await tx.all(
        StoredQuestion,
        """
        select id, question, examples, visitor_count from unanswered_questions
        where workspace_id = %(workspace)s order by id for update
        """,
        workspace=workspace_id,
    )
    count = 0
    for question in questions:
        texts = [question.question, *question.examples]
        if any(map(traces.identifies, texts)) or traces.wordings.intersection(map(wording_of, texts)):
            await erase_question(tx, workspace_id, question, traces)
            count += 1
    return count


async def erase_question(tx: Tx, workspace_id: str, question: StoredQuestion, traces: Traces) -> None:
    others = [text for text in question.examples if wording_of(text) not in traces.wordings]
    is_personal = any(map(traces.identifies, [question.question, *question.examples]))
    if is_personal or question.visitor_count == 1 or not others:
        await tx.execute(
            "delete from unanswered_questions where workspace_id = %(workspace)s and id = %(id)s",
            workspace=workspace_id,
            id=question.id,
        )
        return
    await tx.execute(
        """
        update unanswered_questions set question = %(question)s, examples = %(examples)s
        where workspace_id = %(workspace)s and id = %(id)s
        """,
        workspace=workspace_id,
        question=question.question if question.question in others else others[0],
        examples=others,
        id=question.id,
    )


async def erase_windows(tx: Tx, workspace_id: str, subject: Subject) -> int:
    """Delete the rate windows of the visitor."""
    return await tx.value(
        "select erase_visitor_windows(%(workspace)s, %(visitor)s)",
        workspace=workspace_id,
        visitor=visitor_subject(subject.visitor or subject.email),
    )


async def rows_of(tx: Tx, table: str, condition: str, **params: Any) -> list[dict[str, Any]]:
    return await tx.value(
        f"""
        select coalesce(jsonb_agg(
            to_jsonb(t) - 'visitor_hash' - 'workspace_id' - 'question_key' - 'done_by_name'
                - 'token_hash'
            order by t.created_at, t.id), '[]')
        from {table} t where t.workspace_id = %(workspace)s and {condition}
        """,
        **params,
    )


def email_of(subject: Subject) -> str | None:
    return subject.email.lower() if subject.email else None


def wording_of(question: str) -> str:
    """The question as unanswered questions are stored, in lower case."""
    return question_key(question).text.lower()
