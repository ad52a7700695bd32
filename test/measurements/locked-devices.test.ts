/** Devices whose rows another connection has locked are refused alone, after a bounded time. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { query } from '../../src/db/query.ts';
import type { Answer } from '../support/client.ts';
import { apply, configOf, createProfile, FACTORY, register, registerMany, report } from '../support/fleet.ts';
import { allowIdle, untilLockWaits } from '../support/lock-waits.ts';
import { openLogger } from '../support/logger.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const LOCK_TIMEOUT_MS = 400;
/** Longer than any test holds a lock. */
const PATIENCE_MS = 15_000;
const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };

describe('A device that another transaction has locked', () => {
  let dms: TestService;
  let org: TestOrganization;
  let serials: string[];
  let minute = 0;

  function useService(deviceLockTimeoutMs: number): void {
    before(async () => {
      dms = await startService({ withWorker: false, settings: { deviceLockTimeoutMs } });
    });
    after(() => dms.stop());
    beforeEach(async () => {
      org = await dms.addOrganization();
      serials = await registerMany(org, 6);
    });
  }

  const frame = (serial: string, value = 4): Promise<Answer> => {
    const measuredAt = new Date(Date.now() - ++minute * 60_000).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value, measuredAt }];
    return org.device.post(`/devices/${serial}/measurements`, { readings });
  };

  /** Runs `work` while another connection has locked the row of the device in the table. */
  async function whileLocked<T>(
    table: string,
    serial: string,
    work: (holder: Knex) => Promise<T>,
  ): Promise<T> {
    return dms.service.sql.transaction(async (holder) => {
      await allowIdle(holder);
      await query(
        holder,
        `select from ${table} t join assets a on a.organization_id = t.organization_id and a.id = t.asset_id
         where a.organization_id = ? and a.serial_number = ? for no key update of t`,
        [org.id, serial],
      );
      return work(holder);
    });
  }

  function assertRefused({ status, headers, body }: Answer): void {
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(Number(headers['retry-after']) > 0);
  }

  const storedOf = async (serial: string) => {
    const { assetId } = await configOf(org, serial);
    return (await org.api.get(`/assets/${assetId}/measurements`)).body.items.length;
  };

  describe('for longer than the service waits', () => {
    useService(LOCK_TIMEOUT_MS);

    it('refuses a frame with 503, and stores it when it is sent again', async () => {
      const [locked = ''] = serials;
      await whileLocked('device_states', locked, async () => assertRefused(await frame(locked)));
      assert.equal(await storedOf(locked), 0);
      const metrics = await (await fetch(dms.metricsUrl)).text();
      assert.match(metrics, /dms_refused_turns_total\{work="message",reason="locked"\} 1\n/);
      assert.equal((await frame(locked)).status, 202);
      assert.equal(await storedOf(locked), 1);
    });

    for (const table of ['device_configs', 'device_states']) {
      it(`refuses a report: ${table}`, async () => {
        const [locked = ''] = serials;
        await whileLocked(table, locked, async () => assertRefused(await report(org, locked, FACTORY)));
        assert.equal((await configOf(org, locked)).syncStatus, 'no_device_report');
        assert.equal((await report(org, locked, FACTORY)).body.syncStatus, 'applied');
      });
    }

    it('stores a frame while the configuration is locked, and delivers the change with the next one', async () => {
      const [locked = ''] = serials;
      await createProfile(org, DAILY);
      await apply(org, 'daily', { serialNumbers: [locked] });
      await whileLocked('device_configs', locked, async () => {
        const { status, body } = await frame(locked);
        assert.deepEqual([status, body.accepted, body.pendingConfig], [202, 1, null]);
      });
      assert.equal((await configOf(org, locked)).syncStatus, 'no_device_report');
      assert.equal((await frame(locked)).body.pendingConfig.revision, 1);
    });

    it('refuses a change of its organization after twice as long, and makes it when it is sent again', async () => {
      const [locked = ''] = serials;
      await createProfile(org, DAILY);
      const change = () => org.api.put('/devices/config-profiles/daily/apply', { serialNumbers: [locked] });
      await whileLocked('device_configs', locked, async () => {
        const { status, headers } = await change();
        assert.deepEqual([status, headers['retry-after']], [429, '5']);
      });
      assert.equal((await change()).status, 200);
    });

    it('gets 5.03 over CoAP', async () => {
      const locked = '282C02AABBCC';
      await register(org, locked);
      const { token } = await dms.issueKey(org.id, 'device');
      const logger = await openLogger({ serial: locked, token, coapPort: dms.coapPort });
      try {
        await whileLocked('device_states', locked, async () => {
          assert.equal((await logger.measure()).code, '5.03');
        });
        assert.equal((await logger.measure()).code, '2.01');
      } finally {
        await logger.close();
      }
    });
  });

  describe('for less time than the service waits', () => {
    useService(PATIENCE_MS);

    it('stores frames of other devices in its batch while its own waits', async () => {
      const [locked = '', ...others] = serials;
      const { waiting } = await whileLocked('device_states', locked, async () => {
        let isAcknowledged = false;
        const waiting = frame(locked).finally(() => {
          isAcknowledged = true;
        });
        for (const answer of await Promise.all(others.map((serial) => frame(serial))))
          assert.equal(answer.status, 202);
        assert.equal(isAcknowledged, false, 'the others did not wait for it');
        return { waiting };
      });
      assert.equal((await waiting).status, 202);
      for (const serial of serials) assert.equal(await storedOf(serial), 1);
    });

    for (const table of ['device_configs', 'device_states']) {
      it(`answers reports of other devices while its own waits: ${table}`, async () => {
        const [locked = '', ...others] = serials;
        const { waiting } = await whileLocked(table, locked, async () => {
          let isAcknowledged = false;
          const waiting = report(org, locked, FACTORY).finally(() => {
            isAcknowledged = true;
          });
          const answers = await Promise.all(others.map((serial) => report(org, serial, FACTORY)));
          assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
          assert.equal(isAcknowledged, false, 'the others did not wait for it');
          return { waiting };
        });
        assert.equal((await waiting).body.syncStatus, 'applied');
      });
    }

    it('stores its frame once when the lock is released in time', async () => {
      const [locked = ''] = serials;
      const answer = await whileLocked('device_states', locked, async () => {
        const sent = frame(locked);
        await untilLockWaits(dms.service.sql, 1);
        return { sent };
      });
      assert.equal((await answer.sent).status, 202);
      assert.equal(await storedOf(locked), 1);
    });

    it('stores its frames in the order of arrival when it is locked between them', async () => {
      const [locked = ''] = serials;
      const at = new Date().toISOString();
      const value = (number: number) =>
        org.device.post(`/devices/${locked}/measurements`, {
          readings: [{ channel: 1, type: 'temperature', value: number, measuredAt: at }],
        });
      const sent = await whileLocked('device_states', locked, async () => {
        const first = value(1);
        await untilLockWaits(dms.service.sql, 1);
        return { answers: [first, value(2), value(3)] };
      });
      const answers = await Promise.all(sent.answers);
      assert.deepEqual(
        answers.map(({ body }) => [body.accepted, body.conflicts]),
        [
          [1, 0],
          [0, 1],
          [0, 1],
        ],
      );
    });

    it('refuses its messages beyond 100 waiting ones, while other devices and organizations are served', async () => {
      const [locked = '', another = ''] = serials;
      const other = await dms.addOrganization();
      const [neighbour = ''] = await registerMany(other, 1, 'NEIGHBOUR');
      const { sent } = await whileLocked('device_states', locked, async () => {
        const sent = Array.from({ length: 101 }, () => frame(locked));
        const refused = await Promise.race(sent);
        assertRefused(refused);
        assert.match(refused.text, /Too many messages wait/);
        assert.equal((await frame(another)).status, 202);
        assert.equal((await report(other, neighbour, FACTORY)).status, 200);
        return { sent };
      });
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [...Array(100).fill(202), 503]);
    });

    it('delays no other organization, however many of its devices are locked and report', async () => {
      const other = await dms.addOrganization();
      const neighbours = await registerMany(other, 5, 'NEIGHBOUR');
      await createProfile(org, DAILY);
      await apply(org, 'daily', { serialNumbers: serials });
      const { messages } = await dms.service.sql.transaction(async (holder) => {
        for (const table of ['device_configs', 'device_states']) {
          await query(holder, `select from ${table} where organization_id = ? for no key update`, [org.id]);
        }
        const messages = serials.flatMap((serial) => [frame(serial), report(org, serial, FACTORY)]);
        let answered = 0;
        for (const message of messages) void message.then(() => answered++);
        const answers = await Promise.all(
          neighbours.flatMap((serial) => [
            report(other, serial, FACTORY),
            other.device.get(`/devices/${serial}/pending-config`),
          ]),
        );
        assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 204]);
        assert.equal(answered, 0, 'the others did not wait for them');
        return { messages };
      });
      for (const { status } of await Promise.all(messages)) assert.ok(status < 300, `${status}`);
    });
  });
});
