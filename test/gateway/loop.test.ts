/** The loop with a logger over CoAP (devices.md, sections 0 and 1.8), against the running service. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import {
  apply,
  configOf,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  register,
  untilEnded,
} from '../support/fleet.ts';
import {
  type Entry,
  HUMIDITY,
  type Logger,
  type Reply,
  SENSOR_ERROR,
  TEMPERATURE,
} from '../support/logger.ts';
import { uint } from '../support/protobuf.ts';
import {
  assetId,
  closeLoggers,
  codesOf,
  config,
  dms,
  HOUR_MS,
  history,
  logger,
  MINUTE_MS,
  newCustomer,
  newDevice,
  open,
  org,
  startGateway,
} from './harness.ts';

const FRIDGE_SLUG = 'vaccine-fridge';
/** All that a profile can set, in a zone that knows no summer time. */
const LARDER = {
  name: 'Larder',
  temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 25.5, transmitOnReturn: false }],
  schedule: {
    always: false,
    days: ['sunday', 'monday'],
    from: '08:00',
    to: '18:30',
    timezone: 'Asia/Kolkata',
  },
  intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 },
};
const T_H_T = [TEMPERATURE, HUMIDITY, TEMPERATURE, 0, 0, 0];

/** Numbers of the fields of ProtoConfig. */
const BASE = 2;
const TRANSMISSION = 3;
const CURRENT_TIME = 8;
const REQUEST = 19;
const FACTOR = 26;
const RULES = 28;
const CALENDARS = 47;

const asset = async () => (await org.api.get(`/assets/${assetId}`)).body;
const targetOf = async (jobId: string) =>
  (await org.api.get(`/devices/config-jobs/${jobId}/targets`)).body.items[0];
const rulesIn = (reply: Reply) => reply.config[RULES] as Entry[] | undefined;

/** What is not answered is done when something shows it. */
const untilStored = (count: number) => eventually(history, (items) => items.length === count);

/** Reported once, and nothing waits for it. */
async function settled(): Promise<void> {
  await logger.measure();
  assert.deepEqual(codesOf(await logger.report()), ['2.01']);
}

const applyTo = (slug: string) => apply(org, slug, { serialNumbers: [logger.serial] });

describe('A logger over CoAP', () => {
  before(() => startGateway());
  after(() => dms.stop());
  beforeEach(async () => {
    await newCustomer();
    await newDevice();
  });
  afterEach(closeLoggers);

  describe('that measures', () => {
    it('is acknowledged when its readings are in the history', async () => {
      const at = new Date(Math.floor(Date.now() / 1000) * 1000);
      const reply = await logger.measure({ values: [4.2, SENSOR_ERROR, -0.1], at });
      const items = await history();
      assert.deepEqual([reply.type, reply.code], [2, '2.01']);
      assert.deepEqual(
        items.map(({ channel, type, value, error, measuredAt }: Record<string, unknown>) => [
          channel,
          type,
          value ?? error,
          measuredAt,
        ]),
        [-0.1, SENSOR_ERROR, 4.2].map((value, index) => [
          1,
          'temperature',
          value,
          new Date(at.getTime() - index * MINUTE_MS).toISOString(),
        ]),
      );
    });

    it('shows battery, signal and its newest reading at its asset', async () => {
      await logger.measure({ signal: 9, isBatteryOk: false });
      const { status, batteryStatus, signalStrength, lastReadingAt } = await asset();
      assert.deepEqual([status, batteryStatus, signalStrength], ['online', 'low', 'poor']);
      assert.ok(Math.abs(Date.parse(lastReadingAt) - Date.now()) < 5_000);
    });

    it('is told the time with every acknowledgement', async () => {
      const { config: answer } = await logger.measure();
      assert.ok(Math.abs((answer[CURRENT_TIME] as number) - Date.now() / 1000) < 3);
    });

    it('is asked for its configuration until it has reported the one that it runs', async () => {
      assert.equal((await logger.measure()).config[REQUEST], 1);
      await logger.report();
      assert.deepEqual(Object.keys((await logger.measure()).config), [String(CURRENT_TIME)]);
    });

    it('under the prefix efento is served the same', async () => {
      const { payload } = await logger.send('efento/t', Buffer.alloc(0), { method: 1 });
      assert.equal(payload.length, 4);
    });

    it('without wanting an answer gets none, and its readings are stored', async () => {
      await logger.measure({ confirmable: false });
      await untilStored(1);
      assert.equal((await logger.measure()).code, '2.01');
      assert.equal(logger.heard.length, 1);
    });

    it('and sends a datagram again gets the same bytes, and is stored once', async () => {
      const frame = logger.frame({ values: [1, 2] });
      const [first, second] = [await logger.exchange(frame), await logger.exchange(frame)];
      assert.deepEqual(second.bytes, first.bytes);
      assert.equal((await history()).length, 2);
    });

    it('and sends a datagram again before it is answered gets the same bytes, and is stored once', async () => {
      await Promise.all(Array.from({ length: 5 }, (_, index) => logger.measure({ messageId: 500 + index })));
      const frame = logger.frame({ at: new Date(Date.now() - HOUR_MS) });
      const replies = await Promise.all([logger.exchange(frame), logger.exchange(frame)]);
      assert.deepEqual(replies[1]?.bytes, replies[0]?.bytes);
      assert.equal((await history()).filter(({ late }: { late: boolean }) => late).length, 1);
    });

    it('and sends readings again in another datagram is acknowledged, and they are stored once', async () => {
      const at = new Date();
      const replies = [await logger.measure({ at }), await logger.measure({ at })];
      assert.deepEqual(codesOf(replies), ['2.01', '2.01']);
      assert.equal((await history()).length, 1);
    });

    it('in words that are none is refused with 4.00, or left without an answer', async () => {
      const noise = Buffer.from('0a06282c02', 'hex');
      for (const path of ['m', 'c', 'i']) {
        assert.equal((await logger.send(path, noise)).code, '4.00', path);
        await logger.send(path, noise, { confirmable: false });
      }
      assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
      assert.equal(logger.heard.length, 4);
    });
  });

  describe('that asks for the time', () => {
    it('gets four bytes of unix seconds, by GET and by POST', async () => {
      for (const method of [1, 2]) {
        const { code, payload } = await logger.send('t', Buffer.alloc(0), { method });
        assert.deepEqual([code, payload.length], ['2.05', 4]);
        assert.ok(Math.abs(payload.readUInt32BE() - Date.now() / 1000) < 3);
      }
    });
  });

  describe('with a change that waits for it', () => {
    beforeEach(async () => {
      await createProfile(org, FRIDGE);
      await createProfile(org, LARDER);
    });

    it('gets it with the acknowledgement of its next frame, in the numbers of the protocol', async () => {
      await settled();
      await applyTo('larder');
      const { config: answer } = await logger.measure();
      assert.deepEqual([answer[BASE], answer[FACTOR], answer[TRANSMISSION]], [300, 1, 21_600]);
      assert.equal(answer[REQUEST], 1);
      const unused = { 2: 1 };
      const rules = answer[RULES] as Entry[];
      assert.deepEqual(rules.slice(0, 2), [
        { 1: 1, 2: 2, 3: [255, 0, 3, 1, 1], 4: 2 },
        { 1: 1, 2: 6, 3: [2, 1, 0, 0, 864_001], 4: 1 },
      ]);
      assert.equal(rules.length, 12);
      for (const { 2: condition } of rules.slice(2)) assert.deepEqual({ 2: condition }, unused);
      const calendars = answer[CALENDARS] as Entry[];
      assert.deepEqual(calendars[0], { 1: 0b11, 2: [0b11, 480, 1_110, 22], 3: 2 });
      assert.deepEqual(
        calendars.slice(1).map((each) => each[3]),
        [1, 1, 1, 1, 1],
      );
    });

    it('does not get it in answer to a frame that wants none: it stays pending, and comes with the next one', async () => {
      await settled();
      const jobId = await applyTo(FRIDGE_SLUG);
      const before = (await history()).length;
      await logger.measure({ confirmable: false, at: new Date(Date.now() - HOUR_MS) });
      await untilStored(before + 1);
      assert.equal((await config()).syncStatus, 'pending');
      assert.equal((await jobOf(org, jobId)).counts.waiting, 1);
      assert.ok(rulesIn(await logger.measure()));
      assert.equal((await config()).syncStatus, 'sent');
      assert.equal((await jobOf(org, jobId)).counts.sent, 1);
    });

    it('does not get it in answer to a report or to device info', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      assert.deepEqual(
        (await logger.report()).map(({ payload }) => payload.length),
        [0],
      );
      assert.equal((await logger.tell({ version: 0x0614 })).payload.length, 0);
      assert.equal((await config()).syncStatus, 'pending');
    });

    it('confirms it by a report in two parts, the last one first, without answers', async () => {
      await settled();
      const jobId = await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      const heardBefore = logger.heard.length;
      await logger.report({ order: [2, 1], confirmable: false });
      const { pendingConfig, deviceConfig } = await eventually(
        config,
        ({ syncStatus }) => syncStatus === 'applied',
      );
      assert.equal(pendingConfig, null);
      assert.deepEqual(
        deviceConfig.alarmRules.slice(0, 2).map(({ threshold }: { threshold: number }) => threshold),
        [8, 2],
      );
      assert.equal((await untilEnded(org, jobId)).status, 'succeeded');
      assert.equal(logger.heard.length, heardBefore);
    });

    it('by one part of a report alone has confirmed nothing', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      await logger.report({ order: [2, 2] });
      assert.equal((await config()).syncStatus, 'sent');
    });

    it('that never reported before confirms with its first report', async () => {
      const jobId = await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      assert.equal((await config()).syncStatus, 'no_device_report');
      await logger.report({ confirmable: false });
      await eventually(config, ({ syncStatus }) => syncStatus === 'applied');
      assert.equal((await untilEnded(org, jobId)).status, 'succeeded');
    });

    it('gets it again with the next frame when the answer was lost', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      const lost = await logger.measure();
      const again = await logger.measure({ at: new Date(Date.now() + 1_000) });
      assert.deepEqual(rulesIn(again), rulesIn(lost));
      logger.take(again);
      await logger.report();
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('and reports the old configuration afterwards has lost the answer: pending again, and failed the third time', async () => {
      await settled();
      const jobId = await applyTo(FRIDGE_SLUG);
      const seen: string[] = [];
      for (let round = 0; round < 3; round++) {
        assert.ok(rulesIn(await logger.measure()));
        await logger.report();
        seen.push((await config()).syncStatus);
      }
      assert.deepEqual(seen, ['pending', 'pending', 'failed']);
      assert.match((await targetOf(jobId)).reason, /alarmRules/);
      assert.equal(rulesIn(await logger.measure()), undefined);
    });

    it('refuses it by an error newer than its fetch: failed, with the reason, and offered no more', async () => {
      await settled();
      const jobId = await applyTo(FRIDGE_SLUG);
      await logger.measure();
      await logger.report({ errors: { codes: [20_738], at: new Date() } });
      assert.equal((await config()).syncStatus, 'failed');
      const { state, reason } = await targetOf(jobId);
      assert.equal(state, 'failed');
      assert.match(reason, /20738/);
      assert.equal(rulesIn(await logger.measure()), undefined);
      assert.equal((await untilEnded(org, jobId)).status, 'completed_with_failures');
    });

    it('runs it, as its frames show, but has not confirmed it before it reports', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      const reply = await logger.measure();
      assert.ok(rulesIn(reply));
      assert.equal(reply.config[REQUEST], 1);
      assert.equal((await config()).syncStatus, 'sent');
    });

    it('does not refuse it by an error that it keeps repeating', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      await logger.report({ errors: { codes: [20_738], at: new Date(Date.now() - 5 * MINUTE_MS) } });
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('does not refuse it by an error that it reported before the fetch', async () => {
      await settled();
      await applyTo(FRIDGE_SLUG);
      await logger.report({ errors: { codes: [20_738], at: new Date() } });
      assert.equal((await config()).syncStatus, 'pending');
    });

    it('gets a later change in one with it, and both are confirmed together', async () => {
      await settled();
      await createProfile(org, { name: 'Slow', intervals: { transmissionIntervalSeconds: 7_200 } });
      const jobs = [await applyTo(FRIDGE_SLUG), await applyTo('slow')];
      const reply = await logger.measure();
      assert.ok(rulesIn(reply));
      assert.equal(reply.config[TRANSMISSION], 7_200);
      logger.take(reply);
      await logger.report();
      for (const jobId of jobs) assert.equal((await targetOf(jobId)).state, 'applied');
    });
  });

  describe('among others that lose answers, reports and parts of reports', () => {
    interface Round {
      wantsAnswer: boolean;
      hearsAnswer: boolean;
      isReportHeard: boolean;
      /** Not split when there are none. */
      parts?: [1 | 2, 1 | 2];
    }
    const rounds: fc.Arbitrary<Round[]> = fc.array(
      fc.record({
        wantsAnswer: fc.boolean(),
        hearsAnswer: fc.boolean(),
        isReportHeard: fc.boolean(),
        parts: fc.constantFrom<Round['parts']>(undefined, [1, 2], [2, 1], [2, 2]),
      }),
      { maxLength: 6 },
    );

    async function live(device: Logger, round: Round): Promise<void> {
      const { wantsAnswer, hearsAnswer, isReportHeard, parts } = round;
      const reply = await device.measure({ confirmable: wantsAnswer });
      if (!wantsAnswer || !hearsAnswer) return;
      device.take(reply);
      if (reply.config[REQUEST] && isReportHeard) await device.report({ order: parts });
    }

    it('ends up with what was applied, and nobody but itself had to do anything', async () => {
      await createProfile(org, LARDER);
      await fc.assert(
        fc.asyncProperty(fc.array(rounds, { minLength: 8, maxLength: 8 }), async (lives) => {
          const fleet = await Promise.all(lives.map(() => open()));
          for (const device of fleet) await register(org, device.serial);
          const jobId = await apply(org, 'larder', { serialNumbers: fleet.map(({ serial }) => serial) });
          await Promise.all(
            fleet.map(async (device, index) => {
              for (const round of lives[index] ?? []) await live(device, round);
              await live(device, { wantsAnswer: true, hearsAnswer: true, isReportHeard: true });
            }),
          );
          assert.equal((await untilEnded(org, jobId)).counts.applied, fleet.length);
          for (const { serial } of fleet) {
            const { syncStatus, pendingConfig } = await configOf(org, serial);
            assert.deepEqual([syncStatus, pendingConfig], ['applied', null]);
          }
        }),
        { numRuns: 10 },
      );
    });
  });

  describe('that is changed on site', () => {
    it('shows another number: drifted, and it is asked for its configuration, which does not change by that', async () => {
      await settled();
      const before = await config();
      logger.changeOnSite(uint(TRANSMISSION, 7_200));
      assert.equal((await logger.measure()).config[REQUEST], 1);
      assert.deepEqual(await config(), { ...before, syncStatus: 'drifted' });
    });

    it('reports what it runs: drifted, until it reports what it had confirmed', async () => {
      await settled();
      logger.changeOnSite(uint(TRANSMISSION, 7_200));
      await logger.report();
      const { syncStatus, deviceConfig } = await config();
      assert.deepEqual([syncStatus, deviceConfig.transmissionInterval], ['drifted', 7_200]);
      logger.changeOnSite(uint(TRANSMISSION, 3_600));
      await logger.measure();
      await logger.report();
      assert.equal((await config()).syncStatus, 'applied');
      assert.equal((await logger.measure()).config[REQUEST], undefined);
    });

    it('without an answer is noticed as well', async () => {
      await settled();
      logger.changeOnSite(uint(TRANSMISSION, 7_200));
      await logger.measure({ confirmable: false });
      await eventually(config, ({ syncStatus }) => syncStatus === 'drifted');
    });
  });

  describe('that tells of itself', () => {
    it('is known by its firmware, its battery and its radio', async () => {
      assert.equal((await logger.tell({ version: 0x060a, rssi: -80 })).code, '2.01');
      assert.equal((await asset()).signalStrength, 'good');
      const [row] = await query<{ info: Record<string, unknown> }>(
        dms.service.sql,
        'select device_info as info from device_states where asset_id = ?',
        [assetId],
      );
      assert.deepEqual([row?.info.softwareVersion, row?.info.batteryMillivolts], ['06.10', 3_600]);
    });

    it('without a radio keeps the signal that its frames showed', async () => {
      await logger.measure({ signal: 12 });
      await logger.tell({ version: 0x060a });
      assert.equal((await asset()).signalStrength, 'fair');
    });

    it('holds 16 rules from firmware 07.02 on: what waits is made longer', async () => {
      await createProfile(org, FRIDGE);
      await applyTo(FRIDGE_SLUG);
      assert.equal((await config()).pendingConfig.alarmRules.length, 12);
      await logger.tell({ version: 0x0701 });
      assert.equal((await config()).pendingConfig.alarmRules.length, 12);
      await logger.tell({ version: 0x0702 });
      assert.equal(rulesIn(await logger.measure())?.length, 16);
    });

    it('holds 16 rules for every change to come as well', async () => {
      await logger.tell({ version: 0x0702 });
      await createProfile(org, FRIDGE);
      await applyTo(FRIDGE_SLUG);
      assert.equal(rulesIn(await logger.measure())?.length, 16);
    });
  });

  describe('whose channels are not known yet', () => {
    const waiting = async () => (await org.device.get(`/devices/${logger.serial}/pending-config`)).body;

    beforeEach(async () => {
      await newDevice({ channelTypes: T_H_T });
      await createProfile(org, FRIDGE);
    });

    for (const [what, show] of [
      ['a frame', () => logger.measure({ confirmable: false })],
      ['a report', () => logger.report({ confirmable: false })],
    ] as const) {
      it(`gets rules for channel 1, and once ${what} shows them for its probe, as a new revision`, async () => {
        const jobId = await applyTo(FRIDGE_SLUG);
        const before = await waiting();
        assert.deepEqual([before.revision, before.config.alarmRules[0].slotNumbers], [1, [0]]);
        await show();
        const after = await eventually(waiting, ({ revision }) => revision > 1);
        assert.deepEqual([after.revision, after.config.alarmRules[0].slotNumbers], [2, [2]]);
        const reply = await logger.measure();
        assert.deepEqual(
          rulesIn(reply)
            ?.slice(0, 3)
            .map((rule) => rule[1]),
          [4, 4, 4],
        );
        logger.take(reply);
        await logger.report();
        assert.equal((await config()).syncStatus, 'applied');
        assert.equal((await targetOf(jobId)).state, 'applied');
      });
    }

    it('gets rules for its probe in answer to the very frame that shows them', async () => {
      await applyTo(FRIDGE_SLUG);
      assert.equal(rulesIn(await logger.measure())?.[0]?.[1], 4);
    });

    it('gets its rules where later frames show its probe, once they show more than the first', async () => {
      await logger.measure({ types: [HUMIDITY] });
      await applyTo(FRIDGE_SLUG);
      assert.equal(rulesIn(await logger.measure({ types: [HUMIDITY] }))?.[0]?.[1], 1);
      assert.equal(rulesIn(await logger.measure({ types: [HUMIDITY, TEMPERATURE] }))?.[0]?.[1], 2);
      assert.equal(rulesIn(await logger.measure({ types: [0, TEMPERATURE] }))?.[0]?.[1], 2);
      assert.equal((await waiting()).revision, 2);
    });

    it('gets other rules when its report shows its probe elsewhere, although it has confirmed them', async () => {
      const jobId = await applyTo(FRIDGE_SLUG);
      logger.take(await logger.measure());
      await logger.report();
      assert.equal((await config()).syncStatus, 'applied');
      const repaired = await open({ serial: logger.serial, channelTypes: [TEMPERATURE, 0, 0, 0, 0, 0] });
      await repaired.report();
      assert.equal((await config()).syncStatus, 'pending');
      const reply = await repaired.measure();
      assert.equal(rulesIn(reply)?.[0]?.[1], 1);
      repaired.take(reply);
      await repaired.report();
      assert.equal((await config()).syncStatus, 'applied');
      assert.equal((await targetOf(jobId)).state, 'applied');
    });

    it('gets rules compiled again that a later schedule was laid over, and keeps its windows', async () => {
      await applyTo(FRIDGE_SLUG);
      const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
      await applyTo(await createProfile(org, { name: 'Mondays', schedule }));
      logger.take(await logger.measure());
      await logger.report();
      const { syncStatus, deviceConfig } = await config();
      assert.deepEqual([syncStatus, deviceConfig.alarmRules[0].slotNumbers], ['applied', [2]]);
      const repaired = await open({ serial: logger.serial, channelTypes: [TEMPERATURE, 0, 0, 0, 0, 0] });
      await repaired.report();
      const { pendingConfig } = await config();
      assert.deepEqual(pendingConfig.alarmRules[0].slotNumbers, [0]);
      assert.deepEqual(
        Object.keys(pendingConfig),
        ['alarmRules'],
        'windows name rules by their positions, which stay',
      );
    });

    describe('and that refused a change', () => {
      let before: Logger;
      const refuse = async () => {
        await before.measure();
        await before.report({ errors: { codes: [5] } });
        assert.equal((await config()).syncStatus, 'failed');
      };
      const rulesAt = async () => (await config()).pendingConfig.alarmRules[0].slotNumbers;

      beforeEach(async () => {
        before = await open({ serial: logger.serial, channelTypes: [TEMPERATURE, 0, 0, 0, 0, 0] });
        await before.report();
      });

      it('gets the rules that it runs compiled again all the same', async () => {
        await applyTo(FRIDGE_SLUG);
        before.take(await before.measure());
        await before.report();
        assert.equal((await config()).syncStatus, 'applied');
        await applyTo(
          await createProfile(org, { name: 'Often', intervals: { transmissionIntervalSeconds: 60 } }),
        );
        await refuse();
        await logger.report();
        assert.deepEqual([await rulesAt(), (await config()).syncStatus], [[2], 'pending']);
      });

      it('gets the refused rules for its channels, as another change', async () => {
        await applyTo(FRIDGE_SLUG);
        await refuse();
        await logger.report();
        assert.deepEqual([await rulesAt(), (await config()).syncStatus], [[2], 'pending']);
      });

      it('gets them for its channels by a retry, too', async () => {
        const jobId = await applyTo(FRIDGE_SLUG);
        await refuse();
        await logger.report();
        assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/retry`)).status, 201);
        assert.deepEqual(await rulesAt(), [2]);
        const reply = await logger.measure();
        assert.equal(rulesIn(reply)?.[0]?.[1], 4);
        logger.take(reply);
        await logger.report();
        assert.equal((await config()).syncStatus, 'applied');
      });
    });

    it('is taken to have the channels that its frames show while its report names none', async () => {
      const starting = await open({ serial: logger.serial, channelTypes: [0, 0, 0, 0, 0, 0] });
      await starting.measure({ types: [HUMIDITY, TEMPERATURE] });
      await starting.report();
      await applyTo(FRIDGE_SLUG);
      assert.equal(rulesIn(await starting.measure({ types: [HUMIDITY, TEMPERATURE] }))?.[0]?.[1], 2);
    });

    for (const [what, show] of [
      ['frame', (fresh: Logger) => fresh.measure({ types: [TEMPERATURE] })],
      ['report', (fresh: Logger) => fresh.report()],
    ] as const) {
      it(`gets the rules of the hardware before it for its own channels, which its first ${what} shows`, async () => {
        await logger.tell({ version: 0x0702 });
        await applyTo(FRIDGE_SLUG);
        logger.take(await logger.measure());
        await logger.report();
        const fresh = await open({ channelTypes: [TEMPERATURE, 0, 0, 0, 0, 0] });
        await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: fresh.serial });
        await show(fresh);
        const reply = await fresh.measure({ types: [TEMPERATURE] });
        assert.deepEqual([rulesIn(reply)?.[0]?.[1], rulesIn(reply)?.length], [1, 12]);
        fresh.take(reply);
        await fresh.report();
        assert.equal((await configOf(org, fresh.serial)).syncStatus, 'applied');
        await fresh.measure({ types: [TEMPERATURE], values: [15], at: new Date(Date.now() + MINUTE_MS) });
        assert.equal((await org.api.get(`/alerts?assetId=${assetId}&status=new`)).body.totalItems, 1);
      });
    }

    it('is believed its report more than its frames', async () => {
      await logger.report();
      await logger.measure({ types: [TEMPERATURE] });
      await applyTo(FRIDGE_SLUG);
      assert.equal(rulesIn(await logger.measure({ types: [TEMPERATURE] }))?.[0]?.[1], 4);
    });
  });
});
