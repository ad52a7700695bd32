/** Simulated loggers on a bad link against the whole service: gateway, database, job. */
import assert from 'node:assert/strict';
import { NO_FAULTS } from '../../../dev/simulator/faults.ts';
import { createFleet, type Fleet } from '../../../dev/simulator/fleet.ts';
import {
  apply,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  register,
  untilEnded,
} from '../../support/fleet.ts';
import { startService, type TestService } from '../../support/service.ts';

const DEVICES = 8;
/** A sample and a confirmable frame every second. */
const QUICK = { measurementSeconds: 60, transmissionSeconds: 60, ackIntervalSeconds: null };

describe('Loggers on a bad link', () => {
  let service: TestService;
  let fleet: Fleet | null = null;

  before(async () => {
    service = await startService();
  });
  afterEach(() => fleet?.stop());
  after(() => service.stop());

  async function appear(prefix: string, faults: object, transport: 'coap' | 'http' = 'coap') {
    const { token } = await service.issueKey(service.id, 'device');
    fleet = createFleet({
      devices: DEVICES,
      transport,
      baseUrl: service.baseUrl,
      coapUrl: `coap://127.0.0.1:${service.coapPort}`,
      deviceToken: token,
      prefix,
      speed: 60,
      factory: QUICK,
      faults: { ...NO_FAULTS, ...faults },
      ackTimeoutMs: 150,
      seed: 11,
    });
    const ids = new Map<string, string>();
    for (const serial of fleet.serials) ids.set(serial, await register(service, serial));
    await fleet.start();
    return ids;
  }

  it('stores every sample once, and applies the change on each logger', async () => {
    const ids = await appear('282CA1', { drop: 0.15, duplicate: 0.2, late: 0.05 });
    const running = fleet as Fleet;
    const slug = await createProfile(service, FRIDGE);
    const jobId = await apply(service, slug, { serialNumbers: [...ids.keys()] });
    const { status, counts } = await untilEnded(service, jobId);
    assert.deepEqual([status, counts.applied], ['succeeded', DEVICES]);
    await running.stop();
    for (const [serial, id] of ids) {
      const { samples, sentThrough } = (
        running.device(serial) as NonNullable<ReturnType<Fleet['device']>>
      ).state().memory;
      const acknowledged = samples[0] ? samples[0].number - 1 : sentThrough;
      const { body } = await service.api.get(`/assets/${id}/measurements?channel=1&limit=500`);
      const times = body.items.map(({ measuredAt }: { measuredAt: string }) => measuredAt);
      assert.equal(new Set(times).size, times.length, 'each once');
      assert.ok(
        acknowledged > 0 && times.length >= acknowledged,
        `${serial}: ${times.length} of ${acknowledged}`,
      );
    }
  });

  it('shows refusing loggers as failed with their error code, and does not repeat the offer, over HTTP', async () => {
    const ids = await appear('282CA3', { refuse: 1 }, 'http');
    const running = fleet as Fleet;
    const slug = await createProfile(service, { ...FRIDGE, name: 'Refused' });
    const jobId = await apply(service, slug, { serialNumbers: [...ids.keys()] });
    await untilEnded(service, jobId);
    const { status, counts } = await jobOf(service, jobId);
    assert.deepEqual([status, counts.failed], ['completed_with_failures', DEVICES]);
    const { body } = await service.api.get(`/devices/config-jobs/${jobId}/targets?state=failed`);
    assert.match(body.items[0].reason, /20738/);
    const refusals = () => [...ids.keys()].map((serial) => running.device(serial)?.state().counts.refused);
    // Answers under way at the end of the job bring the change once more.
    await furtherMessages(running);
    const before = refusals();
    assert.ok(before.every((count) => count !== undefined && count >= 1));
    await furtherMessages(running);
    assert.deepEqual(refusals(), before);
  });
});

/** Waits until two messages of each device, on average, have been answered. */
function furtherMessages(running: Fleet): Promise<unknown> {
  const answered = running.stats().acknowledged;
  return eventually(
    async () => running.stats().acknowledged - answered,
    (count) => count >= 2 * DEVICES,
  );
}
