"""Drafts know who wrote what in them: the model that had a part, and the person who edited the proposal.

The page of a draft says it beside what no line of the code change supports.
"""

from alembic import op

revision = "0040"
down_revision = "0039"

COLUMNS = """
alter table drafts
  -- The name of the language model that wrote a part of it; null where none did.
  add column model text,
  -- Who edited the proposal last; null while it is as it was proposed.
  add column edited_by_name text,
  -- The lines of the proposed text, from 1, that people have written.
  add column edited_lines integer[] not null default '{}'
"""


def upgrade() -> None:
    op.execute(COLUMNS)
