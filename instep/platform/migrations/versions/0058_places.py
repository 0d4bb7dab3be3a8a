"""Places: where an article needs words that a code change does not give. They wait for review like drafts."""

from alembic import op

revision = "0058"
down_revision = "0057"

SCHEMA = """
    create table places (
      id text not null,
      workspace_id text not null,
      bot_id uuid not null,
      article_id text not null,
      -- The latest task that has found it; null: no task has.
      task_id text,
      status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
      -- null: the whole article.
      heading text,
      line integer not null check (line > 0),
      reason text not null,
      evidence jsonb not null,
      -- A key and a summary: the key is the same in each change that asks for the same words.
      statement jsonb not null,
      source_kind text not null,
      source_title text not null,
      source_url text,
      assignee_id text,
      settled_by_name text,
      settled_at timestamptz,
      dismissal_reason text
        check (dismissal_reason in ('not_needed', 'wrong_article', 'wrong_text', 'duplicate', 'later')),
      dismissal_comment text,
      is_announced boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (id, workspace_id),
      foreign key (workspace_id, bot_id) references bots (workspace_id, id),
      foreign key (bot_id, article_id, workspace_id) references articles (bot_id, id, workspace_id)
        on delete cascade,
      foreign key (bot_id, task_id, workspace_id) references tasks (bot_id, id, workspace_id),
      -- A place of a person who leaves the workspace is nobody's.
      foreign key (workspace_id, assignee_id) references memberships (workspace_id, person_id)
        on delete set null (assignee_id)
    );
    create index places_queue on places (bot_id, status, created_at desc, id desc);
    create index places_article on places (article_id);
    create index places_task on places (task_id);
    create index places_assignee on places (assignee_id) where assignee_id is not null;
    create index places_unannounced on places (bot_id) where not is_announced;
    alter table places enable row level security;
    create policy tenant on places to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert, update, delete on places to instep_app;

    -- A dismissed place is held back like a dismissed draft.
    alter table suppressed_statements
      add column place_id text,
      add foreign key (place_id, workspace_id) references places (id, workspace_id)
        on delete set null (place_id);
    create index on suppressed_statements (place_id) where place_id is not null;

    alter table tasks
      drop constraint tasks_outcome_check,
      add constraint tasks_outcome_check check (outcome in ('drafts', 'places', 'no_changes'));
"""


def upgrade() -> None:
    op.execute(SCHEMA)
