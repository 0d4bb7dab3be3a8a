"""A question that is sent again, as after a connection that broke, gets the answer that it got before."""

from alembic import op

revision = "0025"
down_revision = "0023"

SCHEMA = """
    alter table messages
      -- A hash of the visitor and of the id that the caller gave the question; null: it has none.
      add column question_key bytea,
      -- The sources as they were sent, kept for a question that has an id.
      add column sent_sources jsonb,
      -- Whether an answer that declines quotes a section that may help.
      add column may_help boolean not null default false;
    create unique index messages_question_key on messages (workspace_id, bot_id, question_key)
      where question_key is not null;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
