"""A draft knows the text that it was proposed with, and the draft that took its place.

People's words in it are what its text has beyond the proposed one: a later draft carries them over.
"""

from alembic import op

revision = "0052"
down_revision = "0051"

COLUMNS = """
alter table drafts
  -- The title and text as they were proposed; null while nobody has edited them, and in drafts that somebody
  -- edited before these columns existed.
  add column written_title text,
  add column written_markdown text,
  -- The draft that took its place.
  add column replaced_by text,
  add foreign key (replaced_by, workspace_id) references drafts (id, workspace_id);
create index drafts_replaced on drafts (replaced_by) where replaced_by is not null
"""


def upgrade() -> None:
    op.execute(COLUMNS)
