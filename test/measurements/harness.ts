/** Shared by the tests of measurements: for each test a customer with its own logger, and frames to send. */
import assert from 'node:assert/strict';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createMessageTargetsRepository } from '../../src/config-jobs/device-targets.repository.ts';
import { createBatchTransact } from '../../src/db/batch-transaction.ts';
import type { Database, Sql } from '../../src/db/database.ts';
import { batchSlots } from '../../src/db/locking-commit.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { createConfigurationCache } from '../../src/devices/configurations.repository.ts';
import { createExchangeBatch } from '../../src/devices/device-exchange.service.ts';
import { createDevicesRepository } from '../../src/devices/devices.repository.ts';
import type { Frame } from '../../src/measurements/frame.ts';
import { createIntake } from '../../src/measurements/intake.service.ts';
import { createMeasurementsRepository } from '../../src/measurements/measurements.repository.ts';
import { createMessageBatch, type MessageBatchDeps } from '../../src/measurements/message-batch.service.ts';
import type { Answer } from '../support/client.ts';
import { register } from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';
import { EMPTY_FRAME, temperature } from './fixtures.ts';

/** Registers the hooks of a suite: one service for all tests, a customer and a logger for each of them. */
export function useLogger() {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let serial: string;
  let assetId: string;
  let serials = 0;

  const newSerial = (name: string) => `${name}-${++serials}`;
  async function newLogger(more: object = {}): Promise<void> {
    serial = newSerial('Logger');
    assetId = await register(org, serial, more);
  }
  beforeEach(() => newLogger());

  async function historyOf(id: string, query = '') {
    const { status, body, text } = await org.api.get(`/assets/${id}/measurements${query}`);
    assert.equal(status, 200, text);
    return body;
  }

  return {
    dms,
    org,
    get serial() {
      return serial;
    },
    get assetId() {
      return assetId;
    },
    newSerial,
    /** Replaces the logger of the test. */
    newLogger,
    send: (readings: object[], more: object = {}, to = serial): Promise<Answer> =>
      org.device.post(`/devices/${to}/measurements`, { readings, ...more }),
    historyOf,
    history: (query = '') => historyOf(assetId, query),
    asset: async () => (await org.api.get(`/assets/${assetId}`)).body,
    /** A frame of the logger, as the intake accepts it. */
    frame: (more: Partial<Frame> = {}): Frame => ({
      ...EMPTY_FRAME,
      organizationId: org.id,
      serialNumber: serial,
      readings: [temperature(-1)],
      receivedAt: new Date(),
      ...more,
    }),
    /** An intake on the database of the service, without alerts and events. */
    intakeWith: (more: Partial<MessageBatchDeps> = {}) =>
      createIntake({
        commit: createMessageBatch({ ...batchDepsOf(dms.service.sql), ...more }),
        slots: batchSlots(20),
        observe: () => {},
      }),
  };
}

function batchDepsOf(sql: Database): MessageBatchDeps {
  const cache = createConfigurationCache();
  const devicesIn = (on: Sql) => createDevicesRepository(on, cache);
  return {
    transact: createBatchTransact(sql),
    devicesIn,
    measurementsIn: createMeasurementsRepository,
    unregisteredIn: () => ({ record: async () => {} }),
    partitions: createPartitionKeeper(sql, MEASUREMENTS),
    evaluateAlerts: async () => [],
    onlineEvents: async () => [],
    backWithoutFrame: async () => [],
    exchanges: createExchangeBatch({
      devicesIn,
      targetsIn: createMessageTargetsRepository,
      recompile: async () => [],
      alertRulesChanged: async () => [],
      recordOutcomes: () => {},
      now: () => new Date(),
    }),
    publish: async () => {},
    now: () => new Date(),
    queueAlerts: async (_, events) => events,
  };
}

export const countsOf = ({ status, body }: Answer) => {
  assert.equal(status, 202, JSON.stringify(body));
  return { accepted: body.accepted, duplicates: body.duplicates };
};

export const timesOf = (items: Array<{ measuredAt: string }>) => items.map(({ measuredAt }) => measuredAt);
