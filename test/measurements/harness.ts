/**
 * What the tests of measurements begin with: a service, and for each test a customer with a logger of its own, to send
 * readings and to read what became of them. `dms`, `org`, `serial` and `assetId` are those of the test that runs.
 */
import assert from 'node:assert/strict';
import { createPartitionKeeper, MEASUREMENTS } from '../../src/db/partitions.ts';
import { createTransact } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import type { Frame } from '../../src/measurements/frame.ts';
import { createIntake, type IntakeDeps } from '../../src/measurements/intake.service.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import type { Answer } from '../support/client.ts';
import { register } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

export const MINUTE_MS = 60_000;

export let dms: TestService;
export let org: TestOrganization;
export let serial: string;
export let assetId: string;
let serials = 0;

export const newSerial = (name: string) => `${name}-${++serials}`;

export async function newLogger(more: object = {}): Promise<void> {
  serial = newSerial('Logger');
  assetId = await register(org, serial, more);
}

/** In a suite: the service for all of it, customer and logger for each test. */
export function beginWithLogger(): void {
  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    await newLogger();
  });
}

export const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
export const reading = (more: object = {}) => ({
  channel: 1,
  type: 'temperature',
  value: 4.2,
  measuredAt: ago(1),
  ...more,
});
/** One a minute, the newest first. */
export const series = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => reading({ measuredAt: ago(index + 1), value: index, ...more }));
export const send = (readings: object[], more: object = {}, to = serial) =>
  org.device.post(`/devices/${to}/measurements`, { readings, ...more });
export const historyOf = async (id: string, more = '') => {
  const { status, body, text } = await org.api.get(`/assets/${id}/measurements${more}`);
  assert.equal(status, 200, text);
  return body;
};
export const history = (more = '') => historyOf(assetId, more);
export const asset = async () => (await org.api.get(`/assets/${assetId}`)).body;
export const outcome = ({ status, body }: Answer) => {
  assert.equal(status, 202, JSON.stringify(body));
  return { accepted: body.accepted, duplicates: body.duplicates };
};
export const timesOf = (items: Array<{ measuredAt: string }>) => items.map(({ measuredAt }) => measuredAt);

/** What the logger of the test says, as the intake takes it. */
export const frame = (more: Partial<Frame> = {}): Frame => ({
  organizationId: org.id,
  serialNumber: serial,
  readings: [{ channel: 1, type: 1, value: 4.2, error: null, measuredAt: new Date(ago(1)) }],
  batteryStatus: null,
  signal: null,
  configHash: null,
  nextTransmissionAt: null,
  channelTypes: null,
  receivedAt: new Date(),
  canDeliverConfig: true,
  ...more,
});
/** An intake on the service's database, with nobody beside it. */
export const intakeWith = (more: Partial<IntakeDeps> = {}) =>
  createIntake({
    transact: createTransact(dms.service.sql),
    measurementsIn: createMeasurementsRepository,
    configurationsIn: (sql) => createConfigurationsRepository(sql, createConfigurationCache()),
    unregisteredIn: () => ({ record: async () => {} }),
    partitions: createPartitionKeeper(dms.service.sql, MEASUREMENTS),
    evaluate: async () => {},
    contact: async () => null,
    observe: () => {},
    ...more,
  });
