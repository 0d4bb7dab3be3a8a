-- Memberships: one person may belong to several workspaces, with a role in each. A session has one workspace at
-- a time, a browser and a moment of the last proof; the people of a workspace are those with a membership in it.

create table memberships (
  workspace_id text not null references workspaces,
  person_id text not null references people on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- When the person last signed in to the workspace or switched to it; signing in leads to the latest one.
  used_at timestamptz not null default now(),
  primary key (workspace_id, person_id)
);
create index on memberships (person_id);
insert into memberships (workspace_id, person_id, role, created_at, disabled_at, used_at)
select workspace_id, id, role, created_at, disabled_at, coalesce(signed_in_at, created_at) from people;

do $$ declare row record; begin
  for row in select conrelid::regclass as name, conname from pg_constraint
    where contype = 'f' and confrelid = 'people'::regclass and conrelid <> 'memberships'::regclass
  loop
    execute format('alter table %s drop constraint %I', row.name, row.conname);
    execute format('alter table %s add foreign key (workspace_id, person_id)
      references memberships (workspace_id, person_id) on delete cascade', row.name);
  end loop;
end $$;

drop policy tenant on people;
alter table people drop column workspace_id, drop column role, drop column disabled_at;
-- Null: the person has no password, and signs in by another way.
alter table people alter column password_hash drop not null;

alter table sessions add column id text;
update sessions set id = 'ses_' || left(replace(gen_random_uuid()::text, '-', ''), 26);
alter table sessions alter column id set not null, add unique (id);
-- When the person last proved who they are in this session.
alter table sessions add column verified_at timestamptz not null default now();
update sessions set verified_at = created_at;
alter table sessions add column browser text not null default '';

do $$ begin
  alter table memberships enable row level security;
  execute 'create policy tenant on memberships to instep_app
    using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))';
  execute 'create policy tenant on people to instep_app
    using (exists (select from memberships m where m.person_id = people.id and m.workspace_id =
      (select nullif(current_setting(''instep.workspace_id'', true), ''''))))';
end $$;
revoke select on people from instep_app;
grant select (id, email, created_at, signed_in_at) on people to instep_app;
grant select, update (role, disabled_at), delete on memberships to instep_app;
grant select (id, browser, verified_at), delete on sessions to instep_app;

drop function find_for_sign_in(text);
drop function enter_with_session(bytea, interval, interval);
drop function begin_session(text, text, text, bytea);

-- Before sign-in no workspace is known: the address alone identifies the person, who enters the workspace that
-- they used last.
create function find_for_sign_in(p_email text)
returns table (id text, workspace_id text, email text, role text, password_hash text)
language sql stable security definer set search_path = public, pg_temp as $$
  select p.id, latest.workspace_id, p.email, latest.role, p.password_hash
  from people p cross join lateral (
    select m.workspace_id, m.role from memberships m
    where m.person_id = p.id and m.disabled_at is null
    order by m.used_at desc, m.workspace_id limit 1) latest
  where p.email = p_email
$$;

-- The one statement that begins a request with a session: it finds the person, puts the connection into the
-- session's workspace and keeps the session alive. Without a valid session it enters no workspace.
create function enter_with_session(p_token_hash bytea, p_idle interval, p_most interval)
returns table (person_id text, workspace_id text, email text, role text, session_id text,
  verified_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with session as (
    select s.token_hash, s.seen_at, p.id as person_id, s.workspace_id, p.email, m.role, s.id, s.verified_at
    from sessions s
    join people p on p.id = s.person_id
    join memberships m on m.workspace_id = s.workspace_id and m.person_id = s.person_id
    where s.token_hash = p_token_hash and m.disabled_at is null
      and s.created_at > now() - p_most and s.seen_at > now() - p_idle
  ), seen as (
    update sessions s set seen_at = now() from session
    where s.token_hash = session.token_hash and session.seen_at < now() - interval '1 minute'
  )
  select session.person_id,
    nullif(set_config('instep.workspace_id', coalesce(session.workspace_id, ''), false), ''),
    session.email, session.role, session.id, session.verified_at
  from (values (true)) as one (row) left join session on true;
end $$;

-- Begins a session, unless the password was changed, or the person disabled, after they were verified.
create function begin_session(p_person text, p_workspace text, p_password_hash text, p_new_hash text,
  p_token_hash bytea, p_id text, p_browser text)
returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update people set signed_in_at = now(), password_hash = coalesce(p_new_hash, password_hash)
  where id = p_person and password_hash is not distinct from p_password_hash;
  if not found then
    return false;
  end if;
  update memberships set used_at = now()
  where workspace_id = p_workspace and person_id = p_person and disabled_at is null;
  if not found then
    return false;
  end if;
  insert into sessions (token_hash, workspace_id, person_id, id, browser)
  values (p_token_hash, p_workspace, p_person, p_id, p_browser);
  return true;
end $$;

-- The person of the session has proved again who they are.
create function verify_session(p_token_hash bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set verified_at = now() where token_hash = p_token_hash
$$;

-- Puts a session into another workspace of its person; false if the person may not enter that.
create function switch_session(p_token_hash bytea, p_workspace text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update memberships m set used_at = now() from sessions s
  where s.token_hash = p_token_hash and m.person_id = s.person_id and m.workspace_id = p_workspace
    and m.disabled_at is null;
  if not found then
    return false;
  end if;
  update sessions set workspace_id = p_workspace where token_hash = p_token_hash;
  return true;
end $$;

-- What belongs to a person in all their workspaces, for the pages of that person alone.
create function memberships_of(p_person text)
returns table (workspace_id text, workspace_name text, role text)
language sql stable security definer set search_path = public, pg_temp as $$
  select m.workspace_id, w.name, m.role from memberships m join workspaces w on w.id = m.workspace_id
  where m.person_id = p_person and m.disabled_at is null order by lower(w.name), w.id
$$;

create function sessions_of(p_person text, p_idle interval, p_most interval)
returns table (id text, created_at timestamptz, seen_at timestamptz, browser text)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.id, s.created_at, s.seen_at, s.browser from sessions s
  where s.person_id = p_person and s.created_at > now() - p_most and s.seen_at > now() - p_idle
  order by s.seen_at desc, s.id limit 100
$$;

-- Ends one session of a person, or with null all of them but one.
create function end_sessions_of(p_person text, p_id text, p_except text) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare v_ended integer;
begin
  delete from sessions
  where person_id = p_person and (p_id is null or id = p_id) and id is distinct from p_except;
  get diagnostics v_ended = row_count;
  return v_ended;
end $$;

-- A person sets a new password; false if it was changed meanwhile.
create function change_password(p_person text, p_password_hash text, p_new_hash text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update people set password_hash = p_new_hash
  where id = p_person and password_hash is not distinct from p_password_hash;
  return found;
end $$;

-- The rights of a token end with the membership in the workspace of its grant.
create or replace function enter_with_token(p_token_hash bytea, p_resource text, p_bot uuid, p_address text,
  p_seconds integer)
returns table (
  key_id text, key_name text, scope text, workspace_id text, is_paused boolean,
  hits integer, seconds_left integer, bot_id uuid, bot_slug text, bot_name text, bot_locale text,
  person_id text, email text, role text
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return query
  with token as (
    select g.id, g.app_name, t.scope, g.workspace_id, w.paused_at is not null as is_paused, g.bot_ids,
      g.default_bot_id, g.used_at, p.id as person_id, p.email, m.role
    from oauth_tokens t
    join oauth_grants g on g.id = t.grant_id
    join people p on p.id = g.person_id
    join memberships m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
    join workspaces w on w.id = g.workspace_id
    where t.token_hash = p_token_hash and t.kind = 'access' and t.expires_at > now()
      and g.resource = p_resource and g.revoked_at is null and m.disabled_at is null
  ), used as (
    update oauth_grants g set used_at = now() from token
    where g.id = token.id and coalesce(token.used_at < now() - interval '1 minute', true)
  ), hit as (
    insert into rate_windows as w (policy, subject, started_at, hits)
    select case when token.id is null then 'anonymous' else 'api' end, coalesce(token.id, p_address),
      clock_timestamp(), 1
    from (values (true)) as one (row) left join token on true
    on conflict (policy, subject) do update set
      hits = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.hits + 1 else 1 end,
      started_at = case when w.started_at > excluded.started_at - make_interval(secs => p_seconds)
        then w.started_at else excluded.started_at end
    returning w.hits, greatest(1, ceil(extract(epoch from
      w.started_at + make_interval(secs => p_seconds) - clock_timestamp())))::integer as seconds_left
  ), bot as (
    select b.id, b.slug, b.name, b.locale
    from token cross join lateral
      bot_in_force(token.workspace_id, token.bot_ids, token.default_bot_id, p_bot) b
  )
  select token.id, token.app_name, token.scope,
    nullif(set_config('instep.workspace_id', coalesce(token.workspace_id, ''), false), ''),
    token.is_paused, hit.hits, hit.seconds_left, bot.id, bot.slug, bot.name, bot.locale,
    token.person_id, token.email, token.role
  from hit left join token on true left join bot on true;
end $$;

do $$ declare name text; begin
  foreach name in array array[
    'find_for_sign_in', 'enter_with_session', 'begin_session', 'verify_session', 'switch_session',
    'memberships_of', 'sessions_of', 'end_sessions_of', 'change_password'] loop
    execute format('revoke execute on function %I from public', name);
    execute format('grant execute on function %I to instep_app', name);
  end loop;
end $$;
