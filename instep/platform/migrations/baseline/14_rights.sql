-- What the application's role may do: row-level security per workspace, and grants. The default is to deny:
-- the application can't read a table that is missing here.

-- The condition is written out in each policy: a function would be called, not inlined, and would cost more
-- than the query itself.
do $$ declare name text; begin
  foreach name in array array[
    'bots', 'api_keys', 'collections', 'articles', 'former_slugs', 'revisions', 'tasks', 'idempotency_keys',
    'drafts', 'changelog_entries', 'webhook_endpoints', 'webhook_secrets', 'events', 'deliveries',
    'alert_targets', 'conversations', 'messages', 'leads', 'visitor_secrets', 'unanswered_questions',
    'question_terms', 'askings', 'golden_questions', 'gone_names', 'people', 'sessions', 'audit_entries',
    'oauth_grants', 'oauth_tokens', 'search_indexes', 'bot_vectors', 'model_use'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;
end $$;
alter table workspaces enable row level security;
create policy tenant on workspaces to instep_app
  using (id = (select nullif(current_setting('instep.workspace_id', true), '')));

grant select, insert, update, delete on
  jobs, collections, articles, former_slugs, revisions, tasks, idempotency_keys, drafts, changelog_entries,
  webhook_endpoints, webhook_secrets, events, deliveries, alert_targets, conversations, messages, leads,
  unanswered_questions, question_terms, askings, golden_questions, gone_names, bot_vectors, model_use
  to instep_app;
grant select on alembic_version, workspaces, bots, visitor_secrets to instep_app;
grant update (changed_at) on bots to instep_app;
-- The hashes of keys, passwords and session tokens are not readable. The end of a key is, because a request
-- checks it again after a large body has arrived.
grant select (id, workspace_id, bot_ids, default_bot_id, expires_at, revoked_at) on api_keys to instep_app;
grant select (id, workspace_id, email, role, created_at, signed_in_at, disabled_at) on people to instep_app;
grant select (workspace_id, person_id, created_at, seen_at) on sessions to instep_app;
-- The audit log can't be altered, even through the application's own connection.
grant select, insert on audit_entries to instep_app;
grant select, insert, update on oauth_clients, oauth_grants, oauth_tokens, search_indexes to instep_app;

-- These functions run with the owner's rights, so only the application's role may call them.
do $$ declare name text; begin
  foreach name in array array[
    'count_hit', 'peek_hits', 'prune_rate_windows', 'enter_with_key', 'enter_site', 'enter_front_page',
    'purge_deleted_articles', 'prune_idempotency_keys', 'claim_deliveries', 'read_deliveries',
    'record_attempts', 'prune_events', 'enter_with_bot_key', 'is_origin_of_a_bot', 'prune_leads',
    'prune_conversations', 'prune_askings', 'find_for_sign_in', 'enter_with_session', 'begin_session',
    'end_session', 'prune_sessions', 'prune_audit_entries', 'enter_with_token', 'enter_grant', 'prune_oauth',
    'search_behind', 'vectors_behind'] loop
    execute format('revoke execute on function %I from public', name);
    execute format('grant execute on function %I to instep_app', name);
  end loop;
end $$;
revoke execute on function with_attempt, set_up_vectors from public;
