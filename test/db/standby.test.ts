/** A streaming standby: reads that may lag go there, and it takes over when the primary is lost. */
import assert from 'node:assert/strict';
import { openDatabase } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  register,
  sendTemperature,
  untilEnded,
} from '../support/fleet.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { type PrimaryAndStandby, run, startPrimaryAndStandby } from '../support/standby.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const LAG_MAX_MS = 1_000;

describe('With a standby', () => {
  let servers: PrimaryAndStandby;
  let proxy: TcpProxy;
  let dms: TestService;
  let receiver: Receiver;
  let standbyUrl: string;

  before(async () => {
    let primaryUrl = '';
    servers = await startPrimaryAndStandby(async (url) => {
      primaryUrl = await migratedDatabase(url);
    });
    proxy = await startTcpProxy(primaryUrl);
    standbyUrl = withPort(primaryUrl, new URL(servers.standby.url).port);
    receiver = await startReceiver();
    dms = await startService({
      databaseUrl: proxy.url,
      settings: { databaseReplicaUrl: standbyUrl, replicaLagMaxMs: LAG_MAX_MS },
    });
  });
  after(async () => {
    await Promise.all([dms?.stop(), receiver?.stop()]);
    await proxy?.stop();
    await servers?.stop();
  });

  const withPort = (url: string, port: number | string) =>
    Object.assign(new URL(url), { port: String(port) }).href;

  async function readsFrom(server: 'primary' | 'replica'): Promise<number> {
    const text = await (await fetch(dms.metricsUrl)).text();
    return Number(new RegExp(`dms_replica_reads_total{server="${server}"} (\\d+)`).exec(text)?.[1] ?? 0);
  }

  const historyOf = async (assetId: string) =>
    (await dms.api.get(`/assets/${assetId}/measurements`)).body.items as Array<{ value: number }>;

  describe('as a replica', () => {
    it('serves reads of the history, of alerts and of deliveries, and shows stored rows', async () => {
      const assetId = await register(dms, 'ON-REPLICA');
      await eventually(() => readsFromReplicaOf(assetId), Boolean);
      await sendTemperature(dms, 'ON-REPLICA', 4.5);
      await eventually(
        () => historyOf(assetId),
        ([newest]) => newest?.value === 4.5,
      );
      const { body } = await dms.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
      for (const path of ['/alerts', `/webhooks/${body.id}/deliveries`])
        await eventually(() => readsFromReplica(path), Boolean);
      await dms.api.delete(`/webhooks/${body.id}`);
    });

    /** Not while it lags, as it does for a moment on a busy machine. */
    async function readsFromReplica(path: string): Promise<boolean> {
      const before = await readsFrom('replica');
      assert.equal((await dms.api.get(path)).status, 200);
      return (await readsFrom('replica')) > before;
    }

    const readsFromReplicaOf = (assetId: string) => readsFromReplica(`/assets/${assetId}/measurements`);

    it('leaves reads to the primary while it lags too far, and finds an asset right after its registration', async () => {
      const earlierId = await register(dms, 'BEFORE-LAG');
      await eventually(() => readsFromReplicaOf(earlierId), Boolean);
      await run(standbyUrl, 'select pg_wal_replay_pause()');
      await eventually(isPaused, Boolean);
      const assetId = await register(dms, 'LAGGING');
      assert.deepEqual(await historyOf(assetId), []);
      await sendTemperature(dms, 'LAGGING', 5.5);
      await eventually(
        () => historyOf(assetId),
        ([newest]) => newest?.value === 5.5,
      );
      assert.ok((await readsFrom('primary')) > 0);
      await run(standbyUrl, 'select pg_wal_replay_resume()');
      await eventually(() => readsFromReplicaOf(assetId), Boolean);
    });

    async function isPaused(): Promise<boolean> {
      const { rows } = await run(
        standbyUrl,
        `select pg_get_wal_replay_pause_state() = 'paused' as is_paused`,
      );
      return rows[0].is_paused;
    }

    it('gives up connections that cannot write, so that a pool finds the new primary', async () => {
      const other = await startTcpProxy(standbyUrl);
      const sql = openDatabase({
        url: other.url,
        poolSize: 4,
        statementTimeoutMs: 5_000,
        applicationName: 'test',
      });
      const open = await Promise.all(Array.from({ length: 4 }, () => sql.transaction()));
      await Promise.all(open.map((transaction) => transaction.rollback()));
      other.switchTo(proxy.port);
      const write = () => query(sql, `delete from leases where name = 'none'`);
      await assert.rejects(write(), /read-only/);
      for (let count = 0; count < 4; count++) await write();
      await sql.destroy();
      await other.stop();
    });
  });

  describe('that takes over', () => {
    it('keeps everything that was acknowledged, and the service continues by itself', async () => {
      await servers.replicateSynchronously();
      await dms.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
      const slug = await createProfile(dms, { slug: 'fridge', ...FRIDGE });
      const serials = Array.from({ length: 8 }, (_, index) => `FAILOVER-${index}`);
      const assetIds: string[] = [];
      for (const serial of serials) assetIds.push(await register(dms, serial));
      const jobId = await apply(dms, slug, { serialNumbers: serials });
      await applyAnswer(dms, serials[0] as string);

      const load = startLoad(serials.slice(1, 5));
      await eventually(
        async () => load.acknowledged.length,
        (count) => count > 20,
      );
      await servers.crashPrimary();
      await run(servers.standby.url, 'alter system reset synchronous_standby_names');
      await run(servers.standby.url, 'select pg_promote(), pg_reload_conf()');
      proxy.cut();
      proxy.switchTo(Number(new URL(standbyUrl).port));
      const before = load.acknowledged.length;
      await eventually(
        async () => load.acknowledged.length,
        (count) => count > before + 20,
      );
      await load.stop();

      for (const { serial, value } of load.acknowledged) {
        const assetId = assetIds[serials.indexOf(serial)] as string;
        load.stored[serial] ??= (await allHistoryOf(assetId)).map((reading) => reading.value);
        assert.ok(load.stored[serial]?.includes(value), `${serial} ${value}`);
      }
      assert.equal((await jobOf(dms, jobId)).status, 'running');
      for (const serial of serials.slice(1)) await applyAnswer(dms, serial);
      await untilEnded(dms, jobId);
      await sendTemperature(dms, serials[7] as string, 12);
      await receiver.until(1);
    });
  });

  async function allHistoryOf(assetId: string): Promise<Array<{ value: number }>> {
    const items: Array<{ value: number }> = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/assets/${assetId}/measurements?limit=500${cursor && `&cursor=${cursor}`}`;
      const { body } = await dms.api.get(path);
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    return items;
  }

  /** Each device sends one reading after the other, and repeats each until it is acknowledged. */
  function startLoad(serials: string[]) {
    const acknowledged: Array<{ serial: string; value: number }> = [];
    let isOver = false;
    const start = Date.now() - 3_600_000;
    async function send(serial: string) {
      for (let count = 0; !isOver; ) {
        const value = count / 10;
        const measuredAt = new Date(start + count * 1_000).toISOString();
        const readings = [{ channel: 2, type: 'humidity', value, measuredAt }];
        const { status } = await dms.device.post(`/devices/${serial}/measurements`, { readings });
        if (status !== 202) continue;
        acknowledged.push({ serial, value });
        count++;
      }
    }
    const running = serials.map(send);
    return {
      acknowledged,
      stored: {} as Record<string, number[]>,
      async stop() {
        isOver = true;
        await Promise.all(running);
      },
    };
  }
});
