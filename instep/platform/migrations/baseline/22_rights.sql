-- The rights of the application's role: row-level security per workspace, and grants. The default is to deny:
-- the application can't read a table that is missing here.

-- The condition is written out in each policy: a function would be called, not inlined, and would cost more
-- than the query itself.
do $$ declare name text; begin
  foreach name in array array[
    'alert_targets', 'api_keys', 'article_feedback', 'article_views', 'askings', 'audit_entries',
    'bot_synonyms', 'bots', 'deliveries', 'draft_viewers', 'erasures', 'events', 'file_references',
    'idempotency_keys', 'imports', 'invitations', 'leads', 'memberships', 'messages', 'oauth_grants',
    'oauth_tokens', 'object_chunks', 'previews', 'refused_origins', 'revisions', 'search_counts',
    'sessions', 'setup_links', 'stored_objects', 'trusts', 'webhook_endpoints', 'webhook_secrets'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;

  -- Tables that are read by bot. Within a bot's index the workspace finds nothing that the bot does not, but
  -- PostgreSQL takes both for independent: it would expect hardly a row, and join all rows of a bot with all
  -- others. The collation, which changes nothing of equality, keeps the policy's condition out of the search
  -- in an index.
  foreach name in array array[
    'article_vectors', 'articles', 'bot_vectors', 'changelog_entries', 'collections', 'conversations',
    'drafts', 'files', 'former_slugs', 'golden_questions', 'gone_names', 'import_refs', 'language_models',
    'model_prompts', 'model_purposes', 'model_use', 'places', 'question_terms', 'redirects',
    'review_digests', 'search_indexes', 'suppressed_statements', 'synced_files', 'synced_folders', 'tasks',
    'unanswered_questions', 'visitor_secrets'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app using (workspace_id collate "C" =
      (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
  end loop;

  -- Rows that belong to a person, who may be a member of several workspaces.
  foreach name in array array['passkeys', 'provider_accounts', 'recovery_codes', 'totp_secrets'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to instep_app
      using (exists (select from memberships m where m.person_id = %I.person_id and m.workspace_id =
        (select nullif(current_setting(''instep.workspace_id'', true), ''''))))', name, name);
  end loop;
end $$;
alter table people enable row level security;
create policy tenant on people to instep_app
  using (exists (select from memberships m where m.person_id = people.id and m.workspace_id =
    (select nullif(current_setting('instep.workspace_id', true), ''))));
alter table workspaces enable row level security;
create policy tenant on workspaces to instep_app
  using (id = (select nullif(current_setting('instep.workspace_id', true), '')));

grant select, insert, update, delete on
  alert_targets, article_feedback, article_vectors, article_views, articles, askings, bot_synonyms,
  bot_vectors, changelog_entries, collections, conversations, deliveries, draft_viewers, drafts, events,
  file_references, files, former_slugs, golden_questions, gone_names, idempotency_keys, import_refs,
  imports, jobs, language_models, leads, messages, model_prompts, model_purposes, model_use, object_chunks,
  passkeys, places, previews, question_terms, refused_origins, review_digests, revisions, search_counts,
  stored_objects, suppressed_statements, synced_files, synced_folders, tasks, totp_secrets,
  unanswered_questions, webhook_endpoints, webhook_secrets
  to instep_app;
grant select, insert, update on oauth_clients, oauth_grants, oauth_tokens, search_indexes, visitor_secrets
  to instep_app;
grant select, insert, delete on provider_accounts, recovery_codes, redirects to instep_app;
grant update (article_id) on redirects to instep_app;
grant select on alembic_version, backup_runs to instep_app;
grant select, update (paused_at, paused_by) on workspaces to instep_app;
grant select, insert, update (
  name, locale, origins, changed_at, accent, accent_light, accent_dark, frame, domain, claimed_domain,
  domain_claimed_at, domain_checked_at, domain_seen_at, domain_proof) on bots to instep_app;
-- The hashes of keys, passwords, links and session tokens are not readable. The end of a key is, because a
-- request checks it again after a large body has arrived.
grant select (
  id, workspace_id, name, last_four, scope, bot_ids, default_bot_id, created_at, expires_at, revoked_at,
  last_used_at, trust_id, subject_hash), insert, update (revoked_at) on api_keys to instep_app;
grant select, insert, update (used_at, revoked_at) on trusts to instep_app;
grant select (id, email, created_at, signed_in_at, unproved_in) on people to instep_app;
grant select, update (role, disabled_at), delete on memberships to instep_app;
grant select (id, workspace_id, person_id, created_at, seen_at, verified_at, browser), delete on sessions
  to instep_app;
grant select (id, workspace_id, email, role, invited_by, created_at, expires_at), insert, delete
  on invitations to instep_app;
grant select (workspace_id, person_id, expires_at) on setup_links to instep_app;
-- The audit log and the erasures can't be altered, even through the application's own connection.
grant select, insert on audit_entries, erasures to instep_app;

-- These functions run with the owner's rights, so only the application's role may call them.
do $$ declare name text; begin
  foreach name in array array[
    'accept_invitation', 'begin_session', 'change_password', 'claim_deliveries', 'count_hit',
    'create_person_of_provider', 'domains_to_check', 'end_session', 'end_sessions_of',
    'enter_front_page', 'enter_grant', 'enter_site', 'enter_with_bot_key', 'enter_with_key',
    'enter_with_session', 'enter_with_token', 'erase_visitor_windows', 'find_challenge',
    'find_for_sign_in', 'find_invitation', 'find_passkey', 'find_preview', 'find_provider_account',
    'find_setup_link', 'find_trusts', 'has_provider_account', 'has_several_workspaces', 'html_behind',
    'is_custom_domain', 'is_origin_of_a_bot', 'list_erasures', 'memberships_of', 'peek_hits',
    'prove_address', 'prune_article_feedback', 'prune_askings', 'prune_audit_entries',
    'prune_conversations', 'prune_domain_claims', 'prune_events', 'prune_idempotency_keys',
    'prune_imports', 'prune_leads', 'prune_links', 'prune_oauth', 'prune_rate_windows',
    'prune_sessions', 'prune_trust_keys', 'prune_visit_counts', 'purge_deleted_articles',
    'put_challenge', 'read_deliveries', 'record_attempts', 'removable_objects',
    'remove_unreferenced_files', 'renew_statistics', 'search_behind', 'sessions_of', 'set_up',
    'settle_domain', 'slugs_like', 'switch_session', 'take_challenge', 'use_sign_in_link',
    'vectors_behind', 'verify_session', 'waiting_work'] loop
    execute format('revoke execute on function %I from public', name);
    execute format('grant execute on function %I to instep_app', name);
  end loop;
end $$;
-- Only other functions call these two.
revoke execute on function end_ways_in, with_attempt from public;
