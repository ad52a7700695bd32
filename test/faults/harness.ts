/** Shared by the tests of faults: folders for their own servers, other processes of the service, and load. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, FACTORY, inTurns } from '../support/fleet.ts';
import type { TestOrganization } from '../support/service.ts';

export const FRIDGE_SLUG = 'vaccine-fridge';

/**
 * A folder for the data of servers. If this is root, PostgreSQL runs as another user, who has to enter it.
 */
export function scratchFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'dms-faults-'));
  chmodSync(path, 0o755);
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
  };
}

export async function readiness(baseUrl: string) {
  const answer = await fetch(`${baseUrl}/readyz`);
  const body = (await answer.json()) as { status: string; dependencies: Record<string, { state: string }> };
  return { ...body, httpStatus: answer.status, retryAfter: answer.headers.get('retry-after') };
}

/** Clients that register devices and report for them without pause; acknowledged requests must have had their effect. */
export function startLoad({ api, device }: TestOrganization, prefix: string) {
  const registered: string[] = [];
  const reported = new Map<string, number>();
  const wrong: string[] = [];
  let refusals = 0;
  let isOver = false;
  let count = 0;

  /**
   * True when it was acknowledged. Answers other than success and 503 with Retry-After are recorded as wrong.
   */
  async function isDone(request: Promise<{ status: number; headers: object; text: string }>, yes: number) {
    const answer = await request.catch((error: Error) => ({ status: 0, headers: {}, text: String(error) }));
    if (answer.status === yes) return true;
    if (answer.status === 503 && 'retry-after' in answer.headers) refusals++;
    else wrong.push(`${answer.status} ${answer.text}`);
    return false;
  }

  async function client(): Promise<void> {
    while (!isOver) {
      const number = ++count;
      const serialNumber = `${prefix}-${number}`;
      if (!(await isDone(api.post('/assets', { serialNumber }), 201))) continue;
      registered.push(serialNumber);
      const transmissionInterval = 60 + number;
      const report = { ...FACTORY, transmissionInterval };
      if (await isDone(device.post(`/devices/${serialNumber}/config-reports`, report), 200))
        reported.set(serialNumber, transmissionInterval);
    }
  }
  const clients = Array.from({ length: 8 }, client);

  return {
    async untilMore(wanted: number): Promise<void> {
      const before = reported.size;
      await eventually(
        async () => ({ reported: reported.size, refusals, wrong }),
        (seen) => seen.reported >= before + wanted,
      );
    },
    async untilRefused(): Promise<void> {
      await eventually(
        async () => refusals,
        (seen) => seen > 0,
      );
    },
    async endAndCheck(): Promise<void> {
      isOver = true;
      await Promise.all(clients);
      assert.deepEqual(wrong, []);
      await inTurns(registered, 8, async (serial) => {
        const { status, body } = await api.get(`/devices/${serial}/config`);
        assert.equal(status, 200, `${serial} was registered`);
        const interval = reported.get(serial);
        if (interval !== undefined) assert.equal(body.deviceConfig.transmissionInterval, interval);
      });
    },
  };
}
