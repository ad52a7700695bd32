/**
 * How changes follow the hardware that a logger reports over CoAP: its temperature channels, and its number
 * of rules.
 */
import assert from 'node:assert/strict';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { configOf, createProfile, eventually, FRIDGE } from '../support/fleet.ts';
import type { Logger, Reply } from '../support/logger.ts';
import { type Entry, HUMIDITY, TEMPERATURE } from '../support/logger-payloads.ts';
import { type LoggerSetup, useGateway } from './harness.ts';

const FRIDGE_SLUG = 'vaccine-fridge';
/** The probe is on channel 3. */
const T_H_T = [TEMPERATURE, HUMIDITY, TEMPERATURE, 0, 0, 0];
/** The probe is on channel 1. */
const T_ONLY = [TEMPERATURE, 0, 0, 0, 0, 0];

/** Fields of ProtoConfig. */
const RULES = 28;

const rulesIn = (reply: Reply) => reply.config[RULES] as Entry[] | undefined;
/** The bit mask of the first rule's channels. */
const channelMask = (reply: Reply) => rulesIn(reply)?.[0]?.[1];

const pendingOf = async ({ org, logger }: LoggerSetup) =>
  (await org.device.get(`/devices/${logger.serial}/pending-config`)).body;
const pendingSlots = async ({ config }: LoggerSetup) =>
  (await config()).pendingConfig.alarmRules[0].slotNumbers;

async function applyAndReport(logger: Logger, reply: Reply): Promise<void> {
  logger.applyAnswer(reply);
  await logger.report();
}

describe('A change of a logger over CoAP', () => {
  const gateway = useGateway();

  async function withFridge(channelTypes = T_H_T): Promise<LoggerSetup> {
    const setup = await gateway.newLogger({ channelTypes });
    await createProfile(setup.org, FRIDGE);
    return setup;
  }

  describe('for a logger with unknown channels', () => {
    for (const [what, show] of [
      ['a frame', (logger: Logger) => logger.measure({ confirmable: false })],
      ['a report', (logger: Logger) => logger.report({ confirmable: false })],
    ] as const) {
      it(`uses channel 1 at first, and is compiled for the probe as a new revision once ${what} shows it`, async () => {
        const setup = await withFridge();
        const { logger, config, target } = setup;
        const jobId = await setup.applyProfile(FRIDGE_SLUG);
        const before = await pendingOf(setup);
        assert.deepEqual([before.revision, before.config.alarmRules[0].slotNumbers], [1, [0]]);
        await show(logger);
        const after = await eventually(
          () => pendingOf(setup),
          ({ revision }) => revision > 1,
        );
        assert.deepEqual([after.revision, after.config.alarmRules[0].slotNumbers], [2, [2]]);
        const reply = await logger.measure();
        assert.deepEqual(
          rulesIn(reply)
            ?.slice(0, 3)
            .map((rule) => rule[1]),
          [4, 4, 4],
        );
        await applyAndReport(logger, reply);
        assert.equal((await config()).syncStatus, 'applied');
        assert.equal((await target(jobId)).state, 'applied');
      });
    }

    it('compiles for the probe in answer to the very frame that shows it', async () => {
      const { logger, applyProfile } = await withFridge();
      await applyProfile(FRIDGE_SLUG);
      assert.equal(channelMask(await logger.measure()), 4);
    });

    it('is compiled for the probe as a new revision once the model of its asset tells where that is', async () => {
      const setup = await withFridge();
      await setup.applyProfile(FRIDGE_SLUG);
      const { assetId } = await setup.config();
      await setup.org.api.patch(`/assets/${assetId}`, { model: 'TVO-THT' });
      const { revision, config } = await pendingOf(setup);
      assert.deepEqual([revision, config.alarmRules[0].slotNumbers], [2, [2]]);
      assert.equal(channelMask(await setup.logger.measure()), 4);
    });

    it('compiles again when later frames show more channels than the first', async () => {
      const setup = await withFridge();
      const { logger } = setup;
      await logger.measure({ types: [HUMIDITY] });
      await setup.applyProfile(FRIDGE_SLUG);
      assert.equal(channelMask(await logger.measure({ types: [HUMIDITY] })), 1);
      assert.equal(channelMask(await logger.measure({ types: [HUMIDITY, TEMPERATURE] })), 2);
      assert.equal(channelMask(await logger.measure({ types: [0, TEMPERATURE] })), 2);
      assert.equal((await pendingOf(setup)).revision, 2);
    });

    it('compiles for the channels of the frames while the report names none', async () => {
      const { logger, open, applyProfile } = await withFridge();
      const starting = await open({ serial: logger.serial, channelTypes: [0, 0, 0, 0, 0, 0] });
      await starting.measure({ types: [HUMIDITY, TEMPERATURE] });
      await starting.report();
      await applyProfile(FRIDGE_SLUG);
      assert.equal(channelMask(await starting.measure({ types: [HUMIDITY, TEMPERATURE] })), 2);
    });

    it('compiles for the channels of the report if its frames show others', async () => {
      const { logger, applyProfile } = await withFridge();
      await logger.report();
      await logger.measure({ types: [TEMPERATURE] });
      await applyProfile(FRIDGE_SLUG);
      assert.equal(channelMask(await logger.measure({ types: [TEMPERATURE] })), 4);
    });
  });

  describe('when a report shows the probe on another channel', () => {
    it('compiles again even after the confirmation', async () => {
      const { logger, open, applyProfile, config, target } = await withFridge();
      const jobId = await applyProfile(FRIDGE_SLUG);
      await applyAndReport(logger, await logger.measure());
      assert.equal((await config()).syncStatus, 'applied');
      const repaired = await open({ serial: logger.serial, channelTypes: T_ONLY });
      await repaired.report();
      assert.equal((await config()).syncStatus, 'pending');
      const reply = await repaired.measure();
      assert.equal(channelMask(reply), 1);
      await applyAndReport(repaired, reply);
      assert.equal((await config()).syncStatus, 'applied');
      assert.equal((await target(jobId)).state, 'applied');
    });

    it('compiles again with the calendars of a later schedule unchanged', async () => {
      const { org, logger, open, applyProfile, config } = await withFridge();
      await applyProfile(FRIDGE_SLUG);
      const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
      await applyProfile(await createProfile(org, { name: 'Mondays', schedule }));
      await applyAndReport(logger, await logger.measure());
      const { syncStatus, deviceConfig } = await config();
      assert.deepEqual([syncStatus, deviceConfig.alarmRules[0].slotNumbers], ['applied', [2]]);
      const repaired = await open({ serial: logger.serial, channelTypes: T_ONLY });
      await repaired.report();
      const { pendingConfig } = await config();
      assert.deepEqual(pendingConfig.alarmRules[0].slotNumbers, [0]);
      assert.deepEqual(
        Object.keys(pendingConfig),
        ['alarmRules'],
        'calendars name rules by position, which stays the same',
      );
    });
  });

  describe('that the logger refused before it showed its channels', () => {
    /**
     * `before` is the same logger while its probe is on channel 1; the logger of the setup has it on channel
     * 3.
     */
    async function withLoggerBefore() {
      const setup = await withFridge();
      const before = await setup.open({ serial: setup.logger.serial, channelTypes: T_ONLY });
      await before.report();
      return { ...setup, before };
    }

    async function refuse({ before, config }: Awaited<ReturnType<typeof withLoggerBefore>>): Promise<void> {
      await before.measure();
      await before.report({ errors: { codes: [5] } });
      assert.equal((await config()).syncStatus, 'failed');
    }

    it('leaves the running rules of the logger to be compiled again', async () => {
      const setup = await withLoggerBefore();
      const { org, before, logger, config } = setup;
      await setup.applyProfile(FRIDGE_SLUG);
      await applyAndReport(before, await before.measure());
      assert.equal((await config()).syncStatus, 'applied');
      const often = { name: 'Often', intervals: { transmissionIntervalSeconds: 60 } };
      await setup.applyProfile(await createProfile(org, often));
      await refuse(setup);
      await logger.report();
      assert.deepEqual([await pendingSlots(setup), (await config()).syncStatus], [[2], 'pending']);
    });

    it('compiles for its channels and offers the result as another change', async () => {
      const setup = await withLoggerBefore();
      await setup.applyProfile(FRIDGE_SLUG);
      await refuse(setup);
      await setup.logger.report();
      assert.deepEqual([await pendingSlots(setup), (await setup.config()).syncStatus], [[2], 'pending']);
    });

    it('compiles for its channels by a retry', async () => {
      const setup = await withLoggerBefore();
      const { org, logger, config } = setup;
      const jobId = await setup.applyProfile(FRIDGE_SLUG);
      await refuse(setup);
      await logger.report();
      assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/retry`)).status, 201);
      assert.deepEqual(await pendingSlots(setup), [2]);
      const reply = await logger.measure();
      assert.equal(channelMask(reply), 4);
      await applyAndReport(logger, reply);
      assert.equal((await config()).syncStatus, 'applied');
    });
  });

  describe('after the hardware was replaced', () => {
    const measureIn = (minutes: number, fresh: Logger) => {
      const at = new Date(Date.now() + minutes * MINUTE_MS);
      return fresh.measure({ types: [TEMPERATURE], values: [15], at });
    };

    for (const [what, show, openedCount] of [
      ['frame', (fresh: Logger) => measureIn(1, fresh), 1],
      ['report', (fresh: Logger) => fresh.report(), 0],
    ] as const) {
      it(`compiles for the channels in the first ${what} of the new logger, and evaluates its readings by them at once`, async () => {
        const { org, logger, open, assetId, applyProfile } = await withFridge();
        await logger.sendInfo({ version: 0x0702 });
        await applyProfile(FRIDGE_SLUG);
        await applyAndReport(logger, await logger.measure());
        const fresh = await open({ channelTypes: T_ONLY });
        await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: fresh.serial });
        const openAlerts = async () =>
          (await org.api.get(`/alerts?assetId=${assetId}&status=new`)).body.totalItems;
        await show(fresh);
        assert.equal(await openAlerts(), openedCount);
        const reply = await measureIn(2, fresh);
        assert.deepEqual([channelMask(reply), rulesIn(reply)?.length], [1, 12]);
        assert.equal(await openAlerts(), 1);
        await applyAndReport(fresh, reply);
        assert.equal((await configOf(org, fresh.serial)).syncStatus, 'applied');
        await measureIn(3, fresh);
        assert.equal(await openAlerts(), 1);
      });
    }

    it('compiles for the channels that the model of the asset tells, which the new logger only repeats', async () => {
      const setup = await withFridge(T_ONLY);
      const { org, logger, open, assetId } = setup;
      await logger.sendInfo({ version: 0x0702 });
      await setup.applyProfile(FRIDGE_SLUG);
      await applyAndReport(logger, await logger.measure());
      await org.api.patch(`/assets/${assetId}`, { model: 'TVO-THT' });
      const fresh = await open({ channelTypes: T_H_T });
      await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: fresh.serial });
      const reply = await fresh.measure();
      assert.deepEqual([channelMask(reply), rulesIn(reply)?.length], [4, 12]);
      await applyAndReport(fresh, reply);
      assert.equal((await configOf(org, fresh.serial)).syncStatus, 'applied');
    });
  });

  describe('for firmware from 07.02 on', () => {
    it('extends a pending change to 16 rules', async () => {
      const { logger, applyProfile, config } = await withFridge(T_ONLY);
      await applyProfile(FRIDGE_SLUG);
      assert.equal((await config()).pendingConfig.alarmRules.length, 12);
      await logger.sendInfo({ version: 0x0701 });
      assert.equal((await config()).pendingConfig.alarmRules.length, 12);
      await logger.sendInfo({ version: 0x0702 });
      assert.equal(rulesIn(await logger.measure())?.length, 16);
    });

    it('compiles 16 rules when it is applied later', async () => {
      const { logger, applyProfile } = await withFridge(T_ONLY);
      await logger.sendInfo({ version: 0x0702 });
      await applyProfile(FRIDGE_SLUG);
      assert.equal(rulesIn(await logger.measure())?.length, 16);
    });
  });
});
