/**
 * Statements name the organization: rows of tenant tables are looked up by keys that begin with it.
 * PostgreSQL plans every statement of the source, with indexes and nested loops alone: the plan then shows
 * the keys by which each table is looked up, including joined tables.
 */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import ts from 'typescript';
import { OUTBOX_SESSION } from '../../src/compose/delivery-worker.ts';
import { openDatabase } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { populate } from '../support/operations.ts';
import { newDatabase } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { openPlanReader, type PlanReader } from './run-time-pruning.ts';
import { readSourceStatements } from './source-statements.ts';
import { readSources } from './sources.ts';

/** Exceptions, as a failure prints them, with the reason. One that is no longer needed fails. */
const EXCEPTIONS: Record<string, string> = {
  'src/assets/assets.statements.ts FIND_OWNERS: looks up assets without organization_id':
    'a device that sends without a token is identified by its serial number alone',
  'src/escalations/alert-escalations.statements.ts LIST_WITHOUT_WORKFLOW: looks up alert_escalations without organization_id':
    'a sweep: escalations of all organizations without a workflow',
  'src/presence/presence.statements.ts listChecked: looks up overdue_checks without organization_id':
    'a sweep: devices of all organizations that are due for a look, or overdue',
  'src/deliveries/claims.repository.ts listPendingEndpoints: looks up endpoints without organization_id':
    'a sweep: endpoints of all organizations with new deliveries',
  'src/deliveries/claims.repository.ts releaseExpired: looks up deliveries without organization_id':
    'a sweep: leases that ran out',
  'src/devices/unregistered-devices.statements.ts REMOVE_OUTDATED: looks up unregistered_devices without organization_id':
    'retention',
  'src/endpoints/endpoint-health.statements.ts COUNT_BY_STATE: looks up endpoints without organization_id':
    'a metric over all organizations',
  'src/presence/presence.statements.ts COUNT_OVERDUE: looks up overdue_checks without organization_id':
    'a sweep: devices of all organizations that are overdue',
  'src/notifications/notification-alerts.statements.ts FIND_OLDEST_ALERT: looks up notification_channels without organization_id':
    'a metric over all organizations',
  'src/notifications/notifications.statements.ts FIND_OLDEST_MESSAGE: looks up notification_channels without organization_id':
    'a metric over all organizations',
  'src/notifications/notifications.statements.ts LIST_DUE_CHANNELS: looks up notification_channels without organization_id':
    'a sweep: channels of all organizations with something due',
};

/** Statements of the query builder about all organizations, by file: their number, and what they are for. */
const ACROSS_ORGANIZATIONS: Record<string, [calls: number, reason: string]> = {
  'src/alerts/alerts.repository.ts': [3, 'a sweep: snoozes that are over; a metric; retention'],
  'src/certificates/certificate-contents.repository.ts': [
    1,
    'a sweep: contents that no certificate refers to',
  ],
  'src/config-jobs/group-withdrawals.repository.ts': [
    1,
    'a sweep: changes of large groups without a workflow',
  ],
  'src/config-jobs/job-runs.repository.ts': [2, 'a sweep: jobs without a workflow; a metric'],
  'src/config-jobs/old-jobs.repository.ts': [1, 'retention'],
  'src/config-jobs/scheduled-devices.repository.ts': [
    1,
    'a sweep: devices whose calendars are to be compared with their time zone',
  ],
  'src/config-jobs/unused-configurations.repository.ts': [1, 'retention'],
  'src/deliveries/deleted-endpoints.repository.ts': [1, 'a sweep: deleted endpoints'],
  'src/devices/unregistered-devices.repository.ts': [1, 'the operator lists those of all organizations'],
  'src/endpoints/endpoint-health.repository.ts': [1, 'a sweep: endpoints in trouble without a workflow'],
  'src/escalations/alert-escalations.repository.ts': [2, 'a metric'],
  'src/escalations/escalation-changes.repository.ts': [1, 'a sweep: the first change of each organization'],
  'src/escalations/fleet-escalations.repository.ts': [1, 'a sweep: the few fleets that are overdue'],
  'src/fleet/fleet.repository.ts': [1, 'a metric'],
  'src/http/idempotency-keys.repository.ts': [1, 'retention'],
  'src/measurements/compaction.repository.ts': [
    1,
    'a sweep: devices of all organizations with uncompacted readings',
  ],
  'src/notifications/notifications.repository.ts': [1, 'retention'],
  'src/presence/overdue-fleets.repository.ts': [1, 'a sweep: the few fleets that are overdue'],
};

/** Statements that choose partitions while they run and may check rows again, as a failure prints them. */
const HARMLESS_PRUNING: Record<string, string> = {
  'src/measurements/compaction.statements.ts RECORD_COMPACTED':
    'the transaction has locked the rows before, so no other one changes them',
};

/**
 * Every table with organization_id except api_keys, which is a reference table, and the partitions of these
 * tables.
 */
const TENANT_TABLES = `
  select c.relname as name, coalesce(p.relname, c.relname) as table_name
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'api_keys'
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')`;

/** Their connections choose no partitions. */
const BY_OUTBOX = ['attempts', 'backlog', 'claims'].map((name) => `src/deliveries/${name}.repository.ts`);

const INDEXES_AND_LOOPS_ALONE = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
};

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  'Subplan Name'?: string;
  Plans?: Plan[];
}

describe('Statements', () => {
  // Tables of Citus exist only on Citus.
  const statements = readSourceStatements().filter(({ path }) => path !== 'src/db/distribute.ts');
  let sql: Knex;
  let plansOfOutbox: PlanReader;
  let plansOfOthers: PlanReader;
  /** By the name of the table or partition. */
  let tenantTables: Map<string, string>;

  before(async () => {
    const url = await newDatabase();
    plansOfOutbox = await openPlanReader(url, { ...INDEXES_AND_LOOPS_ALONE, ...OUTBOX_SESSION });
    plansOfOthers = await openPlanReader(url, INDEXES_AND_LOOPS_ALONE);
    sql = openDatabase({
      url,
      poolSize: 1,
      statementTimeoutMs: 0,
      applicationName: 'test',
      session: INDEXES_AND_LOOPS_ALONE,
    });
    const tables = await query<{ name: string; table_name: string }>(sql, TENANT_TABLES);
    tenantTables = new Map(tables.map(({ name, table_name }) => [name, table_name]));
  });
  after(async () => {
    await plansOfOutbox.close();
    await plansOfOthers.close();
    await sql.destroy();
  });

  /** With `?` for bindings. */
  async function breachesOf(text: string): Promise<string[]> {
    const plan = await explain(text);
    if (typeof plan === 'string') return [`cannot be planned: ${plan}`];
    const nodes = [...nodesOf(plan)].filter((node) => !namesOrganization(text) || isUnscoped(node));
    const tables = nodes.map(({ 'Relation Name': name = '' }) => tenantTables.get(name));
    return [...new Set(tables)]
      .filter((table) => table !== undefined)
      .map((table) => `looks up ${table} without organization_id`);
  }

  /** The plan, or why there is none. */
  function explain(text: string): Promise<Plan | string> {
    return sql.raw(`explain (generic_plan, format json) ${numbered(text)}`).then(
      ({ rows: [row] }) => row['QUERY PLAN'][0].Plan,
      (error: Error) => error.message.split(' - ').at(-1) ?? '',
    );
  }

  it('reads every statement of every repository, each of them whole', () => {
    const withStatements = new Set(statements.map(({ path }) => path));
    assert.ok(withStatements.size > 15, [...withStatements].join(' '));
    assert.deepEqual(
      statements.filter(({ unread }) => unread !== null),
      [],
    );
  });

  it('looks up rows of tenant tables by organization_id, including joined ones', async () => {
    const breaches = new Set<string>();
    for (const { path, owner, texts } of statements) {
      for (const text of texts) {
        for (const breach of await breachesOf(text)) breaches.add(`${path} ${owner}: ${breach}`);
      }
    }
    const unexpected = [...breaches].filter((breach) => !Object.hasOwn(EXCEPTIONS, breach));
    assert.equal(unexpected.join('\n'), '');
    const unneeded = Object.keys(EXCEPTIONS).filter((breach) => !breaches.has(breach));
    assert.deepEqual(unneeded, [], 'take these out of EXCEPTIONS');
  });

  it('ask for rows of all organizations with the query builder only where that is listed', () => {
    const calls = readSources(['src'])
      .filter(({ path }) => path !== 'src/db/builder.ts')
      .map(({ path, nodes }) => [
        path,
        nodes.filter((node) => ts.isIdentifier(node) && node.text === 'acrossOrganizations').length - 1,
      ])
      .filter(([, count]) => count !== -1);
    const listed = Object.entries(ACROSS_ORGANIZATIONS).map(([path, [count]]) => [path, count]);
    assert.deepEqual(calls.sort(), listed.sort());
  });

  it('keeps the rule in statements that are composed at run time', async () => {
    const known = new Set(statements.flatMap(({ texts }) => texts.map(squeeze)));
    const others = (await statementsOfWorkload()).filter((text) => !known.has(text));
    const breaches: string[] = [];
    for (const text of others) {
      for (const breach of await breachesOf(text)) breaches.push(`${text}: ${breach}`);
    }
    assert.equal(breaches.join('\n'), '');
  });

  it('choose no partitions by values of other rows where they may check rows again', async () => {
    const found = new Set<string>();
    for (const { path, owner, texts } of statements) {
      const plans = BY_OUTBOX.includes(path) ? plansOfOutbox : plansOfOthers;
      for (const text of texts)
        if (await plans.prunesWhatItChecksAgain(numbered(text))) found.add(`${path} ${owner}`);
    }
    assert.deepEqual([...found], Object.keys(HARMLESS_PRUNING));
  });
});

function numbered(text: string): string {
  let bindings = 0;
  return text.replace(/\\?\?/g, (mark) => (mark === '?' ? `$${++bindings}` : mark));
}

/**
 * Statements that the service runs while devices are configured, send frames and report, and webhooks are
 * delivered.
 */
async function statementsOfWorkload(): Promise<string[]> {
  const dms = await startService();
  const seen = new Set<string>();
  dms.service.sql.on('query', ({ sql: text }: { sql: string }) => seen.add(squeeze(toSourceMarks(text))));
  try {
    const { assetId } = await populate(dms);
    await dms.api.get(`/assets/${assetId}/measurements?from=2026-01-01T00:00:00Z&channel=1`);
  } finally {
    await dms.stop();
  }
  return [...seen].filter((text) => /^(with|select|insert|update|delete) /.test(text));
}

/** Bindings and question marks as in the source: `?` and `\\?`. */
const toSourceMarks = (text: string): string => text.replace(/\?/g, '\\?').replace(/\$\d+/g, '?');

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

function* nodesOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(withHashKeys(child, plan));
}

/** The look-up key of a hashed subplan is in the node that uses it. */
function withHashKeys(child: Plan, { Filter = '' }: Plan): Plan {
  const isHashed = Filter.includes(`(hashed ${child['Subplan Name']})`);
  return isHashed ? { ...child, Filter: `${child.Filter} ${Filter}` } : child;
}

const namesOrganization = (text = ''): boolean => /\borganization_id\b/.test(text);

const isUnscoped = (node: Plan): boolean =>
  node['Node Type'] !== 'ModifyTable' && !namesOrganization(`${node['Index Cond']} ${node.Filter}`);
