/**
 * A node of Citus that is killed and restarted. Skipped without CITUS_URL, and without CITUS_START_NODE: a
 * command that is given the folder of a node's data and starts the node.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findNodeOf, killNode, newCitusDatabase, skipWithoutCitus } from '../support/citus.ts';
import { eventually, register } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const { CITUS_START_NODE } = process.env;
const DOWN_MS = 20_000;
const BACK_MS = 30_000;
const PAUSE_MS = 100;
const FIRST_AT = Date.parse('2026-03-02T08:00:00Z');

/** A device that sends one reading after the other, with the acknowledged ones. */
interface Sender {
  organization: TestOrganization;
  assetId: string;
  receiver: Receiver;
  /** The times of readings, and when the service acknowledged them. */
  acknowledged: Map<string, number>;
  stop(): Promise<void>;
}

describe('While a node of Citus is down', function () {
  this.timeout(300_000);
  let url: string;
  let dms: TestService;
  let there: Sender;
  let elsewhere: Sender;
  let deliveredMeanwhile: Set<string>;
  let killedAt: number;
  let startedAt: number;

  before(async function () {
    skipWithoutCitus(this);
    if (CITUS_START_NODE === undefined) {
      process.stdout.write('CITUS_START_NODE is not set: no node is killed\n');
      return this.skip();
    }
    url = await newCitusDatabase();
    const sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    await migrate(sql);
    await distribute(sql, () => {});
    await sql.destroy();
    dms = await startService({ databaseUrl: url, settings: { isDatabaseDistributed: true } });
    const node = await findNodeOf(url, dms.id);
    [there, elsewhere] = [await startSender(dms), await startSender(await organizationElsewhere(node.port))];
    await delay(3_000);
    const folder = await killNode(node);
    killedAt = Date.now();
    await delay(DOWN_MS);
    deliveredMeanwhile = deliveredTo(elsewhere);
    execFileSync(CITUS_START_NODE, [folder], { stdio: 'ignore' });
    startedAt = Date.now();
  });
  after(() => Promise.all([dms, there?.receiver, elsewhere?.receiver].map((each) => each?.stop())));

  async function organizationElsewhere(port: number): Promise<TestOrganization> {
    for (;;) {
      const organization = await dms.addOrganization();
      if ((await findNodeOf(url, organization.id)).port !== port) return organization;
    }
  }

  async function startSender(organization: TestOrganization): Promise<Sender> {
    const receiver = await startReceiver();
    await organization.api.post('/cellular-webhooks', { url: receiver.url });
    const assetId = await register(organization, 'A');
    const acknowledged = new Map<string, number>();
    let isOver = false;
    const sending = (async () => {
      for (let minute = 0; !isOver; minute++, await delay(PAUSE_MS)) {
        const measuredAt = new Date(FIRST_AT + minute * 60_000).toISOString();
        const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt }];
        const { status } = await organization.device.post('/devices/A/measurements', { readings });
        if (status === 202) acknowledged.set(measuredAt, Date.now());
      }
    })();
    async function stop(): Promise<void> {
      isOver = true;
      await sending;
    }
    return { organization, assetId, receiver, acknowledged, stop };
  }

  it('serves organizations on the other nodes', () => {
    const meanwhile = [...elsewhere.acknowledged.values()].filter((at) => killedAt < at && at < startedAt);
    assert.ok(meanwhile.length > 20, `${meanwhile.length} frames`);
  });

  it('delivers webhooks of organizations on the other nodes', () => {
    const early = [...elsewhere.acknowledged].filter(([, at]) => at < startedAt - 2_000);
    assert.deepEqual(
      early.filter(([measuredAt]) => !deliveredMeanwhile.has(measuredAt)),
      [],
    );
  });

  it('refuses organizations of the node, and serves them within 30 seconds after it is back', async () => {
    const later = await eventually(
      async () => [...there.acknowledged.values()].filter((at) => at > startedAt),
      (times) => times.length > 0,
      { timeoutMs: BACK_MS },
    );
    assert.ok((later[0] as number) - startedAt < BACK_MS);
    const meanwhile = [...there.acknowledged.values()].filter(
      (at) => killedAt + 1_000 < at && at < startedAt,
    );
    assert.deepEqual(meanwhile, []);
  });

  it('loses nothing that was acknowledged, and delivers each event', async () => {
    await delay(2_000);
    for (const sender of [there, elsewhere]) {
      await sender.stop();
      const kept = await listKept(sender);
      assert.deepEqual(
        [...sender.acknowledged.keys()].filter((at) => !kept.has(at)),
        [],
      );
    }
    for (const sender of [there, elsewhere]) {
      await eventually(
        async () => [...sender.acknowledged.keys()].filter((at) => !deliveredTo(sender).has(at)),
        (missing) => missing.length === 0,
        { timeoutMs: BACK_MS },
      );
    }
  });

  async function listKept({ organization, assetId }: Sender): Promise<Set<string>> {
    const kept = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await organization.api.get(`/assets/${assetId}/measurements?limit=500${after}`);
      for (const { measuredAt } of body.items) kept.add(measuredAt);
      cursor = body.nextCursor;
    }
    return kept;
  }
});

const deliveredTo = ({ receiver }: Sender): Set<string> =>
  new Set(receiver.received.flatMap(({ event: { data } }) => timesIn(data)));

const timesIn = (data: Record<string, unknown>): string[] =>
  (data.readings as Array<{ measuredAt: string }>).map(({ measuredAt }) => measuredAt);
