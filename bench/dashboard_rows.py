"""Fills one bot with as much as a large customer has, for the measurements of the dashboard."""

import random
from typing import Any, NamedTuple

import psycopg

from bench.vocabulary import random_words
from instep.accounts.people.queries import insert_user
from instep.accounts.workspaces import actions
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.keys import hash_key
from instep.platform.identity.scopes import Role, Scope
from instep.platform.identity.sessions import new_token

ARTICLES, COLLECTIONS, DRAFTS, PLACES, SOURCES = 10_000, 60, 500, 2_000, 60
QUESTIONS, CONVERSATIONS, TASKS, FILES = 2_000, 2_000, 200, 200
REDIRECTS, WEBHOOKS, DELIVERIES, IMPORTS = 1_000, 20, 1_000, 30
SECTIONS, WORDS_OF_SECTION = 6, 90
RANDOM = random.Random(1)

INSERT_ARTICLE = """
    insert into articles (id, workspace_id, bot_id, slug, locale, title, description, position,
        content_markdown, content_html, collection_id, visibility, status, version, origin, author_type,
        author_name, text_changed_at, published_at, created_at, updated_at)
    values (%(id)s, %(workspace)s, %(bot)s, %(slug)s, 'en', %(title)s, %(title)s, %(number)s, %(text)s,
        %(text)s, %(collection)s, 'public', %(status)s, 1, 'create', 'person', 'Ada', now(), now(),
        now() - %(number)s * interval '1 hour', stamp_change(%(bot)s))
"""
# Each statement is one table; its rows are numbered from 1.
FILLED = (
    """
    insert into collections (id, workspace_id, bot_id, slug, title, visibility, sort_order, created_at,
        updated_at, parent_id)
    select 'col_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'collection-' || n, 'Collection ' || n,
        'public', n, now(), now(),
        case when n > 10 then 'col_' || lpad((n %% 10 + 1)::text, 26, '0') end
    from generate_series(1, %(collections)s) n
    """,
    """
    insert into tasks (id, workspace_id, bot_id, type, status, change_kind, change_title, change_url, diff,
        outcome, summary, reviewed, created_at, started_at, finished_at)
    select 'task_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'document_change', 'completed', 'pr',
        'Change number ' || n, 'https://git.example.com/acme/app/pull/' || n, repeat(E'+a line\n', 2000),
        'drafts', 'It proposes edits of articles.',
        (select jsonb_agg(jsonb_build_object('article_id', 'art_' || lpad(r::text, 26, '0'),
            'title', 'Article ' || r, 'verdict', 'no_edit', 'reason', 'It says nothing of this.'))
         from generate_series(1, 50) r),
        now() - n * interval '1 hour', now(), now()
    from generate_series(1, %(tasks)s) n
    """,
    # Every twentieth draft was made against a text that is no longer the live one.
    """
    insert into drafts (id, workspace_id, bot_id, type, status, article_id, task_id, title, content_markdown,
        reason, source_url, base_version, base_title, base_markdown, additions, deletions, evidence, warnings,
        author_type, author_name, certainty, created_at, updated_at)
    select 'edit_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'edit', 'pending', a.id,
        'task_' || lpad((n %% %(sources)s + 1)::text, 26, '0'), a.title,
        replace(case when n %% 20 = 0 then replace(a.content_markdown, '25 MB', '20 MB')
            else a.content_markdown end, '25 MB', '50 MB') || E'\n\nAnother paragraph.',
        'The limit has changed.', 'https://git.example.com/acme/app/pull/' || (n %% %(sources)s + 1),
        case when n %% 20 = 0 then 0 else 1 end, a.title,
        case when n %% 20 = 0 then replace(a.content_markdown, '25 MB', '20 MB') else a.content_markdown end,
        3, 1,
        '[{"file": "app/limits.py", "start_line": 4, "end_line": 4, "excerpt": "MAX_UPLOAD = 50",
           "article_line": 5}]',
        '[]', 'task', 'Instep', case when n %% 3 = 0 then 'likely' else 'certain' end,
        now() - n * interval '1 minute', now()
    from generate_series(1, %(drafts)s) n
    join articles a on a.id = 'art_' || lpad((n * 7)::text, 26, '0')
    """,
    """
    insert into places (id, workspace_id, bot_id, article_id, task_id, heading, line, reason, evidence,
        statement, source_kind, source_title, source_url, created_at, updated_at)
    select 'plc_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'art_' || lpad(n::text, 26, '0'),
        'task_' || lpad((n %% %(sources)s + 1)::text, 26, '0'), 'Limits', 5, 'Lists the limits of uploads.',
        '[{"file": "app/limits.py", "start_line": 4, "end_line": 4, "excerpt": "MAX_UPLOAD = 50"}]',
        jsonb_build_object('key', 'key ' || n, 'summary', 'Words under “Limits”'), 'pr',
        'Change number ' || (n %% %(sources)s + 1),
        'https://git.example.com/acme/app/pull/' || (n %% %(sources)s + 1),
        now() - n * interval '1 minute', now()
    from generate_series(1, %(places)s) n
    """,
    """
    insert into revisions (id, workspace_id, bot_id, article_id, version, title, content_markdown, origin,
        author_type, author_name, created_at)
    select 'rev_' || lpad(n::text, 26, '0'), workspace_id, bot_id, id, n, title, content_markdown || n,
        'update', 'person', 'Ada', now()
    from articles, generate_series(1, 100) n where id = 'art_' || lpad('7', 26, '0')
    """,
    """
    insert into unanswered_questions (id, workspace_id, bot_id, locale, question, examples, marks, term_count,
        nearest, asked_count, visitor_count, first_asked_at, last_asked_at)
    select 'q_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'en', 'How do I do number ' || n || '?',
        array['How do I do number ' || n || '?', 'Can I do number ' || n || '?'], '{}', 3,
        '[]', 5, 5, now() - interval '9 days', now() - n * interval '1 minute'
    from generate_series(1, %(questions)s) n
    """,
    """
    insert into question_terms (workspace_id, bot_id, locale, term, question_id)
    select workspace_id, bot_id, locale, term, id
    from unanswered_questions q, unnest(array['do', 'number', substr(q.id, 24)]) term
    where bot_id = %(bot)s
    """,
    """
    insert into askings (workspace_id, bot_id, question_id, visitor_hash, asked_at)
    select workspace_id, bot_id, id, sha256((id || n)::bytea), now() - n * interval '1 hour'
    from unanswered_questions, generate_series(1, 5) n where bot_id = %(bot)s
    """,
    """
    insert into conversations (id, workspace_id, bot_id, visitor_hash, locale, page_url, status, email,
        message, created_at, escalated_at)
    select 'conv_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, sha256(n::text::bytea), 'en',
        'https://app.example.com/page', case when n %% 10 = 0 then 'escalated' else 'open' end,
        case when n %% 10 = 0 then 'ann@customer.example' end, case when n %% 10 = 0 then 'Please help.' end,
        now() - n * interval '1 minute', case when n %% 10 = 0 then now() end
    from generate_series(1, %(conversations)s) n
    """,
    """
    insert into messages (id, workspace_id, bot_id, conversation_id, question, answer, answered, confidence,
        sources, helpful, judged_at, created_at)
    select 'msg_' || lpad((c.number * 3 + n)::text, 26, '0'), workspace_id, bot_id, id, 'How do I do that?',
        repeat('An answer of some words. ', 20), n > 0, 0.8, '[]', n = 1, now(), c.created_at
    from (select *, row_number() over (order by id) as number from conversations where bot_id = %(bot)s) c,
        generate_series(0, 2) n
    """,
    """
    insert into leads (id, workspace_id, bot_id, conversation_id, email, message, created_at)
    select 'lead_' || substr(id, 6), workspace_id, bot_id, id, email, message, created_at
    from conversations where bot_id = %(bot)s and email is not null
    """,
    """
    insert into stored_objects (key, workspace_id, location)
    select 'key-' || n, %(workspace)s, 'bucket' from generate_series(1, %(files)s) n
    """,
    """
    insert into files (id, workspace_id, bot_id, name, content_type, bytes, width, height, sha256,
        sent_sha256, object_key, created_at)
    select 'file_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'picture-' || n || '.png', 'image/png',
        40000, 800, 600, encode(sha256(n::text::bytea), 'hex'), encode(sha256(n::text::bytea), 'hex'),
        'key-' || n, now() - n * interval '1 minute'
    from generate_series(1, %(files)s) n
    """,
    """
    insert into file_references (workspace_id, bot_id, sha256, source, source_id)
    select f.workspace_id, f.bot_id, f.sha256, 'article', a.id
    from (select *, row_number() over (order by id) as number from files where bot_id = %(bot)s) f
    join articles a on a.id in ('art_' || lpad(f.number::text, 26, '0'),
        'art_' || lpad((f.number + 500)::text, 26, '0'))
    """,
    """
    insert into redirects (id, workspace_id, bot_id, path, anchor, article_id, created_at)
    select 'rdr_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, '/hc/articles/' || n, '',
        'art_' || lpad(n::text, 26, '0'), now()
    from generate_series(1, %(redirects)s) n
    """,
    """
    insert into webhook_endpoints (id, workspace_id, url, events, status, created_at, updated_at)
    select 'wh_' || lpad(n::text, 26, '0'), %(workspace)s, 'https://hooks.example.com/' || n, '{*}',
        'enabled', now(), now()
    from generate_series(1, %(webhooks)s) n
    """,
    """
    insert into events (id, workspace_id, type, body, created_at)
    select 'evt_' || lpad(n::text, 26, '0'), %(workspace)s, 'article.updated', '{}', now()
    from generate_series(1, %(deliveries)s) n
    """,
    """
    insert into deliveries (id, workspace_id, endpoint_id, event_id, status, attempts, created_at)
    select 'dlv_' || lpad(n::text, 26, '0'), %(workspace)s,
        'wh_' || lpad((n %% %(webhooks)s + 1)::text, 26, '0'), 'evt_' || lpad(n::text, 26, '0'), 'delivered',
        '[{"number": 1, "at": "2026-11-20T10:00:00.000Z", "http_status": 200, "duration_ms": 80,
           "error": null, "answer": "ok"}]',
        now() - n * interval '1 minute'
    from generate_series(1, %(deliveries)s) n
    """,
    """
    insert into changelog_entries (id, workspace_id, bot_id, slug, title, content_markdown, content_html,
        status, published_at, created_at, updated_at)
    select 'chg_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'entry-' || n, 'Entry ' || n,
        'It is new.', '<p>It is new.</p>', 'published', now(), now() - n * interval '1 hour', now()
    from generate_series(1, 500) n
    """,
    """
    insert into imports (id, workspace_id, bot_id, name, format, source, state, report, done, total,
        author_type, author_name, created_at, updated_at, ended_at)
    select 'imp_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'docs.zip', 'markdown', 'docs.zip',
        'completed', '{"format": "markdown", "source": "docs.zip"}', 200, 200, 'person', 'Ada',
        now() - n * interval '1 day', now(), now()
    from generate_series(1, %(imports)s) n
    """,
    """
    insert into suppressed_statements (id, workspace_id, bot_id, article_id, key, summary, reason,
        author_type, author_name, created_at)
    select 'sup_' || lpad(n::text, 26, '0'), %(workspace)s, %(bot)s, 'art_' || lpad(n::text, 26, '0'),
        'key ' || n, 'The limit is now 50 MB.', 'not_needed', 'person', 'Ada', now()
    from generate_series(1, 300) n
    """,
)


class Access(NamedTuple):
    """The slug of the bot, the token of an owner's session, and a key."""

    slug: str
    token: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": f"instep-session={self.token}", "Authorization": f"Bearer {self.key}"}


async def fill(owner: psycopg.AsyncConnection[Any]) -> Access:
    """Make all rows, and let their owner sign in."""
    tx = Tx(owner)
    workspace = await actions.find_workspace(tx, None)
    bot = await actions.create_bot(tx, workspace.id, "Large", "large", "en")
    names = {"workspace": workspace.id, "bot": bot.id, "collections": COLLECTIONS, "tasks": TASKS}
    names |= {"sources": SOURCES, "drafts": DRAFTS, "places": PLACES}
    names |= {"questions": QUESTIONS, "files": FILES}
    names |= {"conversations": CONVERSATIONS, "redirects": REDIRECTS, "webhooks": WEBHOOKS}
    names |= {"deliveries": DELIVERIES, "imports": IMPORTS}
    collections, *others = FILLED
    await tx.execute(collections, **names)
    async with owner.cursor() as cursor:
        await cursor.executemany(
            INSERT_ARTICLE, [article(number, names) for number in range(1, ARTICLES + 1)]
        )
    for statement in others:
        await tx.execute(statement, **names)
    await owner.execute("vacuum analyze")
    key = await actions.create_key(tx, workspace.id, bot.name, Scope.READ, [bot.id])
    return Access(bot.slug, await sign_in(tx, workspace.id), key.key)


def article(number: int, names: dict[str, Any]) -> dict[str, Any]:
    """A text of about 4 KB with headings, a list, code, and a link to another article."""
    title = f"{some_words(4).capitalize()} {number}"
    sections = [
        f"## {some_words(3).capitalize()}\n\n{some_words(WORDS_OF_SECTION)}." for _ in range(SECTIONS)
    ]
    sections.insert(1, "A file may be up to **25 MB**.\n\n1. Open it.\n2. Read it.\n\n`limit = 25`")
    sections.append(f"See [the other one](/help/large/article-{RANDOM.randint(1, ARTICLES)}).")
    return names | {
        "id": f"art_{number:0>26}",
        "slug": f"article-{number}",
        "title": title,
        "number": number,
        "text": "\n\n".join(sections),
        "collection": f"col_{number % COLLECTIONS + 1:0>26}",
        "status": "draft" if number % 10 == 0 else "published",
    }


def some_words(count: int) -> str:
    return random_words(count, RANDOM)


async def sign_in(tx: Tx, workspace_id: str) -> str:
    """A session of a new owner; its token, as the cookie of a browser holds it."""
    row = {"id": new_id("per"), "workspace_id": workspace_id, "email": "ada@example.com"}
    person = await insert_user(tx, row | {"password_hash": None, "role": Role.OWNER.value})
    assert person is not None, "nobody has this address"
    token = new_token()
    await tx.execute(
        "insert into sessions (token_hash, workspace_id, person_id, id) "
        "values (%(token)s, %(workspace)s, %(person)s, %(session)s)",
        token=hash_key(token),
        workspace=workspace_id,
        person=person.id,
        session=new_id("ses"),
    )
    return token
