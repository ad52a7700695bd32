/** The first day of a quality manager: loggers from a table, one group, one profile, and the results. */
import assert from 'node:assert/strict';
import { NO_FAULTS } from '../../dev/simulator/faults.ts';
import { createFleet, type Fleet, type FleetOptions, serialsOf } from '../../dev/simulator/fleet.ts';
import { confirmAddress, startMailService, type TestMailServer } from '../notifications/harness.ts';
import { createProfile, eventually, untilEnded } from '../support/fleet.ts';
import type { TestService } from '../support/service.ts';

/** A sample and a confirmable frame every second. */
const QUICK = { measurementSeconds: 60, transmissionSeconds: 60, ackIntervalSeconds: null };
const PROFILE = {
  name: 'Vaccine fridge',
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
  intervals: { measurementIntervalMinutes: 1, transmissionIntervalSeconds: 60 },
};
const QUALITY = 'quality@example.com';

describe('Twenty loggers from a table', () => {
  let mail: TestMailServer;
  let stop: () => Promise<void>;
  let dms: TestService;
  const fleets: Fleet[] = [];
  const good = serialsOf('282CE0', 18);
  const [refusing = ''] = serialsOf('282CE1', 1);
  const [warm = ''] = serialsOf('282CE2', 1);
  const all = [...good, refusing, warm];
  let groupId: string;
  let jobId: string;
  let warmId: string;

  before(async () => {
    ({ dms, mail, stop } = await startMailService({ settings: { notificationIntervalMs: 200 } }));
  });
  after(async () => {
    for (const fleet of fleets) await fleet.stop();
    await stop();
  });

  async function switchOn(prefix: string, devices: number, more: Partial<FleetOptions> = {}): Promise<void> {
    const { token } = await dms.issueKey(dms.id, 'device');
    const fleet = createFleet({
      devices,
      prefix,
      transport: 'coap',
      coapUrl: `coap://127.0.0.1:${dms.coapPort}`,
      deviceToken: token,
      speed: 60,
      factory: QUICK,
      ackTimeoutMs: 300,
      ...more,
    });
    fleets.push(fleet);
    await fleet.start();
  }

  it('joins loggers to the group of their table, whose profile is one job for all of them', async () => {
    const profileSlug = await createProfile(dms, PROFILE);
    groupId = (await dms.api.post('/groups', { name: 'Vaccine fridges', profileSlug })).body.id;
    const lines = all.map((serial, index) => `${serial},Vaccine fridge ${index + 1},${groupId}`);
    const raw = ['serialNumber,name,groupId', ...lines].join('\n');
    const { status, body } = await dms.api.post('/assets/import', undefined, {
      raw,
      headers: { 'content-type': 'text/csv' },
    });
    assert.deepEqual([status, body.created, body.failed], [200, all.length, 0]);
    warmId = body.results.at(-1).id;
    assert.equal((await dms.api.get(`/groups/${groupId}`)).body.memberCount, all.length);
    const { items } = (await dms.api.get('/devices/config-jobs')).body;
    assert.deepEqual([items.length, items[0].total], [1, all.length]);
    jobId = items[0].id;
    const channel = { type: 'email', target: QUALITY, alertTypes: ['high_temp'], groupIds: [groupId] };
    assert.equal((await dms.api.post('/notification-channels', channel)).status, 201);
    await confirmAddress(dms, mail.mails, QUALITY);
  });

  it('applies the profile once they are switched on, except on one that refuses, which the job names with its reason', async () => {
    await switchOn('282CE0', good.length);
    await switchOn('282CE1', 1, { faults: { ...NO_FAULTS, refuse: 1 } });
    await switchOn('282CE2', 1, { climate: 'room' });
    const { status, counts } = await untilEnded(dms, jobId);
    assert.deepEqual([status, counts.applied, counts.failed], ['completed_with_failures', all.length - 1, 1]);
    const { items } = (await dms.api.get(`/devices/config-jobs/${jobId}/targets?state=failed`)).body;
    assert.equal(items[0].serialNumber, refusing);
    assert.match(items[0].reason, /^the device refused: configuration error \d+/);
    const failed = (await dms.api.get('/assets?syncStatus=failed')).body.items;
    assert.deepEqual(
      failed.map(({ serialNumber }: { serialNumber: string }) => serialNumber),
      [refusing],
    );
  });

  it('sends an e-mail about the one that is too warm', async () => {
    const warning = await eventually(
      async () => mail.mails.find(({ source }) => source.includes(warm)),
      (found) => found !== undefined,
    );
    assert.deepEqual(warning?.to, [QUALITY]);
  });

  it('gives the auditor a page about it', async () => {
    const [from, to] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const path = `/assets/${warmId}/statistics?from=${from}&to=${to}`;
    const { body } = await dms.api.get(path);
    const [temperature] = body.channels;
    const isOutside = ({ secondsOutside }: { secondsOutside: number }) => secondsOutside > 0;
    assert.ok(temperature.min > 8 && temperature.alerts.some(isOutside), JSON.stringify(temperature));
    const page = await dms.api.get(path, { headers: { Accept: 'application/pdf' } });
    assert.equal(page.headers['content-type'], 'application/pdf');
    assert.match(page.text, /^%PDF-/);
  });
});
