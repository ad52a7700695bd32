-- The database schema after all migrations. Generated: refresh it with `npm run schema`.
-- Partitions are left out; the service creates them as time goes on.

CREATE OR REPLACE FUNCTION asset_grams(organization_id uuid, serial_number text, name text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT COST 50000
AS $function$
    declare
      prefix constant text := organization_id || ':';
      serial constant text := casefold(serial_number collate pg_unicode_fast) || e'\x01\x01';
      label constant text := casefold(name collate pg_unicode_fast) || e'\x01\x01';
      grams text[];
    begin
      for position in 1 .. length(serial) - 2 loop
        grams := grams || (prefix || substr(serial, position, 3));
      end loop;
      for position in 1 .. length(label) - 2 loop
        grams := grams || (prefix || substr(label, position, 3));
      end loop;
      return array_to_tsvector(grams);
    end $function$;

CREATE OR REPLACE FUNCTION asset_grams_query(organization_id uuid, part text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
      select string_agg(
        ''''
          || replace(replace(organization_id || ':' || substr(casefold(part collate pg_unicode_fast), position, 3),
            '\', '\\'), '''', '''''')
          || '''' || case when length(part) < 3 then ':*' else '' end, ' & ')::tsquery
      from generate_series(1, greatest(length(part) - 2, 1)) as position
    $function$;

CREATE OR REPLACE FUNCTION create_partition(name text, parent text, first text, after text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if is_name_of_partition(name, parent) is not true then
        raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
      end if;
      execute format(
        'create table %I (like %I including defaults including generated including constraints including storage)',
        name, parent);
      if storage_of_partition(parent) is not null then
        execute format('alter table %I set (%s)', name, storage_of_partition(parent));
      end if;
      if exists (
        select from pg_attribute
        where attrelid = parent::regclass and attname = 'organization_id' and attstattarget = 0
      ) then
        execute format('alter table %I alter column organization_id set statistics 0', name);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, first, after);
    end $function$;

CREATE OR REPLACE FUNCTION drop_partition(name text, parent text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    begin
      if is_name_of_partition(name, parent) is not true then
        raise exception 'not the name of a partition' using errcode = 'insufficient_privilege';
      end if;
      execute format('drop table if exists %I', name);
    end $function$;

CREATE OR REPLACE FUNCTION is_name_of_partition(name text, parent text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
      select parent in ('events', 'deliveries', 'delivery_attempts', 'measurement_blocks', 'audit_entries')
        and starts_with(name, parent || '_') and substr(name, length(parent) + 2) ~ '^[0-9]{6,8}$'
    $function$;

CREATE OR REPLACE FUNCTION storage_of_partition(parent text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
      select case parent
        -- Each delivery is changed twice soon after it was made: a fifth of a day's rows, as by default, is much.
        when 'deliveries' then 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000'
        -- Rows are only added, and dropped with their partition: there is nothing to free, and nothing to freeze.
        when 'events' then 'autovacuum_vacuum_insert_threshold = -1'
        when 'delivery_attempts' then 'autovacuum_vacuum_insert_threshold = -1'
      end
    $function$;

CREATE TABLE audit_entries (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  key_id uuid,
  actor_name text COLLATE "C" NOT NULL,
  action text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  before json,
  after json,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);
CREATE INDEX audit_entries_actor_key_idx ON audit_entries USING btree (organization_id, key_id, id);
CREATE INDEX audit_entries_actor_name_idx ON audit_entries USING btree (organization_id, actor_name, id);
CREATE INDEX audit_entries_subject_idx ON audit_entries USING btree (organization_id, subject, id);
COMMENT ON TABLE audit_entries IS
  'Who changed what: a row per change, written in its transaction. Partitioned by month of the UUIDv7 id, which is also the time of the change; old partitions are dropped.';
COMMENT ON COLUMN audit_entries.key_id IS
  'Null: the change was made with the command line.';
COMMENT ON COLUMN audit_entries.actor_name IS
  'The name of the key at that time.';
COMMENT ON COLUMN audit_entries.action IS
  'The operationId.';
COMMENT ON COLUMN audit_entries.subject IS
  'The id, slug or serial number of what was changed.';
COMMENT ON COLUMN audit_entries.before IS
  'What GET showed before, without secrets. Null: nothing.';
COMMENT ON COLUMN audit_entries.after IS
  'What GET showed after, without secrets. Null: nothing.';

CREATE TABLE config_targets (
  organization_id uuid NOT NULL,
  job_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  stage smallint DEFAULT 1 NOT NULL,
  change_config_id uuid NOT NULL,
  state text NOT NULL,
  reason text,
  is_active boolean DEFAULT true NOT NULL,
  confirmed_at timestamp with time zone,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  group_id uuid,
  lost_keys text[],
  CONSTRAINT config_targets_pkey PRIMARY KEY (organization_id, job_id, asset_id),
  CONSTRAINT config_targets_stage_check CHECK (stage >= 1),
  CONSTRAINT config_targets_state_check CHECK (state = ANY (ARRAY['queued'::text, 'waiting'::text, 'sent'::text, 'applied'::text, 'failed'::text, 'cancelled'::text, 'superseded'::text, 'timed_out'::text]))
) WITH (fillfactor=45);
CREATE INDEX config_targets_active_idx ON config_targets USING btree (organization_id, asset_id) WHERE is_active;
CREATE INDEX config_targets_asset_idx ON config_targets USING btree (organization_id, asset_id, job_id);
CREATE INDEX config_targets_reason_idx ON config_targets USING btree (organization_id, job_id, asset_id) WHERE reason IS NOT NULL;
CREATE INDEX config_targets_unsettled_idx ON config_targets USING btree (organization_id, job_id, asset_id) WHERE is_active;
COMMENT ON TABLE config_targets IS
  'The devices of a job, one row each. No foreign keys: a job writes up to 100,000 rows at once.';
COMMENT ON COLUMN config_targets.stage IS
  'Of the job; the device is queued until it begins.';
COMMENT ON COLUMN config_targets.change_config_id IS
  'Id of the configuration (in configurations) that holds what the job changes on this device.';
COMMENT ON COLUMN config_targets.reason IS
  'Why the target failed, was cancelled or superseded, or timed out, as text for the customer. Else null.';
COMMENT ON COLUMN config_targets.is_active IS
  'True: the device may still come to run the change, so fetches, reports and later changes have to look at this row. It may stay true after the target has failed or timed out, and is false before the start of a scheduled job.';
COMMENT ON COLUMN config_targets.confirmed_at IS
  'When the device confirmed the change, also after the target had failed or timed out. Null: not confirmed.';
COMMENT ON COLUMN config_targets.group_id IS
  'The group for whose profile the device has the change: it is withdrawn when the device leaves the group. Null: the change was asked for by itself.';
COMMENT ON COLUMN config_targets.lost_keys IS
  'Settings of the change that another job has overwritten since, or brought so that the device confirmed them alone: what is pending of them is not pending for this target. Null: none.';

CREATE TABLE deliveries (
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  state text NOT NULL,
  attempt_count integer DEFAULT 0 NOT NULL,
  schedule_step smallint DEFAULT 0 NOT NULL,
  send_immediately boolean DEFAULT false NOT NULL,
  next_attempt_at timestamp with time zone,
  leased_until timestamp with time zone,
  last_status_code integer,
  last_error text,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  delivered_at timestamp with time zone,
  first_attempt_duration_ms integer,
  first_attempt_excerpt text,
  leased_by uuid,
  CONSTRAINT deliveries_pkey PRIMARY KEY (organization_id, endpoint_id, id),
  CONSTRAINT deliveries_attempt_count_check CHECK (attempt_count >= 0),
  CONSTRAINT deliveries_schedule_step_check CHECK (schedule_step >= 0),
  CONSTRAINT deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'retrying'::text, 'failed'::text, 'blocked'::text, 'cancelled'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_immediate_idx ON deliveries USING btree (organization_id, endpoint_id, id) WHERE state = 'retrying'::text AND send_immediately;
CREATE INDEX deliveries_leases_idx ON deliveries USING btree (leased_until) WHERE state = 'sending'::text;
CREATE INDEX deliveries_pending_idx ON deliveries USING btree (organization_id, endpoint_id, id) WHERE state = 'pending'::text;
CREATE INDEX deliveries_rare_idx ON deliveries USING btree (organization_id, endpoint_id, state, id) WHERE state = ANY (ARRAY['failed'::text, 'blocked'::text, 'cancelled'::text]);
CREATE INDEX deliveries_retrying_by_age_idx ON deliveries USING btree (organization_id, endpoint_id, id) WHERE state = 'retrying'::text;
CREATE INDEX deliveries_retrying_idx ON deliveries USING btree (organization_id, endpoint_id, next_attempt_at) WHERE state = 'retrying'::text;
COMMENT ON TABLE deliveries IS
  'The outbox: one row per event and endpoint, written in the transaction of what happened. Partitioned by day of the UUIDv7 id. No foreign keys: rows leave with their partition, and deleting an endpoint cancels its deliveries.';
COMMENT ON COLUMN deliveries.state IS
  'sending: leased by a dispatcher; the API shows it as pending. Deliveries to a disabled endpoint stay pending or retrying, and the API shows them as held. blocked: the address is not allowed.';
COMMENT ON COLUMN deliveries.attempt_count IS
  'All attempts that were made.';
COMMENT ON COLUMN deliveries.schedule_step IS
  'Attempts of the current retry schedule; a resend or a replay begins a new one.';
COMMENT ON COLUMN deliveries.send_immediately IS
  'True: one attempt was asked for, whatever the health of the endpoint.';
COMMENT ON COLUMN deliveries.next_attempt_at IS
  'Null unless another attempt is planned.';
COMMENT ON COLUMN deliveries.leased_until IS
  'Until when the dispatcher that claimed the delivery may work on it; then another may take it. Null: not claimed.';
COMMENT ON COLUMN deliveries.last_status_code IS
  'HTTP status of the last attempt. Null: none yet, or no answer.';
COMMENT ON COLUMN deliveries.last_error IS
  'What went wrong in the last attempt, as text that names no internal address. Null: nothing.';
COMMENT ON COLUMN deliveries.delivered_at IS
  'Time of a first attempt that succeeded. Such an attempt, which is the usual case, is stored here instead of in delivery_attempts, and moves there when another attempt follows. Else null, also for later successes.';
COMMENT ON COLUMN deliveries.first_attempt_duration_ms IS
  'Null where delivered_at is.';
COMMENT ON COLUMN deliveries.first_attempt_excerpt IS
  'Beginning of the answer to it, escaped. Null: no body.';
COMMENT ON COLUMN deliveries.leased_by IS
  'The process that claimed the delivery. Null: not claimed.';
COMMENT ON INDEX deliveries_leases_idx IS
  'Without organization_id: the worker releases expired leases of all organizations at once.';

CREATE TABLE delivery_attempts (
  organization_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  attempt_number integer NOT NULL,
  attempted_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error text,
  response_excerpt text,
  CONSTRAINT delivery_attempts_pkey PRIMARY KEY (organization_id, delivery_id, attempt_number),
  CONSTRAINT delivery_attempts_attempt_number_check CHECK (attempt_number >= 1),
  CONSTRAINT delivery_attempts_duration_ms_check CHECK (duration_ms >= 0)
) PARTITION BY RANGE (delivery_id);
COMMENT ON TABLE delivery_attempts IS
  'Attempts of deliveries, but for a first one that succeeded (see deliveries.delivered_at). Partitioned like deliveries, by day of the UUIDv7 id of the delivery. No foreign key: rows leave with their partition.';
COMMENT ON COLUMN delivery_attempts.status_code IS
  'HTTP status. Null: no answer.';
COMMENT ON COLUMN delivery_attempts.error IS
  'What went wrong, as text that names no internal address. Null: nothing.';
COMMENT ON COLUMN delivery_attempts.response_excerpt IS
  'Beginning of the answer, at most 1 KiB, escaped. Null: no answer.';

CREATE TABLE delivery_replays (
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  next_id uuid NOT NULL,
  end_id uuid NOT NULL,
  states text[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT delivery_replays_pkey PRIMARY KEY (organization_id, endpoint_id, id),
  CONSTRAINT delivery_replays_states_check CHECK (states <@ ARRAY['delivered'::text, 'failed'::text, 'blocked'::text, 'cancelled'::text] AND cardinality(states) > 0)
);
COMMENT ON TABLE delivery_replays IS
  'Replays that customers asked for and that are not queued completely; the worker queues their deliveries bit by bit.';
COMMENT ON COLUMN delivery_replays.next_id IS
  'Deliveries with smaller ids are queued already.';
COMMENT ON COLUMN delivery_replays.end_id IS
  'The first id that does not belong to the replay.';
COMMENT ON COLUMN delivery_replays.states IS
  'Which deliveries: those that had one of these states when the replay was asked for.';

CREATE TABLE endpoint_hours (
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  slot smallint NOT NULL,
  hour timestamp with time zone NOT NULL,
  delivered integer NOT NULL,
  failed integer NOT NULL,
  duration_ms bigint NOT NULL,
  duration_max_ms integer NOT NULL,
  CONSTRAINT endpoint_hours_pkey PRIMARY KEY (organization_id, endpoint_id, slot),
  CONSTRAINT endpoint_hours_slot_check CHECK (slot >= 0 AND slot <= 167)
) WITH (fillfactor=50);
COMMENT ON TABLE endpoint_hours IS
  'Attempts of an endpoint per hour, of the last week: each hour of the week has one row, which is begun anew. Written with endpoints.last_attempt_at; what a process that was killed had not written is not counted.';
COMMENT ON COLUMN endpoint_hours.slot IS
  'The hour modulo 168.';
COMMENT ON COLUMN endpoint_hours.hour IS
  'Its beginning. A row of more than a week ago was not written since.';
COMMENT ON COLUMN endpoint_hours.failed IS
  'Attempts that the receiver did not take, retries among them.';
COMMENT ON COLUMN endpoint_hours.duration_ms IS
  'Of all attempts, added up.';

CREATE TABLE escalation_changes (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  policy_id uuid,
  muted_until timestamp with time zone,
  after_alert_id uuid,
  CONSTRAINT escalation_changes_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT escalation_changes_muted_key UNIQUE (organization_id, muted_until),
  CONSTRAINT escalation_changes_policy_key UNIQUE (organization_id, policy_id),
  CONSTRAINT escalation_changes_subject_check CHECK ((policy_id IS NULL) <> (muted_until IS NULL))
);
COMMENT ON TABLE escalation_changes IS
  'What open escalations are yet to follow. A sweep goes through them in chunks, and deletes the row at the end.';
COMMENT ON COLUMN escalation_changes.policy_id IS
  'It was changed, disabled or deleted. Null: a mute has ended.';
COMMENT ON COLUMN escalation_changes.muted_until IS
  'A mute was to last until then, and has ended earlier. Null: a policy has changed.';
COMMENT ON COLUMN escalation_changes.after_alert_id IS
  'The last alert that is done. Null: none is.';

CREATE TABLE escalation_policies (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  name text NOT NULL,
  alert_types text[] NOT NULL,
  severities text[] NOT NULL,
  group_ids uuid[] NOT NULL,
  steps jsonb NOT NULL,
  channel_ids uuid[] NOT NULL,
  repeat_minutes integer,
  status text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  disabled_at timestamp with time zone,
  CONSTRAINT escalation_policies_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT escalation_policies_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text]))
);
COMMENT ON TABLE escalation_policies IS
  'Who is notified of an alert, step by step, until somebody acknowledges it.';
COMMENT ON COLUMN escalation_policies.alert_types IS
  'The types of alerts that it is for.';
COMMENT ON COLUMN escalation_policies.severities IS
  'The severities of alerts that it is for.';
COMMENT ON COLUMN escalation_policies.group_ids IS
  'Only alerts of assets in these groups. Empty: of all.';
COMMENT ON COLUMN escalation_policies.steps IS
  'In order: afterMinutes, counted from the beginning of the escalation, and channelIds.';
COMMENT ON COLUMN escalation_policies.channel_ids IS
  'The notification channels of all steps.';
COMMENT ON COLUMN escalation_policies.repeat_minutes IS
  'The last step is repeated after so long, a few times. Null: it is not.';
COMMENT ON COLUMN escalation_policies.disabled_at IS
  'When it was last disabled: escalations that began until then have ended. Null: never.';

CREATE TABLE events (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  trace text,
  serial_number text,
  CONSTRAINT events_pkey PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);
COMMENT ON TABLE events IS
  'What happened, serialised once for all endpoints that it is delivered to. Partitioned by day: ids are UUIDv7, so a range of ids is a range of times. No foreign key: rows leave with their partition.';
COMMENT ON COLUMN events.body IS
  'JSON text exactly as it is signed and sent.';
COMMENT ON COLUMN events.trace IS
  'The traceparent (W3C Trace Context) of the request or message that it follows from. Null: traces are off.';
COMMENT ON COLUMN events.serial_number IS
  'Of the device that it is about. Null: about none.';

CREATE TABLE group_withdrawals (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  group_id uuid NOT NULL,
  last_job_id uuid NOT NULL,
  reason text NOT NULL,
  is_deletion boolean NOT NULL,
  after_asset_id uuid,
  workflow_checked_at timestamp with time zone,
  created_by jsonb,
  CONSTRAINT group_withdrawals_pkey PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE group_withdrawals IS
  'Very large groups that have another profile now, or were deleted: the change of their former profile is withdrawn from the members chunk by chunk. Removed when all are done.';
COMMENT ON COLUMN group_withdrawals.last_job_id IS
  'Of the organization, when the group was changed: what later jobs offer stays.';
COMMENT ON COLUMN group_withdrawals.reason IS
  'Why targets are cancelled, for the customer.';
COMMENT ON COLUMN group_withdrawals.is_deletion IS
  'Members leave the group, and then it is removed.';
COMMENT ON COLUMN group_withdrawals.after_asset_id IS
  'The last member that is done. Null: none is.';
COMMENT ON COLUMN group_withdrawals.workflow_checked_at IS
  'When the run of the withdrawal last made a step, or was last looked for. Null: it has to be started.';
COMMENT ON COLUMN group_withdrawals.created_by IS
  'Who changed or deleted the group: key and name, as in audit_entries. Null: a release that kept it in audit_entries alone.';

CREATE TABLE ingress_heartbeats (
  ingress text NOT NULL,
  beat_at timestamp with time zone NOT NULL,
  CONSTRAINT ingress_heartbeats_pkey PRIMARY KEY (ingress),
  CONSTRAINT ingress_heartbeats_ingress_check CHECK (ingress = ANY (ARRAY['api'::text, 'gateway'::text]))
);
COMMENT ON TABLE ingress_heartbeats IS
  'When each ingress for devices was last open, one row per kind of process. Of the service itself, not of an organization; on Citus a reference table.';
COMMENT ON COLUMN ingress_heartbeats.ingress IS
  'api: HTTP; gateway: CoAP.';
COMMENT ON COLUMN ingress_heartbeats.beat_at IS
  'On the clock of the database, the same for all machines.';

CREATE TABLE ingress_outages (
  ingress text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT ingress_outages_pkey PRIMARY KEY (ingress, started_at),
  CONSTRAINT ingress_outages_ingress_check CHECK (ingress = ANY (ARRAY['api'::text, 'gateway'::text])),
  CONSTRAINT ingress_outages_period_check CHECK (ended_at >= started_at)
);
COMMENT ON TABLE ingress_outages IS
  'When no process of a kind was running, so that devices could not reach the service that way; the deadlines of devices are extended by these times. Kept for 30 days. On Citus a reference table.';
COMMENT ON COLUMN ingress_outages.started_at IS
  'The last heartbeat before the outage.';
COMMENT ON COLUMN ingress_outages.ended_at IS
  'The first heartbeat after it.';

CREATE TABLE leases (
  name text NOT NULL,
  owner uuid NOT NULL,
  leased_until timestamp with time zone NOT NULL,
  CONSTRAINT leases_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE leases IS
  'Work that one process at a time does, one row each. Of the service itself, not of an organization; on Citus a reference table.';
COMMENT ON COLUMN leases.owner IS
  'Chosen by the process when it started.';
COMMENT ON COLUMN leases.leased_until IS
  'On the clock of the database. A process that does not renew the lease by then has lost it.';

CREATE TABLE mail_addresses (
  organization_id uuid NOT NULL,
  address_key text NOT NULL,
  link_hash bytea,
  link_expires_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  CONSTRAINT mail_addresses_pkey PRIMARY KEY (organization_id, address_key),
  CONSTRAINT mail_addresses_link_check CHECK ((link_hash IS NULL) = (link_expires_at IS NULL))
);
CREATE INDEX mail_addresses_link_idx ON mail_addresses USING btree (organization_id, link_hash) WHERE link_hash IS NOT NULL;
COMMENT ON TABLE mail_addresses IS
  'Addresses of notification channels, and whether their owners have confirmed that they want mail.';
COMMENT ON COLUMN mail_addresses.address_key IS
  'The address in lower case.';
COMMENT ON COLUMN mail_addresses.link_hash IS
  'SHA-256 of the secret in the link that confirms. Null: there is none that works.';
COMMENT ON COLUMN mail_addresses.link_expires_at IS
  'Null: there is no link that works.';
COMMENT ON COLUMN mail_addresses.confirmed_at IS
  'Null: not confirmed, so it gets the link alone.';

CREATE TABLE measurement_blocks (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  received_at timestamp with time zone NOT NULL,
  channel smallint NOT NULL,
  type smallint NOT NULL,
  scale smallint NOT NULL,
  late boolean NOT NULL,
  steps smallint[],
  numbers double precision[],
  errors integer[],
  offsets_ms integer[],
  run_lengths smallint[],
  run_delays_ms integer[],
  period_seconds integer,
  fresh_hour integer,
  place integer GENERATED ALWAYS AS (
CASE
    WHEN (fresh_hour IS NOT NULL) THEN fresh_hour
    WHEN (last_at = first_at) THEN 0
    WHEN ((last_at - first_at) <= '00:01:00'::interval) THEN 1
    WHEN ((last_at - first_at) <= '01:00:00'::interval) THEN 60
    ELSE 1440
END) STORED NOT NULL,
  CONSTRAINT measurement_blocks_pkey PRIMARY KEY (organization_id, place, asset_id, last_at, channel),
  CONSTRAINT measurement_blocks_channel_check CHECK (channel >= 1 AND channel <= 6),
  CONSTRAINT measurement_blocks_values_check CHECK ((steps IS NULL) <> (numbers IS NULL))
) PARTITION BY RANGE (last_at);
COMMENT ON TABLE measurement_blocks IS
  'Readings, many to a row: those of a frame, or of a whole day once it is compacted, that share channel, type, lateness and UTC day. A reading is in one block only: intake excludes duplicates under the lock of the device state. Partitioned by month. No foreign key: rows leave with their partition, and assets are never deleted.';
COMMENT ON COLUMN measurement_blocks.first_at IS
  'Time of the first reading, on the clock of the device; in the same UTC day as last_at.';
COMMENT ON COLUMN measurement_blocks.last_at IS
  'Time of the last reading.';
COMMENT ON COLUMN measurement_blocks.received_at IS
  'Arrival; with run_delays_ms, the earliest one.';
COMMENT ON COLUMN measurement_blocks.channel IS
  'From 1, as on the device.';
COMMENT ON COLUMN measurement_blocks.type IS
  'Number of the measurement type in the protocol of the device.';
COMMENT ON COLUMN measurement_blocks.scale IS
  'Decimal places of steps: a value is step / 10^scale.';
COMMENT ON COLUMN measurement_blocks.late IS
  'True: on arrival the readings were older than a day or not newer than their channel, so no alert was opened or closed by them.';
COMMENT ON COLUMN measurement_blocks.steps IS
  'Values in the unit of the type times 10^scale, by time. Null as a whole: they are in numbers; null as an element: the sensor reported an error.';
COMMENT ON COLUMN measurement_blocks.numbers IS
  'The values where steps cannot hold them exactly. Null as a whole: they are in steps; null as an element: the sensor reported an error.';
COMMENT ON COLUMN measurement_blocks.errors IS
  'Error codes of the sensor by position. Null as a whole: no errors; null as an element: there is a value.';
COMMENT ON COLUMN measurement_blocks.offsets_ms IS
  'Time of each reading after first_at. Null: they are evenly spaced from first_at to last_at.';
COMMENT ON COLUMN measurement_blocks.run_lengths IS
  'How many consecutive readings arrived together. Null: all did, at received_at.';
COMMENT ON COLUMN measurement_blocks.run_delays_ms IS
  'Arrival of each run after received_at. Null: one arrival.';
COMMENT ON COLUMN measurement_blocks.period_seconds IS
  'Between two readings, as the frame tells it. Null: it does not.';
COMMENT ON COLUMN measurement_blocks.fresh_hour IS
  'Hours from 1970 to last_at, for a block as it was sent that is not late and at most an hour long. Null: any other, and every block of a compacted day.';
COMMENT ON COLUMN measurement_blocks.place IS
  'Where the block lies in the key. Fresh ones lie hour by hour, so that loggers that send within an hour write to few pages of the index: each page is logged as a whole once after a checkpoint. Others lie by asset, apart by how long they are, in minutes (0, 1, 60 or 1440): whoever looks for blocks around a time reads as far beyond it as those of each length reach.';

CREATE TABLE mutes (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  asset_id uuid,
  group_id uuid,
  starts_at timestamp with time zone DEFAULT now() NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  reason text NOT NULL,
  actor jsonb NOT NULL,
  CONSTRAINT mutes_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT mutes_end_check CHECK (ends_at >= starts_at),
  CONSTRAINT mutes_target_check CHECK (num_nonnulls(asset_id, group_id) = 1)
);
CREATE INDEX mutes_asset_idx ON mutes USING btree (organization_id, asset_id, ends_at) WHERE asset_id IS NOT NULL;
CREATE INDEX mutes_end_idx ON mutes USING btree (organization_id, ends_at);
CREATE INDEX mutes_group_idx ON mutes USING btree (organization_id, group_id, ends_at) WHERE group_id IS NOT NULL;
COMMENT ON TABLE mutes IS
  'Times of maintenance, in which nobody is notified of the alerts of an asset or of the members of a group. Of one asset or group they do not overlap: a mute that is replaced ends when the next one begins. Rows stay for the statistics.';
COMMENT ON COLUMN mutes.asset_id IS
  'Null: the members of a group are muted.';
COMMENT ON COLUMN mutes.group_id IS
  'The group may be deleted by now; its mute ended then. Null: a single asset is muted.';
COMMENT ON COLUMN mutes.ends_at IS
  'As it was asked for, or earlier where it was ended or replaced.';
COMMENT ON COLUMN mutes.actor IS
  'Who muted: key and name, as in audit_entries.';

CREATE TABLE notification_alerts (
  organization_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  kind text NOT NULL,
  due_at timestamp with time zone,
  notified_at timestamp with time zone,
  was_over boolean DEFAULT false NOT NULL,
  CONSTRAINT notification_alerts_pkey PRIMARY KEY (organization_id, alert_id, channel_id, kind),
  CONSTRAINT notification_alerts_kind_check CHECK (kind = ANY (ARRAY['opening'::text, 'end'::text]))
);
CREATE INDEX notification_alerts_channel_idx ON notification_alerts USING btree (organization_id, channel_id, due_at);
COMMENT ON TABLE notification_alerts IS
  'What each notification channel is yet to say of each alert. Inserted with the event of the alert; everything else is done under the lock of the channel. Removed when the alert is over and that was said, or need not be.';
COMMENT ON COLUMN notification_alerts.kind IS
  'opening: the alert opened; it stays for the reminders. end: the alert is over.';
COMMENT ON COLUMN notification_alerts.due_at IS
  'Null: an opening that was notified, without a reminder to come.';
COMMENT ON COLUMN notification_alerts.notified_at IS
  'When the opening was first put into a notification. Null: not yet.';
COMMENT ON COLUMN notification_alerts.was_over IS
  'The alert was over when its opening was queued: it is mentioned once.';

CREATE TABLE notification_channels (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  target text NOT NULL,
  sealed_target bytea,
  secret bytea,
  alert_types text[] NOT NULL,
  group_ids uuid[] NOT NULL,
  delay_minutes integer NOT NULL,
  reminder_minutes integer,
  quiet_hours jsonb,
  status text NOT NULL,
  is_confirmed boolean DEFAULT true NOT NULL,
  gathered_at timestamp with time zone,
  last_sent_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  steps_gathered_at timestamp with time zone,
  name text,
  CONSTRAINT notification_channels_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT notification_channels_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text])),
  CONSTRAINT notification_channels_type_check CHECK (type = ANY (ARRAY['email'::text, 'slack'::text, 'webhook'::text]))
);
COMMENT ON TABLE notification_channels IS
  'Where people are notified of alerts: an e-mail address, a Slack URL or a webhook.';
COMMENT ON COLUMN notification_channels.target IS
  'The address or URL as answers show it: that of a Slack channel without its path, which is a secret.';
COMMENT ON COLUMN notification_channels.sealed_target IS
  'The whole URL, encrypted. Null: target is whole.';
COMMENT ON COLUMN notification_channels.secret IS
  'Signs messages to a webhook; encrypted. Null: none.';
COMMENT ON COLUMN notification_channels.alert_types IS
  'The types of alerts that it is for.';
COMMENT ON COLUMN notification_channels.group_ids IS
  'Only alerts of assets in these groups. Empty: of all.';
COMMENT ON COLUMN notification_channels.reminder_minutes IS
  'While an alert is open, it is mentioned again after so long. Null: once.';
COMMENT ON COLUMN notification_channels.quiet_hours IS
  'from and to as HH:MM and timezone: nothing is sent between. Null: none.';
COMMENT ON COLUMN notification_channels.is_confirmed IS
  'False: an e-mail address whose owner has not confirmed it; it is sent nothing but the link that does.';
COMMENT ON COLUMN notification_channels.gathered_at IS
  'When alerts were last gathered into a notification. Null: never.';
COMMENT ON COLUMN notification_channels.last_sent_at IS
  'Null: nothing was sent yet.';
COMMENT ON COLUMN notification_channels.last_error IS
  'Why the latest attempt failed. Null: it did not, or there was none.';
COMMENT ON COLUMN notification_channels.steps_gathered_at IS
  'When steps of escalations were last gathered into messages. Null: never.';
COMMENT ON COLUMN notification_channels.name IS
  'Shown in place of the address. Null: the address is shown. Several channels may share a name.';

CREATE TABLE notifications (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  channel_id uuid NOT NULL,
  content jsonb NOT NULL,
  state text DEFAULT 'pending'::text NOT NULL,
  attempt_count integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone,
  leased_by uuid,
  leased_until timestamp with time zone,
  last_error text,
  created_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  is_escalation boolean DEFAULT false NOT NULL,
  CONSTRAINT notifications_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT notifications_channel_fkey FOREIGN KEY (organization_id, channel_id) REFERENCES notification_channels(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT notifications_state_check CHECK (state = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text]))
);
CREATE INDEX notifications_due_idx ON notifications USING btree (organization_id, channel_id, next_attempt_at) WHERE state = 'pending'::text;
CREATE INDEX notifications_ended_idx ON notifications USING btree (created_at) WHERE state <> 'pending'::text;
CREATE INDEX notifications_later_idx ON notifications USING btree (organization_id, channel_id, id);
COMMENT ON TABLE notifications IS
  'Messages to notification channels: the outbox of what people are sent.';
COMMENT ON COLUMN notifications.content IS
  'Subject and text for people, and the data that a webhook gets, as they were when the message was made.';
COMMENT ON COLUMN notifications.next_attempt_at IS
  'Null when it is sent or failed, or is a step of an escalation that is not gathered yet.';
COMMENT ON COLUMN notifications.leased_by IS
  'The process that sends it. Null: none does.';
COMMENT ON COLUMN notifications.leased_until IS
  'After that another process may send it. Null: any may.';
COMMENT ON COLUMN notifications.last_error IS
  'Why the latest attempt failed. Null: it did not, or there was none.';
COMMENT ON COLUMN notifications.sent_at IS
  'Null: it is not sent.';
COMMENT ON COLUMN notifications.is_escalation IS
  'A step of an escalation: quiet hours of the channel do not hold it.';
COMMENT ON INDEX notifications_ended_idx IS
  'Without organization_id: retention over all organizations.';
COMMENT ON INDEX notifications_later_idx IS
  'For the later messages of a channel, and for the messages of a deleted one.';

CREATE TABLE operator_sessions (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  link_hash bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  key_id uuid,
  link_expires_at timestamp with time zone NOT NULL,
  started_at timestamp with time zone,
  expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  invited_by uuid,
  CONSTRAINT operator_sessions_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT operator_sessions_inviter_fkey FOREIGN KEY (organization_id, invited_by) REFERENCES operator_sessions(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT operator_sessions_role_check CHECK (role = ANY (ARRAY['admin'::text, 'write'::text, 'read'::text])),
  CONSTRAINT operator_sessions_started_check CHECK ((started_at IS NULL) = (expires_at IS NULL))
);
CREATE INDEX operator_sessions_inviter_idx ON operator_sessions USING btree (organization_id, invited_by) WHERE invited_by IS NOT NULL;
COMMENT ON TABLE operator_sessions IS
  'Sign-in links of the operators'' page, and the sessions that they have begun.';
COMMENT ON COLUMN operator_sessions.link_hash IS
  'SHA-256 of the secret in the link.';
COMMENT ON COLUMN operator_sessions.name IS
  'Of the person, for the audit trail.';
COMMENT ON COLUMN operator_sessions.key_id IS
  'The key that asked for the link: the session ends with it. Null: the command line.';
COMMENT ON COLUMN operator_sessions.started_at IS
  'When the link was used, which it is once. Null: not yet.';
COMMENT ON COLUMN operator_sessions.expires_at IS
  'The end of the session. Null: it has not begun.';
COMMENT ON COLUMN operator_sessions.invited_by IS
  'The session without a key in which the link was made: the session ends with it. Null: a key or the command line.';

CREATE TABLE organizations (
  id uuid DEFAULT uuidv7() NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  requires_device_tokens boolean DEFAULT false NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_name_key UNIQUE (name)
);
COMMENT ON TABLE organizations IS
  'Customers: each row of a tenant table belongs to one of them. On Citus a reference table: a copy on every node, so that distributed tables can refer to it.';
COMMENT ON COLUMN organizations.requires_device_tokens IS
  'True: tokens that are good for all devices of the organization are refused.';

CREATE TABLE api_keys (
  id uuid DEFAULT uuidv7() NOT NULL,
  organization_id uuid NOT NULL,
  kind text NOT NULL,
  hash bytea NOT NULL,
  token_preview text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  name text,
  role text,
  serial_key text COLLATE "C",
  last_used_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_hash_key UNIQUE (hash),
  CONSTRAINT api_keys_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT api_keys_kind_check CHECK (kind = ANY (ARRAY['customer'::text, 'device'::text])),
  CONSTRAINT api_keys_role_check CHECK ((kind = 'customer'::text) = (role IS NOT NULL) AND (role = ANY (ARRAY['admin'::text, 'write'::text, 'read'::text]))),
  CONSTRAINT api_keys_serial_key_check CHECK (serial_key IS NULL OR kind = 'device'::text)
);
CREATE INDEX api_keys_organization_idx ON api_keys USING btree (organization_id, id) WHERE serial_key IS NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_serial_idx ON api_keys USING btree (organization_id, serial_key) WHERE serial_key IS NOT NULL AND revoked_at IS NULL;
COMMENT ON TABLE api_keys IS
  'API keys of organizations. On Citus a reference table: a key is looked up by its hash before the organization is known, and the hash has to be unique across organizations.';
COMMENT ON COLUMN api_keys.kind IS
  'customer: for the API; device: for loggers and gateways that send readings.';
COMMENT ON COLUMN api_keys.hash IS
  'SHA-256 of the token. The token is random, so a fast hash is enough; the token itself is not stored.';
COMMENT ON COLUMN api_keys.token_preview IS
  'The first characters of the token, for people to tell their keys apart.';
COMMENT ON COLUMN api_keys.expires_at IS
  'Null: the key does not expire.';
COMMENT ON COLUMN api_keys.revoked_at IS
  'Null: the key has not been revoked.';
COMMENT ON COLUMN api_keys.name IS
  'What people call the key. Null: it was made without a name, and its first characters stand for it.';
COMMENT ON COLUMN api_keys.role IS
  'What a customer key may do: read, write, or admin, which also manages keys. Null on device keys.';
COMMENT ON COLUMN api_keys.serial_key IS
  'The serial number in lower case that a device token is good for. Null: for all of the organization.';
COMMENT ON COLUMN api_keys.last_used_at IS
  'At most an hour before the last use, because it is written once an hour. Null: not used since it is written, or the token of a single device, for which it is never written.';

CREATE TABLE certificate_chunks (
  organization_id uuid NOT NULL,
  content_id uuid NOT NULL,
  position integer NOT NULL,
  content bytea STORAGE EXTERNAL NOT NULL,
  CONSTRAINT certificate_chunks_pkey PRIMARY KEY (organization_id, content_id, "position"),
  CONSTRAINT certificate_chunks_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE certificate_chunks IS
  'The content of certificates in pieces, so that it is written and read without being held in memory.';
COMMENT ON COLUMN certificate_chunks.content IS
  'Stored uncompressed: files like these are compressed already.';

CREATE TABLE certificate_removals (
  organization_id uuid NOT NULL,
  content_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT certificate_removals_pkey PRIMARY KEY (organization_id, content_id),
  CONSTRAINT certificate_removals_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX certificate_removals_due_idx ON certificate_removals USING btree (due_at);
COMMENT ON TABLE certificate_removals IS
  'Contents that no certificate refers to: of uploads that are under way or broke off, and of replaced certificates.';
COMMENT ON INDEX certificate_removals_due_idx IS
  'Not by organization: a sweep removes what is due in all of them.';

CREATE TABLE certificates (
  organization_id uuid NOT NULL,
  serial_key text COLLATE "C" NOT NULL,
  content_id uuid NOT NULL,
  size_bytes integer NOT NULL,
  sha256 bytea NOT NULL,
  uploaded_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT certificates_pkey PRIMARY KEY (organization_id, serial_key),
  CONSTRAINT certificates_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT certificates_size_bytes_check CHECK (size_bytes >= 0)
);
COMMENT ON TABLE certificates IS
  'Calibration certificates by serial number, so that they stay with the logger when it moves to another asset.';
COMMENT ON COLUMN certificates.serial_key IS
  'The serial number in lower case.';
COMMENT ON COLUMN certificates.content_id IS
  'Id of its chunks in certificate_chunks; each upload has a new one.';

CREATE TABLE config_jobs (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  profile_slug text NOT NULL,
  profile_snapshot jsonb NOT NULL,
  rollout jsonb,
  current_stage smallint DEFAULT 1 NOT NULL,
  stage_count smallint DEFAULT 1 NOT NULL,
  status text DEFAULT 'running'::text NOT NULL,
  target_count integer NOT NULL,
  target_counts jsonb,
  retry_of_job_id uuid,
  deadline_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone,
  workflow_checked_at timestamp with time zone,
  is_beginning_stage boolean DEFAULT false NOT NULL,
  purge_checked_at timestamp with time zone,
  start_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  reason text,
  created_by jsonb,
  origin jsonb,
  CONSTRAINT config_jobs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT config_jobs_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT config_jobs_stage_check CHECK (current_stage >= 0 AND current_stage <= stage_count),
  CONSTRAINT config_jobs_status_check CHECK (status = ANY (ARRAY['scheduled'::text, 'running'::text, 'succeeded'::text, 'completed_with_failures'::text, 'aborted'::text, 'cancelled'::text])),
  CONSTRAINT config_jobs_target_count_check CHECK (target_count >= 0)
);
CREATE INDEX config_jobs_ended_idx ON config_jobs USING btree (COALESCE(purge_checked_at, finished_at)) WHERE finished_at IS NOT NULL;
CREATE INDEX config_jobs_retries_idx ON config_jobs USING btree (organization_id, retry_of_job_id) WHERE retry_of_job_id IS NOT NULL;
CREATE INDEX config_jobs_scheduled_idx ON config_jobs USING btree (start_at) WHERE status = 'scheduled'::text;
CREATE INDEX config_jobs_status_idx ON config_jobs USING btree (organization_id, status, id);
CREATE INDEX config_jobs_troubled_idx ON config_jobs USING btree (organization_id, finished_at) WHERE status = ANY (ARRAY['aborted'::text, 'completed_with_failures'::text]);
CREATE INDEX config_jobs_without_workflow_idx ON config_jobs USING btree (COALESCE(workflow_checked_at, '-infinity'::timestamp with time zone)) WHERE status = 'running'::text;
COMMENT ON TABLE config_jobs IS
  'Jobs that apply one profile to many devices and run until each device has confirmed, failed or timed out.';
COMMENT ON COLUMN config_jobs.profile_slug IS
  'Of the profile when it was applied; no reference to it.';
COMMENT ON COLUMN config_jobs.profile_snapshot IS
  'alerts, schedule and intervals of the profile when it was applied; null for what it does not set.';
COMMENT ON COLUMN config_jobs.rollout IS
  'Share of the devices that go first and what has to hold of them before the rest begins, in percent. Null: all at once.';
COMMENT ON COLUMN config_jobs.current_stage IS
  'The stage that is under way, from 1 to stage_count. 0: the run of the job begins the first one.';
COMMENT ON COLUMN config_jobs.target_count IS
  'Devices of the job, all stages together.';
COMMENT ON COLUMN config_jobs.target_counts IS
  'Targets per state when the job finished. Null while it runs: then they are counted from config_targets.';
COMMENT ON COLUMN config_jobs.retry_of_job_id IS
  'The job whose failed devices this one takes up; it may have been removed since. Null: no retry.';
COMMENT ON COLUMN config_jobs.finished_at IS
  'Null: the job is scheduled or running.';
COMMENT ON COLUMN config_jobs.workflow_checked_at IS
  'When the workflow of the job last read its progress; long ago or null means that it has to be started (again).';
COMMENT ON COLUMN config_jobs.is_beginning_stage IS
  'True: the stage after current_stage has begun for part of its devices; the others follow in chunks.';
COMMENT ON COLUMN config_jobs.purge_checked_at IS
  'When the retention last kept targets of the job, because they tell what their devices run. Null: never.';
COMMENT ON COLUMN config_jobs.start_at IS
  'From when on the change is offered. Null: at once.';
COMMENT ON COLUMN config_jobs.cancel_requested_at IS
  'When a customer cancelled the job: a large one is running until all its changes are withdrawn. Null: nobody has.';
COMMENT ON COLUMN config_jobs.reason IS
  'Why the job was aborted, as text for the customer. Else null.';
COMMENT ON COLUMN config_jobs.created_by IS
  'Key and name, as in audit_entries. Null: begun by a release that kept it in audit_entries alone.';
COMMENT ON COLUMN config_jobs.origin IS
  'Operation, scope and group of the request that began the job. Null: begun by a release that did not store it.';
COMMENT ON INDEX config_jobs_ended_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';
COMMENT ON INDEX config_jobs_scheduled_idx IS
  'Without organization_id: the worker looks for scheduled jobs that are due in all organizations at once.';
COMMENT ON INDEX config_jobs_without_workflow_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE configurations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  content json NOT NULL,
  last_used_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT configurations_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT configurations_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX configurations_last_used_idx ON configurations USING btree (last_used_at);
COMMENT ON TABLE configurations IS
  'Device configurations, immutable and content-addressed: devices with the same configuration share one row. What nothing refers to is removed. Columns that point here have no foreign key, which would cost a check per device whenever a profile is applied.';
COMMENT ON COLUMN configurations.id IS
  'UUIDv8 made from a SHA-256 of the organization and the content: whoever has the content knows the id.';
COMMENT ON COLUMN configurations.content IS
  'Seconds, degrees Celsius and minutes. A key that is absent says nothing about the device. Type json keeps the text.';
COMMENT ON COLUMN configurations.last_used_at IS
  'When a row was last made to refer to this one, to within a day, or the collector last found a reference.';
COMMENT ON INDEX configurations_last_used_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE endpoints (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  collection text NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  status text NOT NULL,
  disabled_reason text,
  events text[] NOT NULL,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  breaker text DEFAULT 'closed'::text NOT NULL,
  failing_since timestamp with time zone,
  next_probe_at timestamp with time zone,
  recovered_at timestamp with time zone,
  last_delivered_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  last_status text,
  last_status_code integer,
  last_error text,
  workflow_checked_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  enabled_at timestamp with time zone,
  deleted_at timestamp with time zone,
  workflow_due_at timestamp with time zone,
  disabled_at timestamp with time zone,
  draining_since timestamp with time zone,
  CONSTRAINT endpoints_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT endpoints_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT endpoints_breaker_check CHECK (breaker = ANY (ARRAY['closed'::text, 'open'::text, 'draining'::text])),
  CONSTRAINT endpoints_collection_check CHECK (collection = ANY (ARRAY['cellular'::text, 'event'::text])),
  CONSTRAINT endpoints_disabled_reason_check CHECK ((status = 'active'::text) = (disabled_reason IS NULL) AND (disabled_reason = ANY (ARRAY['customer'::text, 'failing'::text, 'gone'::text]))),
  CONSTRAINT endpoints_events_check CHECK (cardinality(events) > 0),
  CONSTRAINT endpoints_last_status_check CHECK (last_status = ANY (ARRAY['delivered'::text, 'retrying'::text, 'failed'::text, 'blocked'::text])),
  CONSTRAINT endpoints_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text]))
) WITH (fillfactor=70);
CREATE INDEX endpoints_collection_idx ON endpoints USING btree (organization_id, collection, id);
CREATE INDEX endpoints_deleted_idx ON endpoints USING btree (organization_id, id) WHERE deleted_at IS NOT NULL;
COMMENT ON TABLE endpoints IS
  'Receivers of events: what customers register as webhooks, and how deliveries to them are going.';
COMMENT ON COLUMN endpoints.collection IS
  'Of the API; cellular webhooks take whole frames of measurements.';
COMMENT ON COLUMN endpoints.disabled_reason IS
  'customer: through the API; failing: no delivery succeeded for days; gone: it answered 410. Null while active.';
COMMENT ON COLUMN endpoints.events IS
  'Types of events that are delivered to the endpoint. Which types there are, the catalogue in src/events says.';
COMMENT ON COLUMN endpoints.secret IS
  'Signs deliveries; encrypted, and bound to this row. Null: deliveries are not signed.';
COMMENT ON COLUMN endpoints.previous_secret IS
  'Signs as well until previous_secret_until, while the customer changes over; encrypted. Null: none.';
COMMENT ON COLUMN endpoints.previous_secret_until IS
  'Null: the secret has never been replaced.';
COMMENT ON COLUMN endpoints.breaker IS
  'closed: deliveries are sent; open: none but a probe at next_probe_at; draining: the backlog is sent at a growing pace.';
COMMENT ON COLUMN endpoints.failing_since IS
  'Since when every attempt has failed. Null: the last one succeeded.';
COMMENT ON COLUMN endpoints.next_probe_at IS
  'Null unless the breaker is open.';
COMMENT ON COLUMN endpoints.recovered_at IS
  'When the last outage ended; deliveries whose last attempt was before belong to the backlog. Null: no outage since the breaker last opened, or none at all.';
COMMENT ON COLUMN endpoints.last_delivered_at IS
  'Null: no delivery has succeeded yet.';
COMMENT ON COLUMN endpoints.last_attempt_at IS
  'Null: none yet.';
COMMENT ON COLUMN endpoints.last_status IS
  'Of the latest attempt, whatever event it was for. Null: none yet.';
COMMENT ON COLUMN endpoints.last_status_code IS
  'HTTP status. Null: no attempt yet, or no answer.';
COMMENT ON COLUMN endpoints.last_error IS
  'What went wrong in the latest attempt, as text that names no internal address. Null: nothing.';
COMMENT ON COLUMN endpoints.workflow_checked_at IS
  'When the recovery workflow of the endpoint last read its state. Null: none is running.';
COMMENT ON COLUMN endpoints.enabled_at IS
  'When it was last enabled: what was last tried before begins a new schedule. Null: it has never been disabled.';
COMMENT ON COLUMN endpoints.deleted_at IS
  'From then on no operation finds it; the worker cancels its queue and then removes the row. Null: not deleted.';
COMMENT ON COLUMN endpoints.workflow_due_at IS
  'When its recovery workflow reads the state again at the latest. Null: none is running.';
COMMENT ON COLUMN endpoints.disabled_at IS
  'When the endpoint was last changed from active to disabled. Null: never.';
COMMENT ON COLUMN endpoints.draining_since IS
  'When the latest drain began, also one of a replay, after which no outage has ended. Null: none since it is written.';

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status_code smallint NOT NULL,
  body bytea NOT NULL,
  location text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, key),
  CONSTRAINT idempotency_keys_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT idempotency_keys_status_code_check CHECK (status_code >= 100 AND status_code <= 599)
);
CREATE INDEX idempotency_keys_age_idx ON idempotency_keys USING btree (created_at);
COMMENT ON TABLE idempotency_keys IS
  'Answers to requests with an Idempotency-Key, stored in the transaction of the request and kept for 24 hours.';
COMMENT ON COLUMN idempotency_keys.fingerprint IS
  'SHA-256 of method, path and body: a key that comes with another one is refused.';
COMMENT ON COLUMN idempotency_keys.body IS
  'Body of the answer, encrypted, because it may hold a secret.';
COMMENT ON COLUMN idempotency_keys.location IS
  'Location header of the answer. Null: it had none.';
COMMENT ON INDEX idempotency_keys_age_idx IS
  'Without organization_id: the worker deletes expired answers of all organizations.';

CREATE TABLE overdue_fleets (
  organization_id uuid NOT NULL,
  began_at timestamp with time zone DEFAULT now() NOT NULL,
  since timestamp with time zone NOT NULL,
  overdue_count integer NOT NULL,
  total_count integer NOT NULL,
  confirmed_at timestamp with time zone,
  escalated_alert_id uuid,
  CONSTRAINT overdue_fleets_pkey PRIMARY KEY (organization_id)
);
COMMENT ON TABLE overdue_fleets IS
  'Organizations of which many devices missed their contact at once: until it is over or confirmed, their devices go offline without an event each. One row per organization, removed when it ends.';
COMMENT ON COLUMN overdue_fleets.since IS
  'The first deadline that was missed.';
COMMENT ON COLUMN overdue_fleets.overdue_count IS
  'Devices that were found overdue at once.';
COMMENT ON COLUMN overdue_fleets.total_count IS
  'Active devices of the organization at that time.';
COMMENT ON COLUMN overdue_fleets.confirmed_at IS
  'When the operator confirmed that these devices are overdue indeed. Null: not confirmed.';
COMMENT ON COLUMN overdue_fleets.escalated_alert_id IS
  'The no_data alert that escalates for the whole fleet: who acknowledges it acknowledges the others, too. Null: none does.';

CREATE TABLE profiles (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  temperature_alerts jsonb,
  schedule jsonb,
  intervals jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT profiles_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT profiles_slug_key UNIQUE (organization_id, slug),
  CONSTRAINT profiles_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
COMMENT ON TABLE profiles IS
  'Templates that customers apply to devices. Applying one starts a job (config_jobs), which keeps a snapshot, so later edits of the profile do not change what was applied.';
COMMENT ON COLUMN profiles.temperature_alerts IS
  'Null: the profile leaves the alerts of a device as they are.';
COMMENT ON COLUMN profiles.schedule IS
  'When the alerts are active. Null: always.';
COMMENT ON COLUMN profiles.intervals IS
  'Null: the profile leaves the intervals of a device as they are.';

CREATE TABLE groups (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  name text NOT NULL,
  profile_slug text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp with time zone,
  CONSTRAINT groups_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT groups_profile_fkey FOREIGN KEY (organization_id, profile_slug) REFERENCES profiles(organization_id, slug)
);
CREATE UNIQUE INDEX groups_name_idx ON groups USING btree (organization_id, casefold(name COLLATE pg_unicode_fast)) WHERE deleted_at IS NULL;
COMMENT ON TABLE groups IS
  'Sets of assets; an asset is in one at most (assets.group_id). Whoever lets an asset join or leave locks the row for share, and whoever changes the profile for update: so each new member gets the profile, the one or the other way.';
COMMENT ON COLUMN groups.name IS
  'Unique within the organization, compared without case.';
COMMENT ON COLUMN groups.profile_slug IS
  'The profile that members are to run. Null: none.';
COMMENT ON COLUMN groups.deleted_at IS
  'For customers the group is gone, and its name is free. Null: the group is in use.';

CREATE TABLE assets (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  name text NOT NULL,
  model text,
  water_type text,
  floor integer,
  building_id text,
  space_id text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  archived_at timestamp with time zone,
  group_id uuid,
  CONSTRAINT assets_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT assets_group_fkey FOREIGN KEY (organization_id, group_id) REFERENCES groups(organization_id, id),
  CONSTRAINT assets_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
) WITH (fillfactor=80);
CREATE INDEX assets_active_idx ON assets USING btree (organization_id, id) WHERE archived_at IS NULL;
CREATE INDEX assets_active_model_idx ON assets USING btree (organization_id, model, id) WHERE archived_at IS NULL;
CREATE INDEX assets_active_name_idx ON assets USING btree (organization_id, casefold(name COLLATE pg_unicode_fast), id) WHERE archived_at IS NULL;
CREATE INDEX assets_active_serial_anywhere_idx ON assets USING btree (lower(serial_number)) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX assets_active_serial_idx ON assets USING btree (organization_id, lower(serial_number)) WHERE archived_at IS NULL;
CREATE INDEX assets_archived_idx ON assets USING btree (organization_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX assets_group_idx ON assets USING btree (organization_id, group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX assets_search_idx ON assets USING gin (asset_grams(organization_id, serial_number, name)) WHERE archived_at IS NULL;
COMMENT ON TABLE assets IS
  'Places that are monitored, each by one logger. What the customer edits is here; what changes with every contact of the device is in device_states. Archived assets stay: their readings and alerts refer to them.';
COMMENT ON COLUMN assets.serial_number IS
  'Of the logger that monitors the asset now; compared without case, unique among active assets of an organization.';
COMMENT ON COLUMN assets.model IS
  'Product line of the logger, as registered. Null: not given.';
COMMENT ON COLUMN assets.water_type IS
  'As registered. Null: not given.';
COMMENT ON COLUMN assets.floor IS
  'As registered. Null: not given.';
COMMENT ON COLUMN assets.building_id IS
  'In the customer''s own system. Null: not given, or archived.';
COMMENT ON COLUMN assets.space_id IS
  'In the customer''s own system. Null: not given, or archived.';
COMMENT ON COLUMN assets.archived_at IS
  'Null: the asset is active.';
COMMENT ON COLUMN assets.group_id IS
  'Null: in no group, or archived.';
COMMENT ON INDEX assets_active_serial_anywhere_idx IS
  'Without organization_id: a device that sends over CoAP without a token is identified by its serial number alone.';
COMMENT ON INDEX assets_search_idx IS
  'Each entry begins with organization_id, as text.';

CREATE TABLE alerts (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  asset_id uuid NOT NULL,
  serial_number text NOT NULL,
  type text NOT NULL,
  status text DEFAULT 'new'::text NOT NULL,
  details jsonb NOT NULL,
  started_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  is_announced boolean DEFAULT true NOT NULL,
  acknowledged_at timestamp with time zone,
  acknowledged_by jsonb,
  assignee text,
  snooze_until timestamp with time zone,
  severity text DEFAULT 'critical'::text NOT NULL,
  late boolean DEFAULT false NOT NULL,
  ended_at timestamp with time zone,
  extreme jsonb,
  CONSTRAINT alerts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT alerts_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id),
  CONSTRAINT alerts_severity_check CHECK (severity = ANY (ARRAY['warning'::text, 'critical'::text])),
  CONSTRAINT alerts_status_check CHECK (status = ANY (ARRAY['new'::text, 'acknowledged'::text, 'resolved'::text])),
  CONSTRAINT alerts_type_check CHECK (type = ANY (ARRAY['high_temp'::text, 'low_temp'::text, 'no_data'::text, 'low_battery'::text, 'sensor_error'::text]))
);
CREATE INDEX alerts_asset_idx ON alerts USING btree (organization_id, asset_id, id);
CREATE INDEX alerts_late_idx ON alerts USING btree (organization_id, id) WHERE late;
CREATE INDEX alerts_open_idx ON alerts USING btree (severity, status, id) WHERE status <> 'resolved'::text;
CREATE INDEX alerts_resolved_idx ON alerts USING btree (updated_at) WHERE status = 'resolved'::text;
CREATE INDEX alerts_snooze_idx ON alerts USING btree (snooze_until) WHERE status = 'acknowledged'::text AND snooze_until IS NOT NULL;
CREATE INDEX alerts_status_idx ON alerts USING btree (organization_id, status, id);
CREATE INDEX alerts_temperature_idx ON alerts USING btree (organization_id, asset_id, started_at) WHERE type = ANY (ARRAY['high_temp'::text, 'low_temp'::text]);
CREATE INDEX alerts_type_idx ON alerts USING btree (organization_id, type, id);
CREATE INDEX alerts_unannounced_idx ON alerts USING btree (organization_id, id) WHERE NOT is_announced AND status <> 'resolved'::text;
CREATE INDEX alerts_warning_idx ON alerts USING btree (organization_id, id) WHERE severity = 'warning'::text;
COMMENT ON TABLE alerts IS
  'Alerts, open and resolved. Which ones are open for a device is also in device_states.open_alerts, under the lock that its readings take.';
COMMENT ON COLUMN alerts.serial_number IS
  'Of the logger that the asset had when the alert began.';
COMMENT ON COLUMN alerts.details IS
  'For temperatures: channel, the value that opened the alert and the bounds, in degrees Celsius, and resolution when its schedule ended it; for no_data: the deadline that was missed; for sensor_error: channel and error code.';
COMMENT ON COLUMN alerts.started_at IS
  'Time of the first reading of the breach, of the frame that opened it, or of the missed deadline.';
COMMENT ON COLUMN alerts.is_announced IS
  'False: alert.created was not published, because the device was overdue with many others: see overdue_fleets. Nor is alert.resolved then.';
COMMENT ON COLUMN alerts.acknowledged_at IS
  'Null: not acknowledged, or new again since a snooze has ended.';
COMMENT ON COLUMN alerts.acknowledged_by IS
  'Key and name, as in audit_entries. Null: not acknowledged, or by a release that kept it in audit_entries alone.';
COMMENT ON COLUMN alerts.assignee IS
  'Who takes care of it, as somebody has written it. Null: not said.';
COMMENT ON COLUMN alerts.snooze_until IS
  'When an acknowledged alert that is still open becomes new again. Null: it stays acknowledged.';
COMMENT ON COLUMN alerts.severity IS
  'As the definition of the alert says; of other alerts critical.';
COMMENT ON COLUMN alerts.late IS
  'An excursion that late readings showed: it was over when it was recorded.';
COMMENT ON COLUMN alerts.ended_at IS
  'Time of the reading that ended it; where none did, of what ended it, or of the last reading of a late excursion while no later one is known. Null: it is open, or a release before resolved it at updated_at.';
COMMENT ON COLUMN alerts.extreme IS
  'The value of a late excursion, in °C, that is farthest from its bound, and when it was measured. Null for others.';
COMMENT ON INDEX alerts_open_idx IS
  'Without organization_id: a metric of the worker over all organizations.';
COMMENT ON INDEX alerts_resolved_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';
COMMENT ON INDEX alerts_snooze_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE alert_actions (
  organization_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  action text NOT NULL,
  actor jsonb,
  comment text,
  CONSTRAINT alert_actions_pkey PRIMARY KEY (organization_id, alert_id, id),
  CONSTRAINT alert_actions_alert_fkey FOREIGN KEY (organization_id, alert_id) REFERENCES alerts(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT alert_actions_action_check CHECK (action = ANY (ARRAY['acknowledged'::text, 'assigned'::text, 'commented'::text, 'snoozed'::text, 'snooze_ended'::text, 'escalated'::text]))
);
COMMENT ON TABLE alert_actions IS
  'What people and the service did about an alert, in the order of the ids; rows are never changed. The beginning and the end of the alert are in alerts.';
COMMENT ON COLUMN alert_actions.actor IS
  'Key and name, as in audit_entries. Null: the service.';
COMMENT ON COLUMN alert_actions.comment IS
  'commented: the text; assigned: to whom, null for nobody; snoozed: until when, in ISO 8601; escalated: the step and its channels. Null otherwise.';

CREATE TABLE alert_escalations (
  organization_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  policy_id uuid NOT NULL,
  state text DEFAULT 'open'::text NOT NULL,
  began_at timestamp with time zone NOT NULL,
  steps_made integer DEFAULT 0 NOT NULL,
  repeats_made integer DEFAULT 0 NOT NULL,
  last_step_at timestamp with time zone,
  next_step_at timestamp with time zone,
  held_until timestamp with time zone,
  muted_until timestamp with time zone,
  fleet_overdue integer,
  fleet_total integer,
  workflow_checked_at timestamp with time zone,
  CONSTRAINT alert_escalations_pkey PRIMARY KEY (organization_id, alert_id),
  CONSTRAINT alert_escalations_alert_fkey FOREIGN KEY (organization_id, alert_id) REFERENCES alerts(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT alert_escalations_state_check CHECK (state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text, 'policy_disabled'::text, 'policy_deleted'::text]))
);
CREATE INDEX alert_escalations_due_idx ON alert_escalations USING btree (GREATEST(next_step_at, held_until, muted_until)) WHERE state = 'open'::text AND next_step_at IS NOT NULL;
CREATE INDEX alert_escalations_muted_idx ON alert_escalations USING btree (organization_id, muted_until, alert_id) WHERE state = 'open'::text AND muted_until IS NOT NULL;
CREATE INDEX alert_escalations_policy_idx ON alert_escalations USING btree (organization_id, policy_id, alert_id) WHERE state = 'open'::text;
CREATE INDEX alert_escalations_without_workflow_idx ON alert_escalations USING btree (COALESCE(workflow_checked_at, began_at)) WHERE state = 'open'::text;
COMMENT ON TABLE alert_escalations IS
  'The escalation of an alert, inserted with the event of the alert. A step is recorded together with its notifications. The run escalate-alert waits for the next one, and is started anew from this row.';
COMMENT ON COLUMN alert_escalations.policy_id IS
  'The oldest policy that matched the alert when it opened. It may have been deleted since.';
COMMENT ON COLUMN alert_escalations.state IS
  'Why no further step follows; open: one may.';
COMMENT ON COLUMN alert_escalations.began_at IS
  'What the minutes of the steps are counted from.';
COMMENT ON COLUMN alert_escalations.repeats_made IS
  'How often the last step was repeated.';
COMMENT ON COLUMN alert_escalations.last_step_at IS
  'Null: no step was made yet.';
COMMENT ON COLUMN alert_escalations.next_step_at IS
  'When the next step is due by the policy. Null: the last one was made.';
COMMENT ON COLUMN alert_escalations.held_until IS
  'No step is made earlier: somebody has acknowledged the alert until then. Null: nobody has.';
COMMENT ON COLUMN alert_escalations.muted_until IS
  'No step is made earlier: the device was muted until then, when the run looked. Null: it was not.';
COMMENT ON COLUMN alert_escalations.fleet_overdue IS
  'Of a fleet that is overdue, for which this alert stands: how many devices were. Null: it stands for itself.';
COMMENT ON COLUMN alert_escalations.fleet_total IS
  'How many devices the fleet had. Null: it stands for itself.';
COMMENT ON COLUMN alert_escalations.workflow_checked_at IS
  'When its run last looked here, or a sweep at its run. Null: never.';
COMMENT ON INDEX alert_escalations_due_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';
COMMENT ON INDEX alert_escalations_without_workflow_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE asset_groups (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  from_at timestamp with time zone NOT NULL,
  group_id uuid,
  CONSTRAINT asset_groups_pkey PRIMARY KEY (organization_id, asset_id, from_at),
  CONSTRAINT asset_groups_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id)
);
COMMENT ON TABLE asset_groups IS
  'Which group each asset was in and when: a row for each time, which lasts until the next row of the asset. Rows are added and never changed. Which group it is in now is in assets.group_id.';
COMMENT ON COLUMN asset_groups.group_id IS
  'Null: in none. The group may be deleted by now.';

CREATE TABLE asset_replacements (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  asset_id uuid NOT NULL,
  serial_number text NOT NULL,
  replaced_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT asset_replacements_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT asset_replacements_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id)
);
CREATE INDEX asset_replacements_asset_idx ON asset_replacements USING btree (organization_id, asset_id, id);
COMMENT ON TABLE asset_replacements IS
  'Loggers that monitored an asset before they were replaced, oldest first by id.';
COMMENT ON COLUMN asset_replacements.serial_number IS
  'Of the logger that was taken out of service.';

CREATE TABLE device_configs (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  reported_config_id uuid,
  reported_at timestamp with time zone,
  reported_hash bigint,
  observed_hash bigint,
  confirmed_config_id uuid,
  pending_config_id uuid,
  revision bigint DEFAULT 0 NOT NULL,
  fetched_at timestamp with time zone,
  contradiction_count smallint DEFAULT 0 NOT NULL,
  failure_reason text,
  reported_channel_types smallint[],
  channels_reported boolean DEFAULT false NOT NULL,
  rule_slots smallint DEFAULT 12 NOT NULL,
  refused_keys text[],
  utc_offset_check_at timestamp with time zone,
  sync_status text DEFAULT 'no_device_report'::text NOT NULL,
  has_drifted boolean DEFAULT false NOT NULL,
  known_errors jsonb,
  has_had_profile boolean DEFAULT false NOT NULL,
  is_inheriting boolean DEFAULT false NOT NULL,
  CONSTRAINT device_configs_pkey PRIMARY KEY (organization_id, asset_id),
  CONSTRAINT device_configs_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id),
  CONSTRAINT device_configs_contradiction_count_check CHECK (contradiction_count >= 0),
  CONSTRAINT device_configs_revision_check CHECK (revision >= 0),
  CONSTRAINT device_configs_rule_slots_check CHECK (rule_slots = ANY (ARRAY[12, 16])),
  CONSTRAINT device_configs_sync_status_check CHECK (sync_status = ANY (ARRAY['no_device_report'::text, 'pending'::text, 'sent'::text, 'failed'::text, 'applied'::text, 'drifted'::text]))
) WITH (fillfactor=50);
CREATE INDEX device_configs_no_profile_idx ON device_configs USING btree (organization_id, asset_id) WHERE is_active AND NOT has_had_profile;
CREATE INDEX device_configs_sync_status_idx ON device_configs USING btree (organization_id, sync_status, asset_id) WHERE is_active;
CREATE INDEX device_configs_utc_offset_idx ON device_configs USING btree (utc_offset_check_at) WHERE utc_offset_check_at IS NOT NULL;
COMMENT ON TABLE device_configs IS
  'How far a device and the service agree on its configuration, one row per asset. The columns ..._config_id hold ids of configurations.';
COMMENT ON COLUMN device_configs.is_active IS
  'False: the asset is archived. Repeated from assets, so that a transaction that waited for the lock on this row sees the change in the row itself.';
COMMENT ON COLUMN device_configs.reported_config_id IS
  'What the device runs, as far as its reports say. Null: no report yet.';
COMMENT ON COLUMN device_configs.reported_at IS
  'When the last report arrived. Null: no report yet.';
COMMENT ON COLUMN device_configs.reported_hash IS
  'The number that the device gave its configuration in the last report. Null: the report had none.';
COMMENT ON COLUMN device_configs.observed_hash IS
  'The same number as in the latest frame since that report. Null: no frame since then. Where it differs from reported_hash, somebody else has changed the device.';
COMMENT ON COLUMN device_configs.confirmed_config_id IS
  'What the device confirmed last; a report that differs from it is drift. Null: nothing confirmed yet.';
COMMENT ON COLUMN device_configs.pending_config_id IS
  'The change that is offered to the device until it confirms it. Null: nothing is pending.';
COMMENT ON COLUMN device_configs.revision IS
  'Number of the pending change, as the device sees it; grows with each.';
COMMENT ON COLUMN device_configs.fetched_at IS
  'When the device fetched this revision. Null: it has not, or nothing is pending.';
COMMENT ON COLUMN device_configs.contradiction_count IS
  'How often the device fetched this revision and then reported something else; the third time it counts as refused.';
COMMENT ON COLUMN device_configs.failure_reason IS
  'Why the device refused the pending change, or some of its settings. Null: not refused.';
COMMENT ON COLUMN device_configs.reported_channel_types IS
  'Measurement type per channel, from channel 1 on; 0: none. Null: unknown. From reports; while there is none, from frames.';
COMMENT ON COLUMN device_configs.channels_reported IS
  'True: reported_channel_types comes from a report. False: from frames, and later frames may add channels.';
COMMENT ON COLUMN device_configs.rule_slots IS
  'Alarm rules that the firmware holds: 16 from version 07.02, before 12.';
COMMENT ON COLUMN device_configs.refused_keys IS
  'The settings of the pending change that the device refused, which are not offered any more. Null: none.';
COMMENT ON COLUMN device_configs.utc_offset_check_at IS
  'When the sweep compares the calendars with the offset of their time zone: at its next change, at most 30 days ahead. Null: no calendar follows a time zone.';
COMMENT ON COLUMN device_configs.sync_status IS
  'As the API shows it. It follows from the other columns and the configurations that they refer to.';
COMMENT ON COLUMN device_configs.has_drifted IS
  'True: the device reports something else than it confirmed last, so sync_status is drifted once nothing is pending.';
COMMENT ON COLUMN device_configs.known_errors IS
  'ids (codes, or texts) and at (time of the latest one, or null) of the configuration errors that the device reported before it fetched what is pending; what it repeats of them says nothing of a change, unless that sets refusedKeys, which it has refused with them before. Null: none.';
COMMENT ON COLUMN device_configs.has_had_profile IS
  'True: the change of a profile is pending for the device, or the device has confirmed one.';
COMMENT ON COLUMN device_configs.is_inheriting IS
  'True: the hardware was replaced, and the new one has yet to confirm what the old one had. What is withdrawn of the pending change goes back to the value in confirmed_config_id.';
COMMENT ON INDEX device_configs_utc_offset_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE device_infos (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  info jsonb NOT NULL,
  CONSTRAINT device_infos_pkey PRIMARY KEY (organization_id, asset_id),
  CONSTRAINT device_infos_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id)
);
COMMENT ON TABLE device_infos IS
  'The last device information message of an asset''s logger; no row: none received from this logger.';
COMMENT ON COLUMN device_infos.info IS
  'Firmware, battery, modem, as decoded.';

CREATE TABLE device_settings (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  from_at timestamp with time zone NOT NULL,
  config_id uuid,
  measurement_period_seconds integer,
  transmission_interval_seconds integer,
  profile_slug text,
  source text,
  CONSTRAINT device_settings_pkey PRIMARY KEY (organization_id, asset_id, from_at),
  CONSTRAINT device_settings_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id),
  CONSTRAINT device_settings_source_check CHECK (source = ANY (ARRAY['report'::text, 'confirmed'::text, 'frame'::text, 'applied'::text]))
);
CREATE INDEX device_settings_profile_idx ON device_settings USING btree (organization_id, profile_slug, asset_id) WHERE profile_slug IS NOT NULL;
COMMENT ON TABLE device_settings IS
  'What each device ran and when: a row for each period, which lasts until the next row of the asset. Rows are added and never changed.';
COMMENT ON COLUMN device_settings.from_at IS
  'When the period began, to the millisecond.';
COMMENT ON COLUMN device_settings.config_id IS
  'Id of the configuration (in configurations) whose alert rules and calendars applied. Null: no alert rules are known.';
COMMENT ON COLUMN device_settings.measurement_period_seconds IS
  'Between two readings. Null: unknown.';
COMMENT ON COLUMN device_settings.transmission_interval_seconds IS
  'Between two transmissions. Null: unknown.';
COMMENT ON COLUMN device_settings.profile_slug IS
  'The profile that was applied last. Null: none, or the device reported settings that no profile brought.';
COMMENT ON COLUMN device_settings.source IS
  'How the service learned of it. Null: from then on nothing is known, for example because the asset was archived.';

CREATE TABLE device_states (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  status text DEFAULT 'new'::text NOT NULL,
  signal_strength text DEFAULT 'unknown'::text NOT NULL,
  sends_signal boolean DEFAULT false NOT NULL,
  battery_status text DEFAULT 'unknown'::text NOT NULL,
  last_reading_at timestamp with time zone,
  latest_measured_at timestamp with time zone,
  last_contact_at timestamp with time zone,
  expected_by timestamp with time zone,
  observed_channel_types smallint[],
  newest_reading_at jsonb DEFAULT '{}'::jsonb NOT NULL,
  open_alerts jsonb DEFAULT '[]'::jsonb NOT NULL,
  uncompacted_from timestamp with time zone,
  latest json,
  is_active boolean DEFAULT true NOT NULL,
  last_reading_from timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  fresh_from timestamp with time zone,
  excursions jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT device_states_pkey PRIMARY KEY (organization_id, asset_id),
  CONSTRAINT device_states_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id),
  CONSTRAINT device_states_battery_status_check CHECK (battery_status = ANY (ARRAY['ok'::text, 'low'::text, 'unknown'::text])),
  CONSTRAINT device_states_signal_strength_check CHECK (signal_strength = ANY (ARRAY['good'::text, 'fair'::text, 'poor'::text, 'unknown'::text])),
  CONSTRAINT device_states_status_check CHECK (status = ANY (ARRAY['new'::text, 'online'::text, 'offline'::text]))
) WITH (fillfactor=50);
CREATE INDEX device_states_battery_idx ON device_states USING btree (organization_id, battery_status, asset_id) WHERE is_active;
CREATE INDEX device_states_last_reading_idx ON device_states USING btree (organization_id, last_reading_from, asset_id) WHERE is_active;
CREATE INDEX device_states_status_idx ON device_states USING btree (organization_id, status, asset_id) WHERE is_active;
CREATE INDEX device_states_uncompacted_idx ON device_states USING btree (uncompacted_from) WHERE uncompacted_from IS NOT NULL;
CREATE INDEX device_states_urgency_idx ON device_states USING btree (organization_id, (
CASE
    WHEN open_alerts @> '[{"type": "high_temp"}]'::jsonb OR open_alerts @> '[{"type": "low_temp"}]'::jsonb THEN 1
    WHEN open_alerts @> '[{"type": "sensor_error"}]'::jsonb THEN 2
    WHEN status = 'offline'::text THEN 3
    WHEN battery_status = 'low'::text THEN 5
    ELSE 6
END), asset_id) WHERE is_active;
COMMENT ON TABLE device_states IS
  'What the contacts of a device change, apart from the asset that customers edit; one narrow row per asset that every frame rewrites.';
COMMENT ON COLUMN device_states.status IS
  'new: no contact yet; offline: no contact by expected_by.';
COMMENT ON COLUMN device_states.sends_signal IS
  'signal_strength is of a frame: a later one that leaves out the signal, as proto3 does with 0, has none. False: of the device info, or not known.';
COMMENT ON COLUMN device_states.last_reading_at IS
  'Time of the newest reading, as the device measured it. Null: no reading yet.';
COMMENT ON COLUMN device_states.latest_measured_at IS
  'No stored reading of the asset is newer, on any channel, sensor errors included: a reading with a later time is new without a look-up in measurement_blocks. Null: unknown.';
COMMENT ON COLUMN device_states.last_contact_at IS
  'Arrival of the latest frame, or of the message by which the device came back online. Null: none yet.';
COMMENT ON COLUMN device_states.expected_by IS
  'Deadline of the next contact; later the device counts as offline. Null: not known, so no deadline.';
COMMENT ON COLUMN device_states.observed_channel_types IS
  'Measurement type per channel as frames showed it, from channel 1 on; 0: none. Null: not shown.';
COMMENT ON COLUMN device_states.newest_reading_at IS
  'Per channel (as the key), the time of its newest reading in unix milliseconds; sensor errors do not count.';
COMMENT ON COLUMN device_states.open_alerts IS
  'The alerts that are open for the device: so that readings are evaluated under the lock of this row, without a look-up in alerts.';
COMMENT ON COLUMN device_states.uncompacted_from IS
  'Time of the oldest reading that was stored since the blocks of its day were last compacted. Null: none.';
COMMENT ON COLUMN device_states.latest IS
  'The newest sample of each channel: [channel, type, unix milliseconds, value, error]. Null: no frame yet.';
COMMENT ON COLUMN device_states.is_active IS
  'False: the asset is archived. Repeated from assets, so that indexes and counts leave it out.';
COMMENT ON COLUMN device_states.last_reading_from IS
  'last_reading_at is not before this hour, and at most 13 hours after it, so that few frames change the column. -infinity: no reading yet.';
COMMENT ON COLUMN device_states.fresh_from IS
  'No fresh block of the device ends earlier. Null: it has none. Late readings do not move it, so that whoever looks for fresh blocks looks into few hours.';
COMMENT ON COLUMN device_states.excursions IS
  'Breaches that have not lasted their delay, and channels whose newest readings are part of an excursion in late data. They change with every frame, so no index reads this column.';
COMMENT ON INDEX device_states_uncompacted_idx IS
  'Without organization_id: the sweep compacts the devices of all organizations.';
COMMENT ON INDEX device_states_urgency_idx IS
  'The list of a fleet, most urgent first: 4 is a failed change, which device_configs has.';

CREATE TABLE overdue_checks (
  organization_id uuid NOT NULL,
  asset_id uuid NOT NULL,
  check_at timestamp with time zone NOT NULL,
  CONSTRAINT overdue_checks_pkey PRIMARY KEY (organization_id, asset_id),
  CONSTRAINT overdue_checks_asset_fkey FOREIGN KEY (organization_id, asset_id) REFERENCES assets(organization_id, id)
);
CREATE INDEX overdue_checks_due_idx ON overdue_checks USING btree (check_at);
COMMENT ON TABLE overdue_checks IS
  'When the sweep looks whether a device is overdue: a narrow row, since it moves about as often as the device sends. No row: the device has never had a deadline.';
COMMENT ON COLUMN overdue_checks.check_at IS
  'Never later than device_states.expected_by. Contacts bring it forward only; the sweep moves it on, to infinity where there is no deadline.';
COMMENT ON INDEX overdue_checks_due_idx IS
  'Without organization_id: a sweep of the worker over all organizations.';

CREATE TABLE schema_support (
  is_only boolean DEFAULT true NOT NULL,
  needed_migration text COLLATE "C" NOT NULL,
  CONSTRAINT schema_support_pkey PRIMARY KEY (is_only),
  CONSTRAINT schema_support_is_only_check CHECK (is_only)
);
COMMENT ON TABLE schema_support IS
  'One row: which releases can run on this schema.';
COMMENT ON COLUMN schema_support.is_only IS
  'Always true: there is one row.';
COMMENT ON COLUMN schema_support.needed_migration IS
  'A release that does not know this migration is too old for the schema.';

CREATE TABLE sent_mails (
  organization_id uuid NOT NULL,
  id uuid DEFAULT uuidv7() NOT NULL,
  address_key text NOT NULL,
  channel_id uuid NOT NULL,
  kind text NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  CONSTRAINT sent_mails_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT sent_mails_kind_check CHECK (kind = ANY (ARRAY['link'::text, 'test'::text, 'notification'::text]))
);
CREATE INDEX sent_mails_time_idx ON sent_mails USING btree (organization_id, sent_at);
COMMENT ON TABLE sent_mails IS
  'E-mails of the last hour, which are counted per address, channel and organization.';
COMMENT ON COLUMN sent_mails.address_key IS
  'The address in lower case.';

CREATE TABLE time_zone_rules (
  is_only boolean DEFAULT true NOT NULL,
  version text COLLATE "C" NOT NULL,
  CONSTRAINT time_zone_rules_pkey PRIMARY KEY (is_only),
  CONSTRAINT time_zone_rules_is_only_check CHECK (is_only)
);
COMMENT ON TABLE time_zone_rules IS
  'One row: the release of the time zone database by which calendars were last compared with their zones. Of the service itself, not of an organization.';
COMMENT ON COLUMN time_zone_rules.is_only IS
  'Always true: there is one row.';
COMMENT ON COLUMN time_zone_rules.version IS
  'Such as 2025c; later releases sort behind earlier ones.';

CREATE TABLE unregistered_devices (
  organization_id uuid NOT NULL,
  serial_number text COLLATE "C" NOT NULL,
  contact_count bigint DEFAULT 1 NOT NULL,
  first_contact_at timestamp with time zone DEFAULT now() NOT NULL,
  last_contact_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT unregistered_devices_pkey PRIMARY KEY (organization_id, serial_number),
  CONSTRAINT unregistered_devices_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT unregistered_devices_contact_count_check CHECK (contact_count >= 1)
);
COMMENT ON TABLE unregistered_devices IS
  'Devices that sent with a valid token of the organization but are not registered there, for the operator to look into. The number of rows per organization is limited.';
COMMENT ON COLUMN unregistered_devices.serial_number IS
  'In lower case.';
