-- Begins a request like `enter_with_key` but writes nothing, for reads while the disk is full.

create function enter_uncounted(p_key_hash bytea, p_bot uuid, p_seconds integer)
returns table (
  key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
  hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text
)
language sql security definer set search_path = public, pg_temp as $$
  select k.id, k.name, k.scope,
    nullif(set_config('instep.workspace_id', coalesce(k.workspace_id, ''), true), ''),
    w.paused_at is not null, 0, p_seconds, b.id, b.slug, b.name, b.locale
  from (values (true)) as one (row)
  left join api_keys k on k.key_hash = p_key_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
  left join workspaces w on w.id = k.workspace_id
  left join lateral bot_in_force(k.workspace_id, k.bot_ids, k.default_bot_id, p_bot) b on true
$$;
revoke execute on function enter_uncounted from public;
grant execute on function enter_uncounted to instep_app;
