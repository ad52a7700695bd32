/** From a frame to what is stored: in batches, beside others that want the same, and while the database is away. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { createPartitionKeeper, dropPartitions, MEASUREMENTS } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import type { StoredFrame } from '../../src/measurements/stored-frame.ts';
import { apply, createProfile, FACTORY, FRIDGE, register, registerMany, report } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  ago,
  asset,
  assetId,
  beginWithLogger,
  dms,
  frame,
  history,
  intakeWith,
  MINUTE_MS,
  newSerial,
  org,
  serial,
} from './harness.ts';

describe('Measurements', () => {
  beginWithLogger();

  describe('through the intake', () => {
    it('a frame that cannot be stored fails alone, and its neighbours are stored', async () => {
      const fleet = await registerMany(org, 20, newSerial('NEIGHBOUR'));
      const intake = intakeWith();
      const spoilt = { channel: 40_000, type: 1, value: 1, error: null, measuredAt: new Date(ago(1)) };
      const settled = await Promise.allSettled([
        ...fleet.slice(0, 10).map((serialNumber) => intake.receive(frame({ serialNumber }))),
        intake.receive(frame({ readings: [spoilt] })),
        ...fleet.slice(10).map((serialNumber) => intake.receive(frame({ serialNumber }))),
      ]);
      assert.deepEqual(
        settled.map((each) => (each.status === 'fulfilled' ? each.value?.accepted : each.status)),
        [...Array(10).fill(1), 'rejected', ...Array(10).fill(1)],
      );
    });

    it('frames of one device in one batch are told apart: each counts what was new with it', async () => {
      const intake = intakeWith();
      const at = (minutes: number) => ({
        channel: 1,
        type: 1,
        value: minutes,
        error: null,
        measuredAt: new Date(ago(minutes)),
      });
      const [a, b, c] = [at(3), at(2), at(1)];
      await intake.receive(frame({ readings: [a] }));
      // The first two keep both batches busy, so that the rest gathers in one.
      const strangers = [1, 2].map(() => intake.receive(frame({ serialNumber: 'STRANGER' })));
      const results = await Promise.all(
        [[a, b], [b, c], [c], [a]].map((readings) => intake.receive(frame({ readings }))),
      );
      await Promise.all(strangers);
      assert.deepEqual(
        results.map((result) => [result?.accepted, result?.duplicates]),
        [
          [1, 1],
          [1, 1],
          [0, 1],
          [0, 1],
        ],
      );
    });

    it('frames of one device in two batches at a time are all in its state', async () => {
      const measuredAt = new Date(ago(1));
      await Promise.all(
        [1, 2, 3, 4, 5, 6].map((channel) =>
          intakeWith().receive(
            frame({ readings: [{ channel, type: 1, value: 1, error: null, measuredAt }] }),
          ),
        ),
      );
      const [row] = await query<{ newestReadingAt: object }>(
        dms.service.sql,
        'select newest_reading_at as "newestReadingAt" from device_states where asset_id = ?',
        [assetId],
      );
      const at = measuredAt.getTime();
      assert.deepEqual(row?.newestReadingAt, { 1: at, 2: at, 3: at, 4: at, 5: at, 6: at });
    });

    for (const [what, change] of [
      ['archived', 'archived_at = now()'],
      ['given new hardware', `serial_number = serial_number || '-B'`],
    ]) {
      it(`a frame that waits while its asset is ${what} is of an unknown device`, async () => {
        const trx = await dms.service.sql.transaction();
        await query(trx, `update assets set ${change} where id = ?`, [assetId]);
        await query(trx, 'update device_states set expected_by = null where asset_id = ?', [assetId]);
        const result = intakeWith().receive(frame());
        await sleep(100);
        await trx.commit();
        assert.equal(await result, null);
      });
    }

    it('large frames are spread over batches, and all stored', async () => {
      const batches: number[] = [];
      const intake = intakeWith({
        measurementsIn: (sql) => {
          const repository = createMeasurementsRepository(sql);
          return {
            ...repository,
            store(sent, states) {
              batches.push(sent.reduce((total, { readings }) => total + readings.length, 0));
              return repository.store(sent, states);
            },
          };
        },
      });
      const readings = (start: number) =>
        Array.from({ length: 1_000 }, (_, index) => ({
          channel: 1,
          type: 1,
          value: 1,
          error: null,
          measuredAt: new Date(Date.now() - (start + index) * 1_000),
        }));
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          intake.receive(frame({ readings: readings(index * 1_000) })),
        ),
      );
      assert.equal(
        results.reduce((total, result) => total + (result?.accepted ?? 0), 0) +
          results.reduce((total, result) => total + (result?.duplicates ?? 0), 0),
        50_000,
      );
      assert.ok(Math.max(...batches) <= 20_000, `${Math.max(...batches)} readings in one batch`);
    });

    it('a sensor error is kept with its code, and is no reading of its asset', async () => {
      const error = { channel: 1, type: 1, value: null, error: 8_388_557, measuredAt: new Date(ago(1)) };
      await intakeWith().receive(frame({ readings: [error] }));
      const [item] = (await history()).items;
      assert.deepEqual([item.value, item.error], [null, 8_388_557]);
      assert.equal((await asset()).lastReadingAt, null);
    });

    it('who judges learns what is new alone, and that a missing device came back', async () => {
      await query(dms.service.sql, `update device_states set status = 'offline' where asset_id = ?`, [
        assetId,
      ]);
      const newestReadingAt: StoredFrame[] = [];
      const intake = intakeWith({ evaluate: async (_, taken) => void newestReadingAt.push(...taken) });
      const same = frame();
      await intake.receive(same);
      await intake.receive(same);
      assert.deepEqual(
        newestReadingAt.map(({ cameOnline, fresh }) => [cameOnline, fresh.length]),
        [
          [true, 1],
          [false, 0],
        ],
      );
    });

    it('nothing is stored when what follows from it fails', async () => {
      const intake = intakeWith({ evaluate: () => Promise.reject(new Error('no')) });
      await assert.rejects(() => intake.receive(frame()) as Promise<unknown>, /no/);
      assert.deepEqual((await history()).items, []);
      assert.equal((await asset()).status, 'new');
    });

    it('a frame is acknowledged when it is stored, even if the change that waits cannot be handed out', async () => {
      await createProfile(org, FRIDGE);
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      const away = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      const result = await intakeWith({ contact: () => Promise.reject(away) }).receive(frame());
      assert.deepEqual([result?.accepted, result?.pendingConfig], [1, null]);
    });

    it('a hash that is not the one of the last report asks for a report, and so does the first one', async () => {
      const hashes = async (configHash: number | null) =>
        (await intakeWith().receive(frame({ configHash })))?.wantsReport;
      assert.deepEqual([await hashes(8), await hashes(null)], [true, false]);
      await report(org, serial, { ...FACTORY, configHash: 7 });
      assert.deepEqual([await hashes(7), await hashes(8), await hashes(null)], [false, true, false]);
    });

    it('a month that another process dropped is made anew', async () => {
      const intake = intakeWith();
      const old = (day: number) => ({
        channel: 1,
        type: 1,
        value: 1,
        error: null,
        measuredAt: new Date(Date.UTC(2016, 4, day)),
      });
      await intake.receive(frame({ readings: [old(1)] }));
      await query(dms.service.sql, 'drop table measurements_201605');
      assert.equal((await intake.receive(frame({ readings: [old(2)] })))?.accepted, 1);
    });

    it('a new month is made by many at once', async () => {
      const readings = [
        { channel: 1, type: 1, value: 1, error: null, measuredAt: new Date(Date.UTC(2016, 7, 1)) },
      ];
      const fleet = await registerMany(org, 10, newSerial('MONTH'));
      const results = await Promise.all(
        fleet.map((serialNumber) => intakeWith().receive(frame({ serialNumber, readings }))),
      );
      assert.ok(results.every((result) => result?.accepted === 1));
    });

    it('months that ended before the retention are dropped, with what was measured then', async () => {
      const intake = intakeWith();
      const at = (month: number) => ({
        channel: 1,
        type: 1,
        value: month,
        error: null,
        measuredAt: new Date(Date.UTC(2017, month, 15)),
      });
      await intake.receive(frame({ readings: [at(0), at(1), at(2)] }));
      const dropped = await dropPartitions(dms.service.sql, MEASUREMENTS, new Date(Date.UTC(2017, 2, 20)));
      assert.deepEqual(dropped.slice(-2), ['measurements_201701', 'measurements_201702']);
      assert.deepEqual(
        (await history()).items.map(({ value }: { value: number }) => value),
        [2],
      );
    });
  });
});

describe('Measurements and a database that goes away', () => {
  let dms: TestService;
  let assetId: string;
  let proxy: Awaited<ReturnType<typeof startProxy>>;

  before(async () => {
    const url = new URL(await newDatabase());
    proxy = await startProxy(Number(url.port), url.hostname);
    url.port = String(proxy.port);
    url.hostname = '127.0.0.1';
    dms = await startService({ withWorker: false, databaseUrl: url.href });
    assetId = await register(dms, 'LOGGER');
  });
  after(async () => {
    await dms.stop();
    await proxy.stop();
  });

  const measuredAt = new Date(Date.now() - MINUTE_MS).toISOString();
  const send = () =>
    dms.device.post('/devices/LOGGER/measurements', {
      readings: [{ channel: 1, type: 'temperature', value: 4.2, measuredAt }],
    });

  it('are refused with 503 and a time to come again, and stored as soon as it is back', async () => {
    await dms.device.get('/devices/LOGGER/pending-config');
    proxy.cut();
    const refused = await send();
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    proxy.restore();
    let answer = await send();
    while (answer.status === 503) {
      await sleep(100);
      answer = await send();
    }
    assert.deepEqual(answer.body, { accepted: 1, duplicates: 0, pendingConfig: null });
  });

  it('as a table break off, so that nobody takes the half for the whole', async () => {
    await createPartitionKeeper(dms.service.sql, MEASUREMENTS).ensure([
      new Date(Date.now() - 40 * 86_400_000),
    ]);
    await query(
      dms.service.sql,
      `insert into measurements (organization_id, asset_id, measured_at, received_at, value, channel, type, late)
       select ?, ?, now() - make_interval(secs => g), now(), g, 2, 1, false from generate_series(1, 200000) g
       on conflict do nothing`,
      [dms.id, assetId],
    );
    const { token } = await dms.issueKey(dms.id, 'customer');
    const { body, statusCode } = await request(`${dms.baseUrl}/assets/${assetId}/measurements`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    assert.equal(statusCode, 200);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    proxy.cut();
    await assert.rejects(async () => {
      for (let next = await chunks.next(); !next.done; ) next = await chunks.next();
    });
    proxy.restore();
  });
});

/** Between the service and its database; cut, it breaks all connections and takes no new ones. */
async function startProxy(targetPort: number, targetHost: string) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy();
    const outer = connect(targetPort, targetHost);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false;
    },
    async stop() {
      cut();
      server.close();
    },
  };
}
