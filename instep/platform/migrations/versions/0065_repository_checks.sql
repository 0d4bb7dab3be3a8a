-- Checks of the articles against the code of connected repositories.

alter table repositories
  -- When the next check is due.
  add column check_at timestamptz not null default now(),
  add column check_status text not null default 'waiting'
    check (check_status in ('waiting', 'running', 'checked', 'failed')),
  -- A sentence that says what the check waits for, does, or has failed for.
  add column check_message text,
  -- The last check that has ended well; null: there was none.
  add column checked_commit text,
  add column checked_at timestamptz,
  add column wrong_statements integer not null default 0,
  add column wrong_articles integer not null default 0;
alter table repositories alter column check_at drop default;
create index on repositories (check_at);

-- Repositories whose check is due, which wait for it now and are not due again within the wait.
create function repositories_to_check(p_wait interval, p_most integer)
returns table (workspace_id text, bot_id uuid, id text)
language sql security definer set search_path = public, pg_temp as $$
  update repositories r set check_at = now() + p_wait, check_status = 'waiting', check_message = null
  where (r.id, r.workspace_id) in (
    select d.id, d.workspace_id from repositories d where d.check_at <= now()
    order by d.check_at, d.id limit p_most for update skip locked)
  returning r.workspace_id, r.bot_id, r.id
$$;
revoke execute on function repositories_to_check from public;
grant execute on function repositories_to_check to instep_app;
