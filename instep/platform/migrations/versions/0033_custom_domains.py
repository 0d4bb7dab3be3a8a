"""Help centers at host names of their own; files that stand around their pages."""

from alembic import op

revision = "0033"
down_revision = "0032"

SCHEMA = """
    -- A host name in lower case and in ASCII, such as help.example.com; no two help centers have the same.
    alter table bots add column domain text;
    create unique index bots_domain on bots (domain);
    grant update (domain) on bots to instep_app;

    -- A help center is named by its slug, which has no dots, or by its host name, which has.
    create or replace function enter_site(p_slug text)
    returns table (workspace_id text, bot_id uuid, bot_slug text, bot_name text, bot_locale text)
    language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform set_config('instep.workspace_id', '', true);
      return query
        select set_config('instep.workspace_id', b.workspace_id, true), b.id, b.slug, b.name, b.locale
        from bots b where b.slug = p_slug or b.domain = p_slug;
    end $$;

    create function is_custom_domain(p_host text) returns boolean
    language sql stable security definer set search_path = public, pg_temp as $$
      select exists (select from bots b where b.domain = p_host)
    $$;
    revoke execute on function is_custom_domain from public;
    grant execute on function is_custom_domain to instep_app;

    -- A logo and an icon may be files, which are kept and shown to everybody as long as they stand there.
    alter table file_references drop constraint file_references_source_check;
    alter table file_references add constraint file_references_source_check check (
      source in ('article', 'working_copy', 'revision', 'draft', 'changelog_entry', 'site_frame'));
    create function refer_from_frame() returns trigger language plpgsql as $$
    begin
      perform refer_to_files(new.workspace_id, new.id, 'site_frame', new.id::text, new.frame::text);
      return null;
    end $$;
    create trigger bots_refer_when_changed after update of frame on bots
    for each row when (old.frame is distinct from new.frame) execute function refer_from_frame();
"""


def upgrade() -> None:
    op.execute(SCHEMA)
