/**
 * A fleet whose customers and devices act concurrently, with invariants for times without a request under
 * way.
 */
import assert from 'node:assert/strict';
import { createProfile, FACTORY, register, untilEnded } from '../support/fleet.ts';
import type { TestOrganization } from '../support/service.ts';
import type { TestClock } from './clock.ts';
import { CONCURRENT_PROFILES } from './profiles.ts';
import { type Config, conflicts, contains } from './reference/config.ts';
import { isOpen, type State } from './reference/fleet.ts';

interface ShownTarget {
  assetId: string;
  state: State;
}

export class ConcurrentFleet {
  readonly fleet: TestOrganization;
  readonly changes = new Map<string, Config>();
  readonly slugOf = new Map<string, string>();
  readonly serials: string[] = [];
  private readonly clock: TestClock;
  private assetIds: string[] = [];
  private replacements = 0;
  private applyingToAll: Promise<unknown> = Promise.resolve();

  constructor(fleet: TestOrganization, clock: TestClock) {
    this.fleet = fleet;
    this.clock = clock;
  }

  async register(size: number) {
    for (let index = 0; index < size; index++) {
      this.serials.push(`Device-${index}`);
      this.assetIds.push(await register(this.fleet, `Device-${index}`));
    }
    for (const [slug, profile] of Object.entries(CONCURRENT_PROFILES)) {
      await createProfile(this.fleet, { slug, ...profile });
      const { body } = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, {
        applyToAll: true,
      });
      this.changes.set(slug, body.preview[0].config);
    }
  }

  /** An organization may run two applies to all of its devices at a time, which wait only for each other. */
  async apply(slug: string, body: object) {
    const put = () => this.fleet.api.put(`/devices/config-profiles/${slug}/apply`, body);
    const answering = 'applyToAll' in body ? this.applyingToAll.then(put) : put();
    if ('applyToAll' in body) this.applyingToAll = answering;
    const answer = await answering;
    this.allow(answer, [200]);
    this.slugOf.set(answer.body.jobId, slug);
    return answer.body.jobId as string;
  }

  async cancel(jobId: string) {
    this.allow(await this.fleet.api.post(`/devices/config-jobs/${jobId}/cancel`), [200, 409]);
  }

  async retry(jobId: string) {
    const answer = await this.fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    this.allow(answer, [201, 409]);
    if (answer.status === 201) this.slugOf.set(answer.body.id, answer.body.profileSlug);
  }

  /** Fetches, and reports the change or something else; its serial may go to other hardware in between. */
  async exchange(serial: string, report: 'applied' | 'old' | 'error' | 'stale') {
    const offer = await repeated(() => this.fleet.device.get(`/devices/${serial}/pending-config`));
    this.allow(offer, [200, 204, 404]);
    const change = offer.status === 200 ? offer.body.config : {};
    const sendReport = (body: object) => this.fleet.device.post(`/devices/${serial}/config-reports`, body);
    const body = {
      ...FACTORY,
      ...(report === 'applied' && change),
      ...(report === 'stale' && { reportedAt: new Date(this.clock.ms - 3_600_000).toISOString() }),
      ...(report === 'error' && { errors: [{ message: 'out of range' }] }),
    };
    const answer = await repeated(() => sendReport(body));
    this.allow(answer, [200, 404]);
  }

  async replace(index: number) {
    const newSerialNumber = `Replacement-${++this.replacements}`;
    const path = `/assets/${this.assetIds[index]}/replace-hardware`;
    this.allow(await this.fleet.api.post(path, { newSerialNumber }), [200]);
    this.serials[index] = newSerialNumber;
  }

  private allow({ status, text }: { status: number; text: string }, statuses: number[]) {
    assert.equal(statuses.includes(status), true, `${status}: ${text}`);
  }

  async targetsOf(jobId: string): Promise<ShownTarget[]> {
    return (await this.fleet.api.get(`/devices/config-jobs/${jobId}/targets`)).body.items;
  }

  /** Invariants for times without a request under way. */
  async checkConsistency() {
    const targets = await Promise.all(
      [...this.slugOf].map(async ([jobId, slug]) => {
        const change = this.changes.get(slug) as Config;
        return (await this.targetsOf(jobId)).map((target) => ({ ...target, jobId, change }));
      }),
    );
    for (const serial of this.serials) {
      const { body } = await this.fleet.api.get(`/devices/${serial}/config`);
      const open = targets.flat().filter(({ assetId, state }) => assetId === body.assetId && isOpen(state));
      this.checkOpen(body, open);
    }
    const { body: list } = await this.fleet.api.get('/devices/config-jobs?limit=500');
    for (const { id, total, counts } of list.items) {
      const shown = targets.flat().filter(({ jobId }) => jobId === id);
      assert.equal(shown.length, total);
      const { timedOut, ...rest } = counts as Record<string, number>;
      for (const [state, count] of Object.entries({ ...rest, timed_out: timedOut }))
        assert.equal(shown.filter((target) => target.state === state).length, count, `${state} of ${id}`);
    }
  }

  private checkOpen(
    { pendingConfig, syncStatus, serialNumber }: Record<string, unknown>,
    open: Array<{ change: Config; state: State }>,
  ) {
    const pending = pendingConfig as Config | null;
    if (syncStatus === 'failed') assert.equal(open.length, 0, 'no target waits for a change that has failed');
    for (const { change, state } of open) {
      assert.equal(
        contains(pending ?? {}, change),
        true,
        `what is pending for ${serialNumber} has the change`,
      );
      for (const other of open) assert.deepEqual(conflicts(change, other.change), []);
      if (syncStatus === 'sent' || syncStatus === 'pending')
        assert.equal(state, syncStatus === 'sent' ? 'sent' : 'waiting');
    }
  }

  /**
   * Makes every device apply its offer, after which every job ends with a status that matches its targets.
   */
  async end() {
    await Promise.all(this.serials.map((serial) => this.exchange(serial, 'applied')));
    this.clock.ms += 1_000;
    await Promise.all(this.serials.map((serial) => this.exchange(serial, 'applied')));
    for (const jobId of this.slugOf.keys()) {
      const { status, counts } = await untilEnded(this.fleet, jobId);
      assert.equal(counts.queued + counts.waiting + counts.sent, 0);
      const ends = [
        'cancelled',
        counts.failed + counts.timedOut > 0 ? 'completed_with_failures' : 'succeeded',
      ];
      assert.equal(ends.includes(status), true, `${status} with ${JSON.stringify(counts)}`);
    }
  }
}

const REPEATS_MAX = 5;

/** Repeats, as a device does when another transaction holds its lock for longer than a report waits. */
async function repeated<Answer extends { status: number; text: string }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await send();
  for (let count = 0; count < REPEATS_MAX && isHeld(answer); count++) answer = await send();
  return answer;
}

const isHeld = ({ status, text }: { status: number; text: string }) =>
  status === 503 && text.includes('being changed by another operation');
