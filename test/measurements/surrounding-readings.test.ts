/** Readings around late ones, of a device that sends in dense succession. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSurroundingReadingsRepository } from '../../src/measurements/surrounding-readings.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { temperature } from './fixtures.ts';
import { useLogger } from './harness.ts';

describe('Readings around a moment', () => {
  const logger = useLogger();

  it('leaves out the earliest ones of a device that has more than its share', async () => {
    const start = Date.now() - 600 * MINUTE_MS;
    for (const minute of [10, 20, 30]) {
      const readings = [0, 1].map((more) => temperature(minute + more, {}, start));
      await logger
        .intakeWith()
        .receive(logger.frame({ readings, receivedAt: new Date(start + 60 * MINUTE_MS) }));
    }
    const rangeOf = (from: number, to: number) => ({
      organizationId: logger.org.id,
      assetId: logger.assetId,
      channel: 1,
      from: start + from * MINUTE_MS,
      to: start + to * MINUTE_MS,
      hasNext: false,
    });
    const ranges = [rangeOf(5, 15), rangeOf(16, 40)];
    const valuesOf = async (readingsMax?: number, all = ranges) =>
      (await createSurroundingReadingsRepository(logger.dms.service.sql, readingsMax).find(all)).map(
        ({ readings }) => readings.map(({ value }) => value),
      );
    assert.deepEqual(await valuesOf(), [
      [10, 11],
      [20, 21, 30, 31],
    ]);
    assert.deepEqual(await valuesOf(4), [[], [20, 21, 30, 31]]);
    assert.deepEqual(await valuesOf(3), [[], [30, 31]]);
    const ofAnother = { ...rangeOf(5, 15), assetId: randomUUID() };
    assert.deepEqual(await valuesOf(7, [...ranges, ofAnother]), [[], [30, 31], []]);
  });
});
