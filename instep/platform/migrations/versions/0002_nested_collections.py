"""Collections within collections."""

from alembic import op

revision = "0002"
down_revision = "0001"

SCHEMA = """
    alter table collections add column parent_id text;
    alter table collections add constraint collections_parent
        foreign key (bot_id, parent_id) references collections (bot_id, id);
    alter table collections add constraint collections_parent_is_another check (parent_id <> id);
    create index collections_children on collections (bot_id, parent_id) where parent_id is not null;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
