"""Drafts of new articles; tasks that write one."""

from alembic import op

revision = "0010"
down_revision = "0009"

DRAFTS = """
alter table drafts
  alter column content_markdown drop not null,
  alter column base_version drop not null,
  alter column base_title drop not null,
  alter column base_markdown drop not null,
  alter column additions drop not null,
  alter column deletions drop not null,
  -- What visitors asked, for a draft made of their questions.
  add column questions jsonb not null default '[]',
  -- A new article's title and text are those of the article behind the draft, and nowhere else.
  add constraint drafts_text check (case
    when type = 'edit'
    then num_nulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
    else title is null
      and num_nonnulls(content_markdown, base_version, base_title, base_markdown, additions, deletions) = 0
  end);
create unique index drafts_new_article on drafts (bot_id, article_id) where type <> 'edit';
"""

TASKS = """
alter table tasks
  alter column change_kind drop not null,
  alter column change_title drop not null,
  -- What a new article is asked for with: title, instructions, collection_id, source_url.
  add column article jsonb,
  add constraint tasks_work check (case type
    when 'document_change' then num_nulls(change_kind, change_title) = 0 and article is null
    else num_nonnulls(change_kind, change_title, change_url, change_body, diff) = 0 and article is not null
  end);
"""


def upgrade() -> None:
    for step in (DRAFTS, TASKS):
        op.execute(step)
