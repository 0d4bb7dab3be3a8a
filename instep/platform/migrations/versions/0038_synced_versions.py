"""Rows of a sync with git, and the drafts that it made, name no version that their article has not had.

They named one too many after a change of values that make no version, such as the description. A person's
next edit then had the number that the draft was made against, and applying the draft took it away unseen.
"""

from alembic import op

revision = "0038"
down_revision = "0037"

REPAIRS = (
    """
    update synced_files f set article_version = a.version
    from articles a
    where a.workspace_id = f.workspace_id and a.bot_id = f.bot_id and a.id = f.resource_id
      and f.kind = 'article' and f.article_version > a.version
    """,
    # A draft that was made against another text than the article's was made against an earlier version.
    """
    update drafts d set base_version = a.version - 1
    from synced_files f, articles a
    where f.workspace_id = d.workspace_id and f.bot_id = d.bot_id and f.draft_id = d.id
      and a.workspace_id = d.workspace_id and a.bot_id = d.bot_id and a.id = d.article_id
      and d.type = 'edit' and d.status = 'pending' and d.base_version >= a.version
      and (d.base_markdown <> a.content_markdown or d.base_title <> a.title)
    """,
)


def upgrade() -> None:
    for statement in REPAIRS:
        op.execute(statement)
