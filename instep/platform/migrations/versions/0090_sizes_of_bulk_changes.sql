-- The number of articles that a bulk change has changed, so that a list of changes does not read their states.

alter table bulk_changes add column article_count integer not null default 0;
-- Translations that changed with their originals do not count.
update bulk_changes b set article_count = (
  select count(*) from jsonb_array_elements(b.states) s
  where not exists (
    select from jsonb_array_elements(b.states) o
    where o #>> '{before,id}' = s #>> '{before,translation_of}'));
