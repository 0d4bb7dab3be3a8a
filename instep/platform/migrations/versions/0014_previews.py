"""Links that show drafts on the help center before they are live."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.execute(
        """
        create table previews (
          id text primary key,
          workspace_id text not null,
          bot_id uuid not null,
          -- The draft that the link shows; null: all pending drafts of the source.
          draft_id text references drafts on delete cascade,
          source_key text not null,
          author_name text not null,
          created_at timestamptz not null,
          expires_at timestamptz not null,
          foreign key (workspace_id, bot_id) references bots (workspace_id, id)
        );
        create index on previews (bot_id, source_key);
        create index on previews (draft_id);

        alter table previews enable row level security;
        create policy tenant on previews to instep_app
          using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
        grant select, insert, update, delete on previews to instep_app;

        -- Begins a visit by a link: what it shows, until it expires or is revoked.
        create function find_preview(p_id text)
        returns table (preview_slug text, draft_id text, source_key text, expires_at timestamptz)
        language sql stable security definer set search_path = public, pg_temp as $$
          select b.slug, p.draft_id, p.source_key, p.expires_at
          from previews p join bots b on b.id = p.bot_id
          where p.id = p_id and p.expires_at > now()
        $$;
        revoke execute on function find_preview from public;
        grant execute on function find_preview to instep_app;
        """
    )
