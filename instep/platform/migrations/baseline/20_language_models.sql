-- The language model of each bot, and its use per bot and day.

create table language_models (
  workspace_id text not null,
  bot_id uuid not null,
  -- null: the installation's model, whose address and key the operator has set.
  provider text check (provider in ('openai', 'anthropic')),
  base_url text,
  model text,
  -- A cheaper model of the same provider for the first reading of a change.
  reader_model text,
  -- null: a server without keys.
  sealed bytea,
  last_four text,
  purposes text[] not null,
  -- null: what the installation allows.
  tokens_per_day bigint check (tokens_per_day >= 0),
  tokens_per_task bigint check (tokens_per_task > 0),
  -- Prices of a million tokens, and budgets in the same currency.
  input_price numeric check (input_price >= 0),
  output_price numeric check (output_price >= 0),
  reader_input_price numeric check (reader_input_price >= 0),
  reader_output_price numeric check (reader_output_price >= 0),
  cost_per_day numeric check (cost_per_day >= 0),
  cost_per_task numeric check (cost_per_task >= 0),
  primary key (bot_id, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id),
  check ((provider is null) = (model is null)),
  check ((sealed is null) = (last_four is null))
);

create table model_use (
  workspace_id text not null,
  bot_id uuid not null,
  day date not null,
  -- The provider's count for completed prompts; the reserved estimate for running and interrupted ones.
  tokens bigint not null check (tokens >= 0),
  cost numeric not null default 0 check (cost >= 0),
  primary key (bot_id, day, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);

-- The tokens used for each purpose, added when their number is known or given up.
create table model_purposes (
  workspace_id text not null,
  bot_id uuid not null,
  day date not null,
  purpose text not null,
  calls integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric not null,
  primary key (bot_id, day, purpose, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);

-- The prompts of work that has not ended, so that after a crash nothing is asked and paid a second time.
create table model_prompts (
  workspace_id text not null,
  bot_id uuid not null,
  -- The task or the question that the work is for.
  work_id text not null,
  digest bytea not null,
  model text not null,
  -- null: it has failed.
  completion text,
  calls integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric not null,
  created_at timestamptz not null,
  primary key (bot_id, work_id, digest, workspace_id),
  foreign key (workspace_id, bot_id) references bots (workspace_id, id)
);
