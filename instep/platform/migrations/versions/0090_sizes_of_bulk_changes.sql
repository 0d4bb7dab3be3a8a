-- The number of articles that a bulk change has changed, so that a list of changes does not read their states.

alter table bulk_changes add column article_count integer not null default 0;
update bulk_changes set article_count = jsonb_array_length(states);
