/** Common beginnings of tests: devices, profiles, and a device that applies its change. */
import assert from 'node:assert/strict';
import type { Answer } from './client.ts';
import { PATIENCE_MS } from './patience.ts';
import type { TestOrganization } from './service.ts';

export const HOT_WATER = {
  name: 'Hot-water guard',
  temperatureAlerts: [{ type: 'low', channel: 'probe', lowC: 50, hysteresisC: 2 }],
  schedule: {
    always: false,
    days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    from: '08:00',
    to: '18:00',
    timezone: 'Europe/Stockholm',
  },
  intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 },
};

export const FRIDGE = {
  name: 'Vaccine fridge',
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, hysteresisC: 0.5 }],
  schedule: { always: true },
};

export const FREEZER = {
  name: 'Freezer',
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: -25, highC: -15 }],
};

/** The factory settings of a logger. */
export const FACTORY = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };

export async function register(
  { api }: TestOrganization,
  serialNumber: string,
  more: object = {},
): Promise<string> {
  const { status, body } = await api.post('/assets', { serialNumber, ...more });
  assert.equal(status, 201);
  return body.id;
}

/** Registers them in one request. Asset ids grow with the numbers of the devices. */
export async function registerMany(
  organization: TestOrganization,
  count: number,
  prefix = 'DEVICE',
): Promise<string[]> {
  const serials = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);
  const rows = serials.map((serialNumber) => ({ serialNumber }));
  const { status, body, text } = await organization.api.post('/assets/import', rows);
  assert.deepEqual([status, body.created], [200, count], text);
  return serials;
}

export async function createProfile({ api }: TestOrganization, profile: object): Promise<string> {
  const { status, body, text } = await api.post('/devices/config-profiles', profile);
  assert.equal(status, 201, text);
  return body.profile.slug;
}

export async function apply({ api }: TestOrganization, slug: string, body: object): Promise<string> {
  const answer = await api.put(`/devices/config-profiles/${slug}/apply`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.jobId;
}

export const report = ({ device }: TestOrganization, serial: string, config: object) =>
  device.post(`/devices/${serial}/config-reports`, config);

/** Fetches the pending change and reports that the device runs it. */
export async function applyAnswer(organization: TestOrganization, serial: string): Promise<void> {
  const { status, body } = await organization.device.get(`/devices/${serial}/pending-config`);
  assert.equal(status, 200);
  const confirmed = await report(organization, serial, { ...FACTORY, ...body.config });
  assert.equal(confirmed.body.syncStatus, 'applied', confirmed.text);
}

/** Fetches the pending change and reports that the device cannot apply it, and what it runs instead. */
export async function refuse(
  organization: TestOrganization,
  serial: string,
  { running = FACTORY, ...error }: { running?: object; code?: number; message?: string } = {},
): Promise<Answer> {
  await organization.device.get(`/devices/${serial}/pending-config`);
  return report(organization, serial, { ...running, errors: [{ message: 'out of range', ...error }] });
}

/** Sends one reading of channel 1. */
export async function sendTemperature(
  { device }: TestOrganization,
  serial: string,
  value: number,
  measuredAt = new Date(),
): Promise<void> {
  const readings = [{ channel: 1, type: 'temperature', value, measuredAt: measuredAt.toISOString() }];
  const { status, text } = await device.post(`/devices/${serial}/measurements`, { readings });
  assert.equal(status, 202, text);
}

/** Sends one reading of channel 1 with a low battery, which opens an alert. */
export async function sendLowBattery({ device }: TestOrganization, serial: string): Promise<void> {
  const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
  const { status, text } = await device.post(`/devices/${serial}/measurements`, {
    readings,
    batteryStatus: 'low',
  });
  assert.equal(status, 202, text);
}

export async function configOf({ api }: TestOrganization, serial: string) {
  const { status, body } = await api.get(`/devices/${serial}/config`);
  assert.equal(status, 200);
  return body;
}

export async function jobOf({ api }: TestOrganization, jobId: string) {
  const { status, body } = await api.get(`/devices/config-jobs/${jobId}`);
  assert.equal(status, 200);
  return body;
}

/** Reads until the condition holds; fails with the last value read. */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (seen: T) => boolean,
  { timeoutMs = PATIENCE_MS, pauseMs = 50 } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await read();
    if (holds(seen)) return seen;
    if (Date.now() > deadline) assert.fail(`did not hold within ${timeoutMs} ms: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

export const untilEnded = (organization: TestOrganization, jobId: string) =>
  eventually(
    () => jobOf(organization, jobId),
    ({ status }) => status !== 'running',
  );

/** Processes the items, `atOnce` of them at a time. */
export async function inTurns<T>(
  items: T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const drain = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, drain));
}
