-- Verification of articles, their owners and the date of the next look, and a collection's part of that.

alter table collections
  add column owner_id text,
  add column review_by date,
  -- The articles of a person who leaves the workspace have no owner.
  add constraint collections_owner foreign key (workspace_id, owner_id) references memberships
    on delete set null (owner_id);
create index collections_owner on collections (owner_id) where owner_id is not null;

alter table articles
  -- The last verification of the present text; replacing the text without one clears these four.
  add column verified_at timestamptz,
  add column verified_by text check (verified_by in ('drift', 'task', 'person')),
  add column verified_by_name text,
  add column verified_commit text,
  -- When a person verified the article last, whichever text it had.
  add column reviewed_at timestamptz,
  add column owner_id text,
  add column review_by date,
  -- When the team's channels heard that it is due for a look; null: not since somebody looked.
  add column due_announced_at timestamptz,
  add constraint articles_owner foreign key (workspace_id, owner_id) references memberships
    on delete set null (owner_id),
  add constraint articles_verification
    check (num_nulls(verified_at, verified_by, verified_by_name) in (0, 3));
create index articles_owner on articles (owner_id) where owner_id is not null;

-- The bots with a channel that gets alerts of this kind, for the job that looks for what is due.
create function bots_with_alerts(p_kind text)
returns table (workspace_id text, bot_id uuid)
language sql stable security definer set search_path = public, pg_temp as $$
  select distinct t.workspace_id, t.bot_id from alert_targets t where p_kind = any(t.alerts)
$$;
revoke execute on function bots_with_alerts from public;
grant execute on function bots_with_alerts to instep_app;
