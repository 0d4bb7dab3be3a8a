"""What monitoring needs: the request that jobs and events came of, and how much work waits."""

from alembic import op

revision = "0021"
down_revision = "0020"

SCHEMA = """
    alter table jobs add column request_id text;
    alter table events add column request_id text;

    drop function read_deliveries;
    create function read_deliveries(wanted text[]) returns table (
      id text, workspace_id text, endpoint_id text, url text, kind text, body bytea, request_id text,
      secret_ids text[], sealed_secrets bytea[]
    ) language sql stable security definer set search_path = public, pg_temp as $$
      select d.id, d.workspace_id, d.endpoint_id, e.url, v.type, v.body, v.request_id, s.ids, s.sealed
      from deliveries d
      join webhook_endpoints e on e.id = d.endpoint_id
      join events v on v.id = d.event_id
      cross join lateral (
        select array_agg(w.id order by w.ends_at desc nulls first) as ids,
          array_agg(w.sealed order by w.ends_at desc nulls first) as sealed
        from webhook_secrets w
        where w.endpoint_id = d.endpoint_id and (w.ends_at is null or w.ends_at > now())) s
      where d.id = any (wanted)
    $$;

    -- How much work waits in the whole installation, by queue and kind, and for how many seconds the oldest
    -- has been due. It tells numbers alone, of no workspace, and runs with the owner's rights to see all.
    create function waiting_work(p_few integer)
    returns table (queue text, kind text, number bigint, oldest_seconds float8)
    language sql stable security definer set search_path = public, pg_temp as $$
      select 'jobs', j.kind, count(*), extract(epoch from now() - min(j.run_at))::float8
      from jobs j where j.run_at <= now() group by j.kind
      union all
      select 'dead_jobs', j.kind, count(*), extract(epoch from now() - min(j.created_at))::float8
      from jobs j where j.run_at is null group by j.kind
      union all
      select 'deliveries', '', count(*),
        coalesce(extract(epoch from now() - min(d.next_attempt_at)), 0)::float8
      from deliveries d
      where d.status = 'pending' and d.next_attempt_at <= now()
        and (d.leased_until is null or d.leased_until <= now())
      union all
      select 'search_indexes', '', count(*),
        coalesce(extract(epoch from now() - min(b.changed_at)), 0)::float8
      from search_behind(p_few, 1000) s join bots b on b.id = s.id
    $$;

    revoke execute on function read_deliveries, waiting_work from public;
    grant execute on function read_deliveries, waiting_work to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
