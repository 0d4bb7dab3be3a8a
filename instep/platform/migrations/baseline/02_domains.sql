-- Host names of help centers. A name is a claim until its DNS names the bot, or the operator vouches for it.
-- A claim keeps nobody else from the name, so nobody can take another company's name by being first.

create function is_custom_domain(p_host text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from bots b where b.domain = p_host)
$$;

-- Settles a host name whose DNS names these bots: a bot that is named there wins against one that is not.
create function settle_domain(p_bot uuid, p_host text, p_named uuid[], p_grace interval) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('domain ' || p_host, 0));
  update bots set domain_checked_at = now() where id = p_bot;
  if p_bot <> all (p_named) then
    update bots set domain = null, domain_proof = null, claimed_domain = p_host, domain_claimed_at = now()
    where id = p_bot and domain = p_host and domain_proof = 'dns' and domain_seen_at < now() - p_grace;
    return case when found then 'lost' else 'missing' end;
  end if;
  update bots set domain_seen_at = now() where id = p_bot and domain = p_host;
  if found then
    return 'kept';
  end if;
  update bots set domain = null, domain_proof = null where domain = p_host and id <> all (p_named);
  if exists (select from bots where domain = p_host) then
    return 'taken';
  end if;
  update bots set domain = p_host, domain_proof = 'dns', domain_seen_at = now(), claimed_domain = null,
    domain_claimed_at = null
  where id = p_bot and claimed_domain = p_host;
  return case when found then 'proved' else 'missing' end;
end $$;

-- Claims, and proved names whose record has not been seen for a while; the longest unchecked first.
create function domains_to_check(p_claims interval, p_proved interval, p_most integer)
returns table (workspace_id text, bot_id uuid, host text)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.workspace_id, b.id, h.host from bots b cross join lateral (
    select b.claimed_domain where coalesce(b.domain_checked_at < now() - p_claims, true)
    union all
    select b.domain where b.domain_proof = 'dns' and b.domain_seen_at < now() - p_proved
  ) h (host)
  where h.host is not null order by b.domain_checked_at nulls first, b.id limit p_most
$$;

create function prune_domain_claims(p_age interval) returns void
language sql security definer set search_path = public, pg_temp as $$
  update bots set claimed_domain = null, domain_claimed_at = null
  where domain_claimed_at < now() - p_age
$$;
