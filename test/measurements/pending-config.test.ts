/** Effects of frames and their answers on the configuration of a device. */
import assert from 'node:assert/strict';
import {
  apply,
  configOf,
  createProfile,
  FACTORY,
  FRIDGE,
  jobOf,
  registerMany,
  report,
} from '../support/fleet.ts';
import { reading } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('A pending change', () => {
  const logger = useLogger();
  const { newSerial, send } = logger;

  beforeEach(async () => {
    await createProfile(logger.org, FRIDGE);
  });

  it('delivers a pending change with the answer to a frame, and counts it as fetched', async () => {
    await report(logger.org, logger.serial, FACTORY);
    const jobId = await apply(logger.org, 'vaccine-fridge', { serialNumbers: [logger.serial] });
    const { pendingConfig } = await configOf(logger.org, logger.serial);
    const { body } = await send([reading()]);
    assert.deepEqual(body.pendingConfig, { revision: 1, config: pendingConfig });
    assert.equal((await configOf(logger.org, logger.serial)).syncStatus, 'sent');
    assert.equal((await jobOf(logger.org, jobId)).counts.sent, 1);
  });

  it('delivers a pending change with every frame until the device confirms it', async () => {
    await apply(logger.org, 'vaccine-fridge', { serialNumbers: [logger.serial] });
    const first = (await send([reading()])).body.pendingConfig;
    assert.deepEqual((await send([reading()])).body.pendingConfig, first);
    await report(logger.org, logger.serial, { ...FACTORY, ...first.config });
    assert.equal((await send([reading()])).body.pendingConfig, null);
    assert.equal((await configOf(logger.org, logger.serial)).syncStatus, 'applied');
  });

  it('delivers no change that the device has refused', async () => {
    await apply(logger.org, 'vaccine-fridge', { serialNumbers: [logger.serial] });
    await send([reading()]);
    await report(logger.org, logger.serial, { ...FACTORY, errors: [{ message: 'no' }] });
    assert.equal((await send([reading()])).body.pendingConfig, null);
  });

  it('counts a change as fetched once per device for a hundred concurrent devices', async () => {
    const fleet = await registerMany(logger.org, 100, newSerial('WAITING'));
    const jobId = await apply(logger.org, 'vaccine-fridge', { serialNumbers: fleet });
    const answers = await Promise.all(fleet.map((each) => send([reading()], {}, each)));
    assert.ok(answers.every(({ body }) => body.pendingConfig.revision === 1));
    assert.equal((await jobOf(logger.org, jobId)).counts.sent, 100);
  });

  it('shows a device as drifted while its frames have another hash than its report', async () => {
    await report(logger.org, logger.serial, { ...FACTORY, configHash: 7 });
    const before = await configOf(logger.org, logger.serial);
    assert.equal((await send([reading()], { configHash: 8 })).status, 202);
    assert.deepEqual(await configOf(logger.org, logger.serial), { ...before, syncStatus: 'drifted' });
    assert.equal((await send([reading()], { configHash: 7 })).status, 202);
    assert.deepEqual(await configOf(logger.org, logger.serial), before);
  });

  it('asks a device for a report while its frames have another hash than its last one', async () => {
    const wantsReport = async (configHash?: number) =>
      (await send([reading()], { configHash })).body.wantsReport;
    assert.equal(await wantsReport(8), true);
    await report(logger.org, logger.serial, { ...FACTORY, configHash: 7 });
    assert.equal(await wantsReport(7), undefined);
    assert.equal(await wantsReport(8), true);
    assert.equal(await wantsReport(), undefined);
    await report(logger.org, logger.serial, { ...FACTORY, configHash: 8 });
    assert.equal(await wantsReport(8), undefined);
  });
});
