import assert from 'node:assert/strict';
import {
  apply,
  configOf,
  createProfile,
  FACTORY,
  FREEZER,
  FRIDGE,
  HOT_WATER,
  jobOf,
  obey,
  register,
  registerMany,
  report,
  untilEnded,
} from './support/fleet.ts';
import { startService, type TestService } from './support/service.ts';

describe('Applying a profile', () => {
  let dms: TestService;
  let serial: string;
  let serials = 0;
  const nextSerial = () => `LOGGER-${++serials}`;

  before(async () => {
    dms = await startService();
    for (const profile of [HOT_WATER, FRIDGE, FREEZER]) await createProfile(dms, profile);
    await createProfile(dms, { name: 'Intervals', intervals: { measurementIntervalMinutes: 10 } });
    await createProfile(dms, { name: 'Slow', intervals: { transmissionIntervalSeconds: 86_400 } });
  });
  after(() => dms.stop());

  beforeEach(async () => {
    serial = nextSerial();
    await register(dms, serial);
  });

  it('ends succeeded when every device has reported that it runs the change', async () => {
    const other = nextSerial();
    await register(dms, other);
    const jobId = await apply(dms, 'hot-water-guard', { serialNumbers: [serial, other] });
    await obey(dms, serial);
    assert.equal((await jobOf(dms, jobId)).status, 'running');
    await obey(dms, other);
    const job = await untilEnded(dms, jobId);
    assert.equal(job.status, 'succeeded');
    assert.equal(job.counts.applied, 2);
  });
});
