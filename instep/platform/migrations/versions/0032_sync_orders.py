"""A sync with git keeps the order of articles, and where it moved a file whose commit it has not seen."""

from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.execute(
        """
        -- The path that the file gets with the text that was written to it; null where it stays.
        alter table synced_files add next_path text;
        -- By the ids of collections, `/` for the articles in none: the order that both sides had, and the one
        -- that was written and that git has not had yet.
        alter table synced_folders add orders jsonb not null default '{}';
        """
    )
