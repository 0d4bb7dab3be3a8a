"""Full text of the live articles, by language."""

from alembic import op

revision = "0006"
down_revision = "0005"

TABLE = """
-- One row an article that is live, and none of others: what is not live can't be found.
create table article_search (
  article_id text primary key,
  workspace_id text not null,
  bot_id uuid not null,
  locale text not null,
  -- The text search configuration that made `document`: questions to it are read by the same one.
  config text not null,
  -- As search_title gives it.
  title text not null,
  document tsvector not null,
  foreign key (bot_id, article_id) references articles (bot_id, id) on delete cascade
);
-- In the row itself: to fetch it from elsewhere takes longer than to rank it.
alter table article_search alter document set storage main;
create index article_search_configs on article_search (bot_id, config);
-- A search looks through all that is pending, so little is let pile up.
create index article_search_document on article_search using gin (document)
  with (gin_pending_list_limit = 512);

alter table article_search enable row level security;
create policy tenant on article_search to instep_app
  using (workspace_id = (select nullif(current_setting('instep.workspace_id', true), '')));
grant select, insert, update, delete on article_search to instep_app;
"""

CONFIG = """
-- PostgreSQL's own languages, as far as this server has them; `simple` takes words as they are.
create function search_config(p_locale text) returns regconfig language sql stable as $$
  select coalesce((select c.oid::regconfig from pg_ts_config c
    where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = case split_part(p_locale, '-', 1)
      when 'ar' then 'arabic' when 'ca' then 'catalan' when 'da' then 'danish' when 'de' then 'german'
      when 'el' then 'greek' when 'en' then 'english' when 'es' then 'spanish' when 'et' then 'estonian'
      when 'eu' then 'basque' when 'fi' then 'finnish' when 'fr' then 'french' when 'ga' then 'irish'
      when 'hi' then 'hindi' when 'hu' then 'hungarian' when 'hy' then 'armenian'
      when 'id' then 'indonesian' when 'it' then 'italian' when 'lt' then 'lithuanian'
      when 'nb' then 'norwegian' when 'ne' then 'nepali' when 'nl' then 'dutch' when 'nn' then 'norwegian'
      when 'no' then 'norwegian' when 'pt' then 'portuguese' when 'ro' then 'romanian'
      when 'ru' then 'russian' when 'sr' then 'serbian' when 'sv' then 'swedish' when 'ta' then 'tamil'
      when 'tr' then 'turkish' when 'yi' then 'yiddish' end), 'simple')
$$;
"""

# Classes of characters, as both PostgreSQL and Python read them.
# Marks are named, since what the server takes for a letter depends on the locale that it was set up with.
MARKS = (
    r"!-/:-@\[-`{-~\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u0589\u058a"
    r"\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0700-\u070d\u0964\u0965"
    r"\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f14\u104a-\u104f\u1360-\u1368\u17d4-\u17db\u1800-\u180a"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    r"\u30a0\u30fb\ufe00-\ufe0f\ufeff\ufff0-\uffff\U0001f000-\U0001faff"
)
# Thai, Lao, Myanmar, Khmer, Chinese, Japanese, and Korean, whose particles cling to the words.
SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u30ff"
    r"\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f"
    r"\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)

WORDS = rf"""
-- A text as words with blanks between them. Marks are blanks, so that `/v1/articles` is the words v1 and
-- articles whatever stands around it. Scripts without blanks become overlapping pairs: ABC is A AB BC C.
create function search_words(p_text text) returns text language plpgsql immutable as $$
declare
  v_text text := p_text;
begin
  if octet_length(v_text) > length(v_text) and v_text is not nfkc normalized then
    -- Some letters become up to 18 others.
    v_text := left(normalize(v_text, nfkc), greatest(2 * length(v_text), 1000));
  end if;
  v_text := regexp_replace(v_text, '[{MARKS}]+', ' ', 'g');
  if v_text ~ '[{SPACELESS}]' then
    v_text := regexp_replace(v_text, '([{SPACELESS}]+)', ' \1 ', 'g');
    v_text := regexp_replace(v_text, '([{SPACELESS}])', '\1 \1', 'g');
  end if;
  return v_text;
end $$;

-- What makes two titles the same to somebody who types one.
create function search_title(p_text text) returns text language sql immutable as $$
  select btrim(regexp_replace(lower(search_words(p_text)), '\s+', ' ', 'g'))
$$;
"""

DOCUMENT = """
-- A word that stands for bot and language. No text holds it, for words have no blanks.
create function search_scope(p_bot uuid, p_config text) returns text language sql immutable as $$
  select p_bot || ' ' || p_config
$$;

-- A title's words are kept as they are, too: some titles have nothing but words that a language leaves out.
create function search_row(p_article articles) returns article_search language plpgsql stable as $$
declare
  v_config regconfig := search_config(p_article.locale);
  v_title text := search_words(left(p_article.title, 1000));
  v_description text := search_words(left(p_article.description, 1000));
  v_length integer := 250000;
  v_row article_search;
begin
  v_row := (p_article.id, p_article.workspace_id, p_article.bot_id, p_article.locale, v_config::text,
    search_title(p_article.title), '');
  loop
    begin
      v_row.document := array_to_tsvector(array[search_scope(p_article.bot_id, v_config::text)])
        || setweight(to_tsvector('simple', v_title) || to_tsvector(v_config, v_title), 'A')
        || setweight(to_tsvector(v_config, coalesce(v_description, '')), 'B')
        || to_tsvector(v_config, search_words(left(p_article.content_markdown, v_length)));
      return v_row;
    -- There is a limit to the different words of a document, and no other way to know it beforehand.
    exception when program_limit_exceeded then
      v_length := v_length / 2;
    end;
  end loop;
end $$;
"""

TRIGGERS = """
create function index_article() returns trigger language plpgsql as $$
begin
  if new.status <> 'published' or new.deleted_at is not null then
    delete from article_search where article_id = new.id;
    return null;
  end if;
  insert into article_search as s select r.* from search_row(new) r
  on conflict (article_id) do update set locale = excluded.locale, config = excluded.config,
    title = excluded.title, document = excluded.document;
  return null;
end $$;

create trigger article_search_insert after insert on articles
for each row when (new.status = 'published' and new.deleted_at is null) execute function index_article();

create trigger article_search_update
after update of status, deleted_at, locale, title, description, content_markdown on articles
for each row when ('published' in (old.status, new.status) and
  (old.status, old.deleted_at, old.locale, old.title, old.description, old.content_markdown) is distinct from
  (new.status, new.deleted_at, new.locale, new.title, new.description, new.content_markdown))
execute function index_article();

insert into article_search
select r.* from articles a, search_row(a) r where a.status = 'published' and a.deleted_at is null;
"""

MATCHES = """
-- The bot's live articles that match, how many of the words each holds, how prominently, and whether its
-- title is the question. With the owner's power, for row-level security lets no index serve what is not
-- proven to leak nothing, and matching words is not; so the workspace is asked for here.
create function search_matches(
  p_bot uuid, p_config text, p_wanted tsquery, p_words tsquery[], p_ranked tsquery, p_title text)
returns table (article_id text, locale text, words integer, rank float8, is_title boolean)
language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select s.article_id, s.locale,
    (select count(*) from unnest(p_words) word where s.document @@ word)::integer,
    ts_rank(s.document, p_ranked, 16)::float8, s.title = p_title
  from article_search s
  where s.document @@ (quote_literal(search_scope(p_bot, p_config))::tsquery && p_wanted)
    and s.workspace_id = current_setting('instep.workspace_id', true)
$$;
revoke execute on function search_matches from public;
grant execute on function search_matches to instep_app;
"""


def upgrade() -> None:
    for step in (TABLE, CONFIG, WORDS, DOCUMENT, TRIGGERS, MATCHES):
        op.execute(step)
