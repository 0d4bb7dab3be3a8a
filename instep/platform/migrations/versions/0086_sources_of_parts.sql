-- The source of an imported part, its reference there, and the digest of its text there.

alter table parts add column import_source text, add column import_key text, add column import_digest text;
