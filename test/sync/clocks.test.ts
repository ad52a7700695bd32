/** Two machines whose clocks are two minutes off, in either direction, serve one device in turns. */
import assert from 'node:assert/strict';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { apply, configOf, createProfile, FACTORY, register, report } from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { sameOrganizationAt } from '../support/stack.ts';
import { CONCURRENT_PROFILES } from './profiles.ts';

const SKEW_MS = 120_000;
const at = (skewMs: number) => () => new Date(Date.now() + skewMs);

describe('Two processes whose clocks differ', () => {
  const ahead = useService({ withWorker: false, processNow: at(SKEW_MS) });
  const behind = useService(() => {
    const { databaseUrl } = ahead.settings;
    return { withWorker: false, databaseUrl, processNow: at(-SKEW_MS) };
  });

  /** The same organization at both processes. */
  async function newFleet(): Promise<{ atAhead: TestOrganization; atBehind: TestOrganization }> {
    const atAhead = await ahead.addOrganization();
    const atBehind = await sameOrganizationAt(behind, atAhead);
    await register(atAhead, 'A');
    await createProfile(atAhead, { slug: 'every-day', ...CONCURRENT_PROFILES['every-day'] });
    await report(atAhead, 'A', FACTORY);
    await apply(atAhead, 'every-day', { serialNumbers: ['A'] });
    return { atAhead, atBehind };
  }
  const fetchConfig = ({ device }: TestOrganization) => device.get('/devices/A/pending-config');

  it('fails a change that a device fetched at one process and refuses at the other', async () => {
    const { atAhead, atBehind } = await newFleet();
    await fetchConfig(atAhead);
    const { body } = await report(atBehind, 'A', { ...FACTORY, errors: [{ message: 'out of range' }] });
    assert.equal(body.syncStatus, 'failed');
  });

  it('fails a change in the third round of a fetch at one process and a contradiction at the other', async () => {
    const { atAhead, atBehind } = await newFleet();
    await fetchConfig(atAhead);
    for (const status of ['pending', 'pending', 'failed']) {
      await report(atBehind, 'A', FACTORY);
      const { syncStatus } = await configOf(atAhead, 'A');
      // The answer to a report carries the change, which counts as another fetch.
      assert.equal(syncStatus, status === 'pending' ? 'sent' : status);
    }
  });

  it('treats no report from before the fetch as an answer to it', async () => {
    const { atAhead, atBehind } = await newFleet();
    const reportedAt = new Date(Date.now() - 1_000).toISOString();
    await fetchConfig(atBehind);
    await report(atAhead, 'A', { ...FACTORY, reportedAt });
    assert.equal((await configOf(atAhead, 'A')).syncStatus, 'sent');
  });

  it('records the arrival of a frame and a report by the clock of the database', async () => {
    const { atAhead, atBehind } = await newFleet();
    for (const fleet of [atAhead, atBehind]) {
      const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
      await fleet.device.post('/devices/A/measurements', { readings });
      await report(fleet, 'A', FACTORY);
      const { rows } = await ahead.service.sql.raw(
        `select extract(epoch from now() - s.last_contact_at) * 1000 as frame,
           extract(epoch from now() - d.reported_at) * 1000 as report
         from device_states s join device_configs d using (organization_id, asset_id)
         where organization_id = ?`,
        [atAhead.id],
      );
      for (const ageMs of Object.values<string>(rows[0])) {
        assert.ok(Math.abs(Number(ageMs)) < MINUTE_MS, `${ageMs} ms`);
      }
    }
  });
});
