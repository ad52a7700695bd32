/** The outbox and its log. Claims are leases; whoever holds one records what came of it. */
import type { Sql } from '../db/database.ts';
import { prepared, query } from '../db/query.ts';
import type { Attempt, Delivery } from './delivery.ts';

export interface OutgoingEvent {
  organizationId: string;
  type: string;
  /** Serialised: what is signed and sent. */
  body: string;
}

/** A delivery in hand, with all that an attempt needs. */
export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  organizationId: string;
  eventId: string;
  attemptCount: number;
  scheduleStep: number;
  nextAttemptAt: Date | null;
  url: string;
  secret: Buffer | null;
  previousSecret: Buffer | null;
  body: string;
}

export interface RecordedAttempt {
  webhookId: string;
  deliveryId: string;
  number: number;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseExcerpt: string | null;
  state: Delivery['state'];
  scheduleStep: number;
  nextAttemptAt: Date | null;
}

export interface DeliveryScope {
  organizationId: string;
  webhookId: string;
}

const VIEW = `id, event_id as "eventId", event_type as "eventType", state, attempt_count as "attemptCount",
  next_attempt_at as "nextAttemptAt", last_status_code as "lastStatusCode", last_error as "lastError"`;

const CLAIMED = `c.id, c.webhook_id as "webhookId", c.organization_id as "organizationId", c.event_id as "eventId",
  c.attempt_count as "attemptCount", c.schedule_step as "scheduleStep", c.next_attempt_at as "nextAttemptAt",
  w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecret", e.body`;

export const QUEUED_CHANNEL = 'deliveries_queued';
/** A notice holds 8,000 bytes. */
const IDS_PER_NOTICE = 200;

/** A look must not take long, whatever a disabled endpoint has queued; the next one goes on. */
const STRAYS_AT_ONCE = 1_000;

/** So many of the next in line are looked at for a probe, however long the line is. */
const PROBE_CANDIDATES = 100;

/** Where a claim goes back to that came to nothing; what was queued for a disabled endpoint is held. */
const GIVEN_BACK = `leased_until = null,
  state = case when w.status = 'disabled' then 'held' when d.next_attempt_at is null then 'pending' else 'retrying' end,
  next_attempt_at = case w.status when 'disabled' then null else d.next_attempt_at end`;
const IS_ACTIVE = `exists (select from webhooks w where w.id = d.webhook_id and w.status = 'active')`;

/** Takes what `chosen` names (webhook_id, id) under a lease. */
const claiming = (chosen: string) => `
  with chosen as materialized (${chosen}), c as (
    update deliveries d set state = 'sending', leased_until = now() + make_interval(secs => ?), urgent = false
    from chosen where d.webhook_id = chosen.webhook_id and d.id = chosen.id
    returning d.*
  )
  select ${CLAIMED} from c join webhooks w on w.id = c.webhook_id join webhook_events e on e.id = c.event_id
  order by c.id`;

export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(sql: Sql) {
  return {
    /**
     * Writes each event once, and a delivery for every endpoint that wants it: none, no row. Endpoints that fail get
     * theirs held. Wakes the dispatchers when the transaction commits.
     */
    async insert(events: OutgoingEvent[]): Promise<void> {
      await prepared(
        sql,
        'deliveries_insert',
        `with e as materialized (
           select uuidv7() as id, * from unnest(?::uuid[], ?::text[], ?::text[]) as e (organization_id, type, body)
         ), wanted as (
           select e.id as event_id, e.type, w.id as webhook_id, w.organization_id, w.status
           from e join webhooks w on w.organization_id = e.organization_id and e.type = any(w.events)
           where w.status = 'active' or w.disabled_reason = 'failing'
           -- In the order of the events, as they are then sent.
           order by e.id for key share of w
         ), kept as (
           insert into webhook_events (id, organization_id, type, body)
           select id, organization_id, type, body from e where id in (select event_id from wanted)
         ), queued as (
           insert into deliveries (webhook_id, organization_id, event_id, event_type, state)
           select webhook_id, organization_id, event_id, type,
             case status when 'active' then 'pending' else 'held' end
           from wanted returning webhook_id, state
         )
         select pg_notify('${QUEUED_CHANNEL}', string_agg(webhook_id::text, ','))
         from (
           select webhook_id, (row_number() over () - 1) / ${IDS_PER_NOTICE} as notice
           from (select distinct webhook_id from queued where state = 'pending') as woken
         ) as notices
         group by notice`,
        [
          events.map(({ organizationId }) => organizationId),
          events.map(({ type }) => type),
          events.map(({ body }) => body),
        ],
      );
    },

    /** New deliveries of healthy endpoints, oldest first, as many as each has room for. */
    claimNew(rooms: ReadonlyMap<string, number>, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return prepared(
        sql,
        'deliveries_claim_new',
        claiming(`
          select p.webhook_id, p.id
          from unnest(?::uuid[], ?::integer[]) as r (webhook_id, room)
          join webhooks w on w.id = r.webhook_id and w.status = 'active' and w.breaker = 'closed'
          cross join lateral (
            select webhook_id, id from deliveries
            where webhook_id = r.webhook_id and state = 'pending' order by id limit r.room for update skip locked
          ) as p`),
        [[...rooms.keys()], [...rooms.values()], leaseSeconds],
      );
    },

    /** Retries of one endpoint that are due, oldest first. */
    claimDue(webhookId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select webhook_id, id from deliveries d
          where webhook_id = ? and state = 'retrying' and next_attempt_at <= now() and ${IS_ACTIVE}
          order by next_attempt_at, id limit ? for update skip locked`),
        [webhookId, limit, leaseSeconds],
      );
    },

    /** What was asked for at once, whatever the health of the endpoint. */
    claimUrgent(webhookId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select webhook_id, id from deliveries d
          where webhook_id = ? and state = 'retrying' and urgent and ${IS_ACTIVE}
          order by id limit ? for update skip locked`),
        [webhookId, limit, leaseSeconds],
      );
    },

    /**
     * One that waits, to see whether the receiver is back: a new one, or else the one whose last attempt is longest
     * ago. Not the oldest each time: one that its receiver never takes would stand before all others for ever.
     */
    claimProbe(webhookId: string, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select webhook_id, id from (
            select * from (
              select webhook_id, id, null::timestamptz as at from deliveries d
              where webhook_id = ? and state = 'pending' and ${IS_ACTIVE}
              order by id limit 1 for update skip locked
            ) as untried
            union all select * from (
              select webhook_id, id, updated_at as at from deliveries d
              where webhook_id = ? and state = 'retrying' and ${IS_ACTIVE} and id = any (array(
                select id from deliveries where webhook_id = ? and state = 'retrying'
                order by next_attempt_at limit ${PROBE_CANDIDATES}))
              order by updated_at limit 1 for update skip locked
            ) as tried
          ) as both_kinds order by at nulls first limit 1`),
        [webhookId, webhookId, webhookId, leaseSeconds],
      );
    },

    /**
     * The next of a drain, oldest first: what is new, what is due, and what was last tried before the receiver came
     * back. What fails again since then waits for its own time, so it does not stop the others.
     */
    claimBacklog(webhookId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select webhook_id, id from (
            select * from (
              select webhook_id, id from deliveries d
              where webhook_id = ? and state = 'pending' and ${IS_ACTIVE}
              order by id limit ? for update skip locked
            ) as untried
            union all select * from (
              select d.webhook_id, d.id from deliveries d join webhooks w on w.id = d.webhook_id
              where d.webhook_id = ? and d.state = 'retrying' and w.status = 'active'
                and (d.next_attempt_at <= now() or d.updated_at < w.recovered_at)
              order by d.id limit ? for update of d skip locked
            ) as tried
          ) as both_kinds order by id limit ?`),
        [webhookId, limit, webhookId, limit, limit, leaseSeconds],
      );
    },

    /** What came to rest as queued while its endpoint was being disabled is held like the rest. */
    async holdStrays(): Promise<void> {
      await prepared(
        sql,
        'deliveries_hold_strays',
        `with strays as materialized (
           select d.webhook_id, d.id from webhooks w
           join deliveries d on d.webhook_id = w.id and d.state in ('pending', 'retrying')
           where w.status = 'disabled' limit ${STRAYS_AT_ONCE} for update of d skip locked
         )
         update deliveries d set state = 'held', next_attempt_at = null, updated_at = now()
         from strays s where d.webhook_id = s.webhook_id and d.id = s.id`,
      );
    },

    /** Endpoints that have new deliveries, found without reading them. */
    async listPendingWebhookIds(): Promise<string[]> {
      const rows = await prepared<{ webhookId: string }>(
        sql,
        'deliveries_pending_webhooks',
        `select w.id as "webhookId" from webhooks w
         where w.status = 'active' and w.breaker = 'closed'
           and exists (select from deliveries d where d.webhook_id = w.id and d.state = 'pending')`,
      );
      return rows.map(({ webhookId }) => webhookId);
    },

    /**
     * What attempts came to; one statement, so all of it or nothing. The one that delivers at once is told by the
     * delivery; it gets its row when another one follows.
     */
    async record(attempts: RecordedAttempt[]): Promise<void> {
      const column = <T>(value: (attempt: RecordedAttempt) => T) => attempts.map(value);
      await prepared(
        sql,
        'deliveries_record',
        `with a as (
           select * from unnest(?::uuid[], ?::uuid[], ?::integer[], ?::timestamptz[], ?::integer[], ?::integer[],
             ?::text[], ?::text[], ?::text[], ?::smallint[], ?::timestamptz[])
           as a (webhook_id, delivery_id, number, at, duration_ms, status_code, error, excerpt, state, step, next_at)
         ), logged as (
           insert into delivery_attempts
             (delivery_id, number, at, duration_ms, status_code, error, response_excerpt)
           select delivery_id, number, at, duration_ms, status_code, error, excerpt from a
           where not (number = 1 and state = 'delivered')
           union all
           select d.id, 1, d.delivered_at, d.delivered_in_ms, d.last_status_code, null, d.delivered_excerpt
           from a join deliveries d on d.webhook_id = a.webhook_id and d.id = a.delivery_id
           where a.number > 1 and d.delivered_at is not null
           on conflict do nothing
         )
         update deliveries d set
           state = case when a.state = 'retrying' and w.status = 'disabled' then 'held' else a.state end,
           attempt_count = a.number, schedule_step = a.step, leased_until = null,
           next_attempt_at = case w.status when 'disabled' then null else a.next_at end,
           last_status_code = a.status_code, last_error = a.error, updated_at = now(),
           delivered_at = case when a.at_once then a.at end,
           delivered_in_ms = case when a.at_once then a.duration_ms end,
           delivered_excerpt = case when a.at_once then a.excerpt end
         from (select *, number = 1 and state = 'delivered' as at_once from a) as a
         left join webhooks w on w.id = a.webhook_id
         -- What is leased is being sent. Asked for the state, the planner reads all of that state, in place of these.
         where d.webhook_id = a.webhook_id and d.id = a.delivery_id and d.leased_until is not null`,
        [
          column((each) => each.webhookId),
          column((each) => each.deliveryId),
          column((each) => each.number),
          column((each) => each.at.toISOString()),
          column((each) => each.durationMs),
          column((each) => each.statusCode),
          column((each) => each.error),
          column((each) => each.responseExcerpt),
          column((each) => each.state),
          column((each) => each.scheduleStep),
          column((each) => each.nextAttemptAt?.toISOString() ?? null),
        ],
      );
    },

    /** Gives claims back unattempted: a stop came in between. */
    async release(
      claims: Array<{ webhookId: string; id: string; nextAttemptAt: Date | null }>,
    ): Promise<void> {
      if (claims.length === 0) return;
      await query(
        sql,
        `update deliveries d set ${GIVEN_BACK}
         from unnest(?::uuid[], ?::uuid[]) as c (webhook_id, id) join webhooks w on w.id = c.webhook_id
         where d.webhook_id = c.webhook_id and d.id = c.id and d.leased_until is not null`,
        [claims.map(({ webhookId }) => webhookId), claims.map(({ id }) => id)],
      );
    },

    /** Claims whose holder is gone go back to where they were; answers with their endpoints. */
    async releaseExpired(): Promise<string[]> {
      const rows = await prepared<{ webhookId: string }>(
        sql,
        'deliveries_release_expired',
        `update deliveries d set ${GIVEN_BACK} from webhooks w
         where w.id = d.webhook_id and d.state = 'sending' and d.leased_until < now()
         returning d.webhook_id as "webhookId"`,
      );
      return [...new Set(rows.map(({ webhookId }) => webhookId))];
    },

    async list(
      { organizationId, webhookId }: DeliveryScope,
      page: { state: string | null; before: string | null; limit: number },
    ): Promise<Delivery[]> {
      const states = page.state === 'pending' ? ['pending', 'sending'] : [page.state];
      return query(
        sql,
        `select ${VIEW} from deliveries
         where organization_id = ? and webhook_id = ? and (?::text is null or state = any(?::text[]))
           and (?::uuid is null or id < ?) order by id desc limit ?`,
        [organizationId, webhookId, page.state, states, page.before, page.before, page.limit],
      );
    },

    async find(
      { organizationId, webhookId }: DeliveryScope,
      id: string,
    ): Promise<(Delivery & { body: string }) | null> {
      const [row] = await query<Delivery & { body: string }>(
        sql,
        `select d.*, e.body from (
           select ${VIEW} from deliveries where organization_id = ? and webhook_id = ? and id = ?
         ) as d join webhook_events e on e.id = d."eventId"`,
        [organizationId, webhookId, id],
      );
      return row ?? null;
    },

    listAttempts(webhookId: string, deliveryId: string): Promise<Attempt[]> {
      return query(
        sql,
        `select number, at, duration_ms as "durationMs", status_code as "statusCode", error,
           response_excerpt as "responseExcerpt"
         from delivery_attempts where delivery_id = ?
         union all
         select 1, delivered_at, delivered_in_ms, last_status_code, null, delivered_excerpt
         from deliveries where webhook_id = ? and id = ? and delivered_at is not null
         order by number`,
        [deliveryId, webhookId, deliveryId],
      );
    },

    /** One attempt now, whatever came before; false while one is under way or there is no such delivery. */
    async resend({ organizationId, webhookId }: DeliveryScope, id: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', urgent = true, schedule_step = 0, next_attempt_at = now(),
           updated_at = now()
         where organization_id = ? and webhook_id = ? and id = ? and state <> 'sending' returning 1`,
        [organizationId, webhookId, id],
      );
      return rows.length > 0;
    },

    /** Everything of the span goes out again with its whole schedule; answers with how many. */
    async replay(
      { organizationId, webhookId }: DeliveryScope,
      span: { firstId: string; endId: string; states: string[] },
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', schedule_step = 0, next_attempt_at = now(), updated_at = now()
         where organization_id = ? and webhook_id = ? and id >= ? and id < ? and state = any(?::text[]) returning 1`,
        [organizationId, webhookId, span.firstId, span.endId, span.states],
      );
      return rows.length;
    },

    announceChange: (webhookId: string) => notifyChanged(sql, webhookId),

    /** What is queued at an endpoint goes over into another state; answers with how many. Released: the whole schedule. */
    async moveQueued(
      webhookId: string,
      from: string[],
      to: 'held' | 'pending' | 'cancelled',
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = ?, next_attempt_at = null, leased_until = null, updated_at = now(),
           schedule_step = case ? when 'pending' then 0 else schedule_step end
         where webhook_id = ? and state = any(?::text[]) returning 1`,
        [to, to, webhookId, from],
      );
      return rows.length;
    },
  };
}

const CHANGED = 'changed ';

export interface Notice {
  kind: 'queued' | 'changed';
  webhookIds: string[];
}

export function noticeOf(payload: string): Notice {
  const isChange = payload.startsWith(CHANGED);
  const ids = isChange ? payload.slice(CHANGED.length) : payload;
  return { kind: isChange ? 'changed' : 'queued', webhookIds: ids.split(',') };
}

/** The endpoint is another one when the transaction commits: what was claimed for the old one goes back. */
export async function notifyChanged(sql: Sql, webhookId: string): Promise<void> {
  await query(sql, 'select pg_notify(?, ?)', [QUEUED_CHANNEL, CHANGED + webhookId]);
}

/** Wakes the dispatchers when the transaction commits. */
export async function notifyQueued(sql: Sql, webhookIds: string[]): Promise<void> {
  for (let at = 0; at < webhookIds.length; at += IDS_PER_NOTICE) {
    await prepared(sql, 'deliveries_notify', 'select pg_notify(?, ?)', [
      QUEUED_CHANNEL,
      webhookIds.slice(at, at + IDS_PER_NOTICE).join(),
    ]);
  }
}
