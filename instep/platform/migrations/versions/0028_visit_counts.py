"""What visitors read and search, counted by the day: nothing tells who they were."""

from alembic import op

revision = "0028"
down_revision = "0027"

SCHEMA = """
    create table article_views (
      workspace_id text not null,
      bot_id uuid not null,
      article_id text not null,
      day date not null,
      views integer not null check (views > 0),
      primary key (workspace_id, bot_id, day, article_id),
      foreign key (workspace_id, bot_id) references bots (workspace_id, id),
      foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
    );
    -- Deleting an article cascades along this key.
    create index article_views_article on article_views (bot_id, article_id);
    create table search_counts (
      workspace_id text not null,
      bot_id uuid not null,
      day date not null,
      -- Empty: words that are not kept.
      query text not null,
      searches integer not null check (searches > 0),
      empty_searches integer not null check (empty_searches between 0 and searches),
      primary key (workspace_id, bot_id, day, query),
      foreign key (workspace_id, bot_id) references bots (workspace_id, id)
    );
    do $$ declare name text; begin
      foreach name in array array['article_views', 'search_counts'] loop
        execute format('alter table %I enable row level security', name);
        execute format('create policy tenant on %I to instep_app
        using (workspace_id = (select nullif(current_setting(''instep.workspace_id'', true), '''')))', name);
        execute format('grant select, insert, update, delete on %I to instep_app', name);
      end loop;
    end $$;

    create function prune_visit_counts(p_age interval) returns integer
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare v_views integer; v_searches integer;
    begin
      delete from article_views where day < (now() at time zone 'utc' - p_age)::date;
      get diagnostics v_views = row_count;
      delete from search_counts where day < (now() at time zone 'utc' - p_age)::date;
      get diagnostics v_searches = row_count;
      return v_views + v_searches;
    end $$;
    revoke execute on function prune_visit_counts from public;
    grant execute on function prune_visit_counts to instep_app;
"""


def upgrade() -> None:
    op.execute(SCHEMA)
