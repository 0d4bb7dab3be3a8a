-- Translations that follow their original: the version that each was made from, and a model's purpose.

-- The version of the original that a translation was made from; null: it is no translation.
alter table articles add column translated_version integer;
update articles t set translated_version = coalesce((
    select min(r.version) from revisions r
    where r.workspace_id = a.workspace_id and r.article_id = a.id and r.created_at > t.text_changed_at),
  a.version)
from articles a where a.workspace_id = t.workspace_id and a.id = t.translation_of;

update language_models set purposes = purposes || '{translations}'
where purposes @> '{drafts,new_articles,answers,editor}';
