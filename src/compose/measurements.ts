import { createPartitionKeeper, MEASUREMENTS } from '../db/partitions.ts';
import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import { createIntake, type IntakeDeps } from '../measurements/intake.service.ts';
import { createMeasurementsRepository } from '../measurements/measurements.repository.ts';
import { measurementsRoutes } from '../measurements/measurements.routes.ts';
import type { Resources } from './resources.ts';

export type MeasurementsNeeds = Pick<IntakeDeps, 'configurationsIn' | 'evaluate' | 'contact'>;

export function composeMeasurements(
  { sql, transactBatch, metrics, now }: Resources,
  { configurationsIn, evaluate, contact }: MeasurementsNeeds,
) {
  const intake = createIntake({
    transact: transactBatch,
    measurementsIn: createMeasurementsRepository,
    configurationsIn,
    unregisteredIn: createUnregisteredDevicesRepository,
    partitions: createPartitionKeeper(sql, MEASUREMENTS),
    evaluate,
    contact,
    observe({ accepted, duplicates, dropped }) {
      metrics.readings.inc({ outcome: 'accepted' }, accepted);
      metrics.readings.inc({ outcome: 'duplicate' }, duplicates);
      metrics.readings.inc({ outcome: 'dropped' }, dropped);
    },
  });
  return {
    routes: measurementsRoutes({ intake, measurements: createMeasurementsRepository(sql), now }),
    intake,
  };
}
