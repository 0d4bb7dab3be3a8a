"""Trusts of CI jobs, and the short-lived API keys that come of them."""

from alembic import op

revision = "0020"
down_revision = "0019"

SCHEMA = """
    create table trusts (
      id text primary key,
      workspace_id text not null references workspaces,
      issuer text not null,
      audience text not null,
      -- The value or glob that each named claim of a token must have.
      claims jsonb not null,
      -- null: every bot of the workspace, future ones included
      bot_ids uuid[],
      scope text not null check (scope in ('content:read', 'content:write')),
      created_at timestamptz not null default now(),
      used_at timestamptz,
      revoked_at timestamptz,
      unique (workspace_id, id)
    );
    create index on trusts (issuer) where revoked_at is null;

    alter table api_keys
      -- The trust that the key has come of; null: somebody has created it.
      add trust_id text,
      -- The hash of the ID token that was exchanged for it.
      add subject_hash bytea,
      add foreign key (workspace_id, trust_id) references trusts (workspace_id, id);
    create index on api_keys (trust_id) where trust_id is not null;
    create index on api_keys (subject_hash) where subject_hash is not null;

    alter table trusts enable row level security;
    create policy tenant on trusts to instep_app
      using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
    grant select, insert, update (used_at, revoked_at) on trusts to instep_app;
    grant select (trust_id, subject_hash) on api_keys to instep_app;

    -- The trusts of all workspaces in an issuer: a token names its issuer, and no workspace.
    create function find_trusts(p_issuer text) returns setof trusts
    language sql stable security definer set search_path = public, pg_temp as $$
      select * from trusts where issuer = p_issuer and revoked_at is null order by created_at, id
    $$;

    create function prune_trust_keys(p_kept interval) returns void
    language sql security definer set search_path = public, pg_temp as $$
      delete from api_keys where trust_id is not null and expires_at < now() - p_kept
    $$;

    do $$ declare name text; begin
      foreach name in array array['find_trusts', 'prune_trust_keys'] loop
        execute format('revoke execute on function %I from public', name);
        execute format('grant execute on function %I to instep_app', name);
      end loop;
    end $$;

    -- Requests with the keys of one trust count together: a job can get any number of keys.
    create or replace function enter_with_key(p_key_hash bytea, p_bot uuid, p_address text, p_seconds integer)
    returns table (
      key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
      hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text
    )
    language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      return query
      with key as (
        select k.id, k.name, k.scope, k.workspace_id, w.paused_at is not null as is_paused, k.bot_ids,
          k.default_bot_id, k.last_used_at, coalesce(k.trust_id, k.id) as counted
        from api_keys k join workspaces w on w.id = k.workspace_id
        where k.key_hash = p_key_hash and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
      ), used as (
        update api_keys k set last_used_at = now() from key
        where k.id = key.id and coalesce(key.last_used_at < now() - interval '1 minute', true)
      ), hit as (
        insert into rate_windows as w (policy, subject, started_at, hits)
        select case when key.id is null then 'anonymous' else 'api' end, coalesce(key.counted, p_address),
          clock_timestamp(), 1
        from (values (true)) as one (row) left join key on true
        on conflict (policy, subject) do update set
          hits = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
            then w.hits + 1 else 1 end,
          started_at = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
            then w.started_at else excluded.started_at end
        returning w.hits, greatest(1, ceil(extract(epoch from
          w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))::integer as seconds_left
      ), bot as (
        select b.id, b.slug, b.name, b.locale
        from key cross join lateral bot_in_force(key.workspace_id, key.bot_ids, key.default_bot_id, p_bot) b
      )
      select key.id, key.name, key.scope,
        nullif(set_config('instep.workspace_id', coalesce(key.workspace_id, ''), false), ''),
        key.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale
      from hit left join key on true left join bot on true;
    end $$;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
