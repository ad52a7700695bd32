/** The configuration loop over CoAP (docs/devices.md): a change is offered, applied, reported and confirmed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
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
import type { Logger, Reply } from '../support/logger.ts';
import type { Entry } from '../support/logger-payloads.ts';
import { bytes, text, uint, uints } from '../support/protobuf.ts';
import { servers } from '../support/servers.ts';
import { codesOf, type LoggerSetup, useGateway } from './harness.ts';

const FRIDGE_SLUG = 'vaccine-fridge';
/** Sets everything that a profile can set, in a time zone without daylight saving. */
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

/** Numbers of the fields of ProtoConfig. */
const BASE = 2;
const TRANSMISSION = 3;
const APN = 16;
const REQUEST = 19;
const FACTOR = 26;
const RULES = 28;
const DATA_ENDPOINT = 32;
const DNS_SERVER = 42;
const CALENDARS = 47;

/** Enough for eight loggers with up to six exchanges each, which are lost in 32 ways. */
const RUNS = 4;

const rulesIn = (reply: Reply) => reply.config[RULES] as Entry[] | undefined;

async function reportOnce(logger: Logger): Promise<void> {
  await logger.measure();
  assert.deepEqual(codesOf(await logger.report()), ['2.01']);
}

describe('The configuration loop over CoAP', () => {
  /** The last test starts a worker, which ends its jobs. */
  const gateway = useGateway();

  async function withProfiles(): Promise<LoggerSetup> {
    const setup = await gateway.newLogger();
    await createProfile(setup.org, FRIDGE);
    await createProfile(setup.org, LARDER);
    return setup;
  }

  /** The logger runs its factory settings and has reported them. */
  async function reported(): Promise<LoggerSetup> {
    const setup = await withProfiles();
    await reportOnce(setup.logger);
    return setup;
  }

  describe('when it delivers a change', () => {
    it('sends a delay as a count of samples, and opens the alert by the times of the samples', async () => {
      const { org, logger, applyProfile, config } = await gateway.newLogger();
      const at = (minute: number) => new Date(Math.floor(startMs / MINUTE_MS + minute) * MINUTE_MS);
      const startMs = Date.now() - HOUR_MS;
      const alerts = async () => (await org.api.get('/alerts')).body.items;
      await logger.measure({ at: at(0) });
      await logger.report();
      const lasting = { type: 'high', channel: 'probe', highC: 8, delayMinutes: 3, severity: 'warning' };
      await createProfile(org, { slug: 'lasting', temperatureAlerts: [lasting] });
      await applyProfile('lasting');
      const answer = await logger.measure({ at: at(1) });
      assert.deepEqual(rulesIn(answer)?.[0], { 1: 1, 2: 2, 3: [80, 0, 3, 4, 1], 4: 2 });
      logger.applyAnswer(answer);
      await logger.report();
      assert.equal((await config()).syncStatus, 'applied');
      await logger.measure({ at: at(4), values: [9, 9, 9] });
      assert.deepEqual(await alerts(), []);
      await logger.measure({ at: at(5), values: [9] });
      const [{ severity, timestamp, status }] = await alerts();
      assert.deepEqual([severity, timestamp, status], ['warning', at(2).toISOString(), 'new']);
    });

    it('sends the change with the acknowledgement of the next frame, in the units of the protocol', async () => {
      const { logger, applyProfile } = await reported();
      await applyProfile('larder');
      const { config: answer } = await logger.measure();
      assert.deepEqual([answer[BASE], answer[FACTOR], answer[TRANSMISSION]], [300, 1, 21_600]);
      assert.equal(answer[REQUEST], 1);
      const rules = answer[RULES] as Entry[];
      assert.deepEqual(rules.slice(0, 2), [
        { 1: 1, 2: 2, 3: [255, 0, 3, 1, 1], 4: 2 },
        { 1: 1, 2: 6, 3: [2, 1, 0, 0, 864_001], 4: 1 },
      ]);
      assert.equal(rules.length, 12);
      for (const { 2: condition } of rules.slice(2)) assert.equal(condition, 1);
      const calendars = answer[CALENDARS] as Entry[];
      assert.deepEqual(calendars[0], { 1: 0b11, 2: [0b11, 480, 1_110, 22], 3: 2 });
      assert.deepEqual(
        calendars.slice(1).map((each) => each[3]),
        [1, 1, 1, 1, 1],
      );
    });

    it('keeps the change pending after a non-confirmable frame and sends it with the next confirmable one', async () => {
      const { org, logger, applyProfile, history, config } = await reported();
      const jobId = await applyProfile(FRIDGE_SLUG);
      const before = (await history()).length;
      await logger.measure({ confirmable: false, at: new Date(Date.now() - HOUR_MS) });
      await eventually(history, (items) => items.length === before + 1);
      assert.equal((await config()).syncStatus, 'pending');
      assert.equal((await jobOf(org, jobId)).counts.waiting, 1);
      assert.ok(rulesIn(await logger.measure()));
      assert.equal((await config()).syncStatus, 'sent');
      assert.equal((await jobOf(org, jobId)).counts.sent, 1);
    });

    it('sends no change in answer to a report or to device info', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      assert.deepEqual(
        (await logger.report()).map(({ payload }) => payload.length),
        [0],
      );
      assert.equal((await logger.sendInfo({ version: 0x0614 })).payload.length, 0);
      assert.equal((await config()).syncStatus, 'pending');
    });

    it('sends the change again with the next frame when the answer was lost', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      const lost = await logger.measure();
      const again = await logger.measure({ at: new Date(Date.now() + 1_000) });
      assert.deepEqual(rulesIn(again), rulesIn(lost));
      logger.applyAnswer(again);
      await logger.report();
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('sends two changes in one answer, and one report confirms both', async () => {
      const { org, logger, applyProfile, target } = await reported();
      await createProfile(org, { name: 'Slow', intervals: { transmissionIntervalSeconds: 7_200 } });
      const jobs = [await applyProfile(FRIDGE_SLUG), await applyProfile('slow')];
      const reply = await logger.measure();
      assert.ok(rulesIn(reply));
      assert.equal(reply.config[TRANSMISSION], 7_200);
      logger.applyAnswer(reply);
      await logger.report();
      for (const jobId of jobs) assert.equal((await target(jobId)).state, 'applied');
    });
  });

  describe('when the logger reports', () => {
    it('confirms the change by a report in two non-confirmable parts, the last part first', async () => {
      const { logger, applyProfile, config, target } = await reported();
      const jobId = await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      const receivedBefore = logger.received.length;
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
      assert.equal((await target(jobId)).state, 'applied');
      assert.equal(logger.received.length, receivedBefore);
    });

    it('confirms the change by a report with settings of the network that are too long or no text', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      logger.changeOnSite(
        text(APN, 'a'.repeat(60)),
        bytes(DATA_ENDPOINT, Buffer.from([0, 0xff])),
        uints(DNS_SERVER, [8, 8, 8, 8, 8, 8, 4, 4]),
      );
      assert.deepEqual(codesOf(await logger.report()), ['2.01']);
      assert.equal((await config()).syncStatus, 'applied');
    });

    it('confirms no change by one part of a report', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      await logger.report({ order: [2, 2] });
      assert.equal((await config()).syncStatus, 'sent');
    });

    it('confirms the change by the first report of a logger', async () => {
      const { logger, applyProfile, config, target } = await withProfiles();
      const jobId = await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      assert.equal((await config()).syncStatus, 'no_device_report');
      await logger.report({ confirmable: false });
      await eventually(config, ({ syncStatus }) => syncStatus === 'applied');
      assert.equal((await target(jobId)).state, 'applied');
    });

    it('confirms no change by a frame with a new hash, and requests a report', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      const reply = await logger.measure();
      assert.ok(rulesIn(reply));
      assert.equal(reply.config[REQUEST], 1);
      assert.equal((await config()).syncStatus, 'sent');
    });

    it('makes the change pending again by a report of the old configuration, and failed by the third one', async () => {
      const { logger, applyProfile, config, target } = await reported();
      const jobId = await applyProfile(FRIDGE_SLUG);
      const seen: string[] = [];
      for (let round = 0; round < 3; round++) {
        assert.ok(rulesIn(await logger.measure()));
        await logger.report();
        seen.push((await config()).syncStatus);
      }
      assert.deepEqual(seen, ['pending', 'pending', 'failed']);
      assert.match((await target(jobId)).reason, /alarmRules/);
      assert.equal(rulesIn(await logger.measure()), undefined);
    });
  });

  describe('when the logger reports an error', () => {
    it('fails the change by an error newer than its fetch, states the error, and does not offer it again', async () => {
      const { logger, applyProfile, config, target } = await reported();
      const jobId = await applyProfile(FRIDGE_SLUG);
      await logger.measure();
      await logger.report({ errors: { codes: [20_738], at: new Date() } });
      assert.equal((await config()).syncStatus, 'failed');
      const { state, reason } = await target(jobId);
      assert.equal(state, 'failed');
      assert.match(reason, /20738/);
      assert.equal(rulesIn(await logger.measure()), undefined);
    });

    it('keeps a change from failing by an old error that the logger keeps reporting', async () => {
      const { logger, applyProfile, config } = await reported();
      await applyProfile(FRIDGE_SLUG);
      logger.applyAnswer(await logger.measure());
      await logger.report({ errors: { codes: [20_738], at: new Date(Date.now() - 5 * MINUTE_MS) } });
      assert.equal((await config()).syncStatus, 'applied');
    });

    const ERRORS = { none: undefined, 'fast by days': 48 * HOUR_MS };
    for (const [clock, aheadMs] of Object.entries(ERRORS)) {
      it(`confirms the change by a report that repeats an error from before the fetch (time of the error: ${clock})`, async () => {
        const { logger, applyProfile, config } = await withProfiles();
        await logger.measure();
        const at = aheadMs === undefined ? undefined : new Date(Date.now() + aheadMs);
        const errors = { codes: [20_738], ...(at && { at }) };
        await logger.report({ errors });
        await applyProfile(FRIDGE_SLUG);
        logger.applyAnswer(await logger.measure());
        await logger.report({ errors });
        assert.equal((await config()).syncStatus, 'applied');
      });
    }
  });

  describe('when the logger is changed on site', () => {
    it('shows the logger as drifted by its next frame, and requests its configuration', async () => {
      const { logger, config } = await reported();
      const before = await config();
      logger.changeOnSite(uint(TRANSMISSION, 7_200));
      assert.equal((await logger.measure()).config[REQUEST], 1);
      assert.deepEqual(await config(), { ...before, syncStatus: 'drifted' });
    });

    it('shows the logger as drifted by a non-confirmable frame, too', async () => {
      const { logger, config } = await reported();
      logger.changeOnSite(uint(TRANSMISSION, 7_200));
      await logger.measure({ confirmable: false });
      await eventually(config, ({ syncStatus }) => syncStatus === 'drifted');
    });

    it('shows the logger as drifted until it reports the confirmed configuration again', async () => {
      const { logger, config } = await reported();
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
  });

  describe('when answers, reports and parts of reports are lost', () => {
    interface Round {
      wantsAnswer: boolean;
      isAnswerReceived: boolean;
      isReportSent: boolean;
      /** Not split when undefined. */
      parts?: [1 | 2, 1 | 2];
    }
    const rounds: fc.Arbitrary<Round[]> = fc.array(
      fc.record({
        wantsAnswer: fc.boolean(),
        isAnswerReceived: fc.boolean(),
        isReportSent: fc.boolean(),
        parts: fc.constantFrom<Round['parts']>(undefined, [1, 2], [2, 1], [2, 2]),
      }),
      { maxLength: 6 },
    );

    async function play(device: Logger, round: Round): Promise<void> {
      const { wantsAnswer, isAnswerReceived, isReportSent, parts } = round;
      const reply = await device.measure({ confirmable: wantsAnswer });
      if (!wantsAnswer || !isAnswerReceived) return;
      device.applyAnswer(reply);
      if (reply.config[REQUEST] && isReportSent) await device.report({ order: parts });
    }

    it('brings every logger of a fleet to the applied configuration without help', async () => {
      const { org, open } = await gateway.newLogger();
      await createProfile(org, LARDER);
      const worker = await gateway.dms.service.startWorker((await servers()).workflowBundle);
      await fc.assert(
        fc.asyncProperty(fc.array(rounds, { minLength: 8, maxLength: 8 }), async (histories) => {
          const fleet = await Promise.all(histories.map(() => open()));
          for (const device of fleet) await register(org, device.serial);
          const jobId = await apply(org, 'larder', { serialNumbers: fleet.map(({ serial }) => serial) });
          await Promise.all(
            fleet.map(async (device, index) => {
              for (const round of histories[index] ?? []) await play(device, round);
              await eventually(
                async () => {
                  // A frame leaves out what a step of the job has locked just then.
                  await play(device, { wantsAnswer: true, isAnswerReceived: true, isReportSent: true });
                  return configOf(org, device.serial);
                },
                ({ syncStatus }) => syncStatus === 'applied',
              );
            }),
          );
          const { status, counts } = await untilEnded(org, jobId);
          assert.deepEqual([status, counts.applied], ['succeeded', fleet.length]);
          for (const { serial } of fleet) {
            const { syncStatus, pendingConfig } = await configOf(org, serial);
            assert.deepEqual([syncStatus, pendingConfig], ['applied', null]);
          }
        }),
        { numRuns: RUNS },
      );
      await worker.stop(1_000);
    });
  });
});
