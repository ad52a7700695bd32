/**
 * Plays operations on one organization over HTTP and on the reference model, and compares the two after each.
 */
import assert from 'node:assert/strict';
import { applyProfileId } from '../../src/temporal/workflow-ids.ts';
import { createProfile, eventually, FACTORY, register, untilEnded } from '../support/fleet.ts';
import type { TestOrganization, TestService } from '../support/service.ts';
import type { TestClock } from './clock.ts';
import type { DeviceOp, Op, ReportedConfig } from './operations.ts';
import { PROFILES } from './profiles.ts';
import { type Config, only, trimmed } from './reference/config.ts';
import { ERROR_MESSAGE } from './reference/device.ts';
import {
  FleetDevice,
  hasNoReason,
  ReferenceFleet,
  ReferenceJob,
  type Rollout,
  type State,
} from './reference/fleet.ts';

const INTERVALS = Object.keys(FACTORY);
const OTHER_SECONDS = 4_321;

export class FleetScenario {
  private readonly dms: TestService;
  private readonly clock: TestClock;
  private readonly fleet: TestOrganization;
  private readonly model = new ReferenceFleet();
  private readonly devices: FleetDevice[] = [];
  private readonly changes: Config[] = [];
  private readonly revisions = new Map<FleetDevice, number>();
  private readonly seenFinished = new Set<ReferenceJob>();
  private serials = 0;

  private constructor(dms: TestService, clock: TestClock, fleet: TestOrganization) {
    this.dms = dms;
    this.clock = clock;
    this.fleet = fleet;
  }

  static async create(dms: TestService, clock: TestClock): Promise<FleetScenario> {
    const scenario = new FleetScenario(dms, clock, await dms.addOrganization());
    for (let index = 0; index < 3; index++) await scenario.register(index, scenario.nextSerial());
    for (const [index, { slug, editions }] of PROFILES.entries()) {
      await createProfile(scenario.fleet, { slug, ...editions[0] });
      await scenario.readChange(index);
    }
    return scenario;
  }

  private nextSerial = () => `Logger-${++this.serials}`;

  private async register(index: number, serial: string) {
    this.devices[index] = new FleetDevice(serial, await register(this.fleet, serial));
  }

  /** The configuration that the profile compiles to, by a dry run: the compiler has its own tests. */
  private async readChange(index: number) {
    const { slug, keys } = this.profile(index);
    const { body } = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, {
      serialNumbers: [this.device(0).serial],
    });
    this.changes[index] = body.preview[0].config;
    assert.deepEqual(Object.keys(body.preview[0].config).sort(), keys);
  }

  private device = (index: number) => this.devices[index % this.devices.length] as FleetDevice;
  private profile = (index: number) => PROFILES[index] as (typeof PROFILES)[number];

  /** A recent job; in three of four draws one on which the operation has an effect. */
  private job(op: 'cancel' | 'retry' | 'expire', draw: number): ReferenceJob | undefined {
    const isAffected = (job: ReferenceJob) =>
      op === 'retry' ? job.retryable.length > 0 : job.status === 'running';
    const affected = this.model.jobs.filter(isAffected);
    const recent = (draw % 4 > 0 && affected.length > 0 ? affected : this.model.jobs).slice(-6);
    return recent[draw % recent.length];
  }

  async play(op: Op): Promise<void> {
    this.clock.ms += 1_000;
    await this.perform(op);
    const hasActed = this.model.proceed();
    if (hasActed) await this.untilEqual();
    else await this.compare();
  }

  private async perform(op: Op): Promise<void> {
    if (op.op === 'device') return this.performOn(op.device, op.does);
    if (op.op === 'concurrently') return this.performConcurrently(op.does);
    if (op.op === 'apply') return this.apply(op);
    if (op.op === 'edit') return this.edit(op.profile, op.to);
    const job = this.job(op.op, op.job);
    if (!job) return;
    if (op.op === 'cancel') return this.cancel(job);
    if (op.op === 'retry') return this.retry(job);
    return this.expire(job);
  }

  /** Distinct devices; one alone while a stage may begin in between, or a job end before a device of it is archived. */
  private async performConcurrently(does: DeviceOp[]) {
    const isOneAlone = this.hasStages || does.some(({ op }) => op === 'archive');
    if (!isOneAlone) await Promise.all(does.map((each, index) => this.performOn(index, each)));
    else await this.performOn(0, does[0] as DeviceOp);
  }

  private get hasStages() {
    return this.model.jobs.some(({ status, rollout }) => status === 'running' && rollout !== null);
  }

  private async performOn(index: number, does: DeviceOp): Promise<void> {
    const device = this.device(index);
    if (does.op === 'poll') return this.poll(device);
    if (does.op === 'report') return this.report(device, does);
    if (does.op === 'refuse') return this.refuse(device);
    if (does.op === 'contradict') return this.contradict(device);
    if (does.op === 'replace') return this.replace(device);
    if (does.op === 'archive') return this.archive(index);
    if (does.op === 'withdraw') return this.withdraw(device);
    if (does.op === 'apply alone')
      await this.apply({ profile: does.profile, devices: [index], rollout: null });
  }

  private async poll(device: FleetDevice) {
    const { status, body } = await this.fleet.device.get(
      `/devices/${device.serial.toUpperCase()}/pending-config`,
    );
    assert.equal(status, device.offer ? 200 : 204, `the offer to ${device.serial}`);
    if (device.offer) this.checkOffer(device, body);
    this.model.fetch(device, this.clock.ms);
  }

  private checkOffer(device: FleetDevice, offer: { revision: number; config: Config }) {
    assert.deepEqual(offer.config, device.offer);
    const last = this.revisions.get(device);
    if (last !== undefined && device.fetchedMs === null && device.contradictions === 0)
      assert.equal(offer.revision > last, true, 'what was merged since has a new revision');
    if (last !== undefined && device.fetchedMs !== null) assert.equal(offer.revision, last);
    this.revisions.set(device, offer.revision);
  }

  private async report(device: FleetDevice, { config: kind, made, hasErrors }: DeviceOp & { op: 'report' }) {
    const nowMs = this.clock.ms;
    const beforeMs = (device.fetchedMs ?? nowMs) - 1_000;
    const madeMs = { now: nowMs, 'before the fetch': beforeMs, ahead: nowMs + 3_600_000 }[made];
    const config = toReportedConfig(device, kind);
    const { status, body, text } = await this.fleet.device.post(`/devices/${device.serial}/config-reports`, {
      ...config,
      ...(made !== 'now' && { reportedAt: new Date(madeMs).toISOString() }),
      ...(hasErrors && { errors: [{ code: 7, message: ERROR_MESSAGE }] }),
    });
    assert.equal(status, 200, text);
    const { pending, fetchedMs } = device;
    const errors = hasErrors ? { code: '7', atMs: null, slackMs: 0 } : null;
    this.model.report(device, { config, receivedMs: nowMs, madeMs, errors });
    assert.equal(body.syncStatus, device.status);
    assert.deepEqual(body.pendingConfig?.config ?? null, device.offer);
    if (body.pendingConfig === null) return;
    assert.deepEqual(device.pending, pending, 'a report makes nothing pending');
    const last = this.revisions.get(device);
    if (fetchedMs !== null && last !== undefined) assert.equal(body.pendingConfig.revision, last);
    this.revisions.set(device, body.pendingConfig.revision);
  }

  private async refuse(device: FleetDevice) {
    await this.poll(device);
    await this.report(device, { op: 'report', config: 'old', made: 'now', hasErrors: true });
  }

  private async contradict(device: FleetDevice) {
    await this.poll(device);
    for (let round = 1; round <= 3; round++)
      await this.report(device, { op: 'report', config: 'other', made: 'now', hasErrors: false });
  }

  private async apply(how: { profile: number; devices: number[] | 'all'; rollout: Rollout | null }) {
    const { slug } = this.profile(how.profile);
    const change = this.changes[how.profile] as Config;
    const rollout = this.hasStages ? null : how.rollout;
    const chosen =
      how.devices === 'all'
        ? this.devices.toSorted((a, b) => (a.assetId < b.assetId ? -1 : 1))
        : how.devices.map(this.device);
    const serialNumbers = chosen.map(({ serial }) => serial);
    const { status, body, text } = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply`, {
      ...(how.devices === 'all' ? { applyToAll: true } : { serialNumbers }),
      ...(rollout && { rollout }),
    });
    assert.equal(status, 200, text);
    assert.deepEqual(body.applied, serialNumbers);
    this.model.add(new ReferenceJob({ id: body.jobId, slug, change, rollout }, chosen));
  }

  private async edit(index: number, to: number) {
    const { slug, editions } = this.profile(index);
    const { status } = await this.fleet.api.put(`/devices/config-profiles/${slug}`, editions[to]);
    assert.equal(status, 200);
    await this.readChange(index);
  }

  private async cancel(job: ReferenceJob) {
    const isRunning = job.status === 'running';
    if (!isRunning) await untilEnded(this.fleet, job.id);
    const { status, body } = await this.fleet.api.post(`/devices/config-jobs/${job.id}/cancel`);
    assert.equal(status, isRunning ? 200 : 409, `cancelling what is ${job.status}`);
    if (!isRunning) return;
    this.model.stop(job, 'cancelled');
    assert.equal(body.status, 'cancelled');
    assert.deepEqual(body.counts, countsOf(job));
  }

  private async retry(job: ReferenceJob) {
    const again = job.retryable.map(({ device }) => device).filter((device) => this.devices.includes(device));
    const earlier = this.model.jobs.filter(({ retryOf }) => retryOf === job);
    for (const { id, status } of earlier) if (status !== 'running') await untilEnded(this.fleet, id);
    const isPossible = again.length > 0 && earlier.every(({ status }) => status !== 'running');
    const { status, body } = await this.fleet.api.post(`/devices/config-jobs/${job.id}/retry`);
    assert.equal(
      status,
      isPossible ? 201 : 409,
      `retrying ${again.length} devices after ${earlier.length} retries`,
    );
    if (status !== 201) return;
    const { slug, change } = job;
    this.model.add(new ReferenceJob({ id: body.id, slug, change, rollout: null, retryOf: job }, again));
  }

  /**
   * A deadline is at least a minute away: here it is moved, and the waiting workflow is terminated and
   * restarted.
   */
  private async expire(job: ReferenceJob) {
    if (job.status !== 'running' || !job.hasOpenTargets) return;
    const run = this.dms.service.temporal.client.workflow.getHandle(applyProfileId(job.id));
    await eventually(
      () => run.terminate().then(Boolean, () => false),
      (isGone) => isGone,
    );
    const moveDeadline = async () => {
      await this.dms.service.sql.raw(
        `update config_jobs set deadline_at = now() - interval '1 second', workflow_checked_at = null
         where id = ? and status = 'running'`,
        [job.id],
      );
      return (await this.fleet.api.get(`/devices/config-jobs/${job.id}`)).body;
    };
    await eventually(moveDeadline, ({ status }) => status !== 'running', { pauseMs: 100 });
    this.model.expire(job);
  }

  private async archive(index: number) {
    const device = this.device(index);
    // What it has refused counts on in a job that has ended, which its run does shortly after the last target.
    for (const { id, status, targets } of this.model.jobs)
      if (status !== 'running' && targets.some((each) => each.device === device && each.state === 'failed'))
        await untilEnded(this.fleet, id);
    const { status } = await this.fleet.api.delete(`/assets/${device.assetId}`);
    assert.equal(status, 200);
    this.model.archive(device);
    assert.equal((await this.fleet.api.get(`/devices/${device.serial}/config`)).status, 404);
    await this.register(index, device.serial);
  }

  private async withdraw(device: FleetDevice) {
    const { status, body } = await this.fleet.api.post(`/devices/${device.serial}/config/withdraw`);
    this.model.withdrawAll(device);
    assert.deepEqual([status, body.pendingConfig, body.syncStatus], [200, null, device.status]);
  }

  private async replace(device: FleetDevice) {
    const old = device.serial;
    const newSerialNumber = this.nextSerial();
    const { status } = await this.fleet.api.post(`/assets/${device.assetId}/replace-hardware`, {
      newSerialNumber,
    });
    assert.equal(status, 200);
    this.model.replaceHardware(device, newSerialNumber);
    assert.equal((await this.fleet.api.get(`/devices/${old}/config`)).status, 404);
  }

  /**
   * Targets of a job that was seen finished are compared only once more at the end; counts are compared
   * always.
   */
  private async compare() {
    const jobs = this.model.jobs.filter((job) => !this.seenFinished.has(job));
    await Promise.all([
      ...this.devices.map((device) => this.compareDevice(device)),
      ...jobs.map((job) => this.compareTargets(job)),
      this.compareJobs(),
    ]);
    for (const job of jobs) if (job.status !== 'running') this.seenFinished.add(job);
  }

  private async compareDevice(device: FleetDevice) {
    const { body } = await this.fleet.api.get(`/devices/${device.serial}/config`);
    const { unconfirmedKeys, ...record } = body;
    const expected = device.unconfirmed.sort();
    assert.deepEqual(unconfirmedKeys?.sort(), expected.length > 0 ? expected : undefined);
    assert.deepEqual(record, {
      serialNumber: device.serial,
      assetId: device.assetId,
      assetName: body.assetName,
      pendingConfig: device.pending,
      deviceConfig: device.reported,
      deviceConfigReceivedAt: device.reportedMs && new Date(device.reportedMs).toISOString(),
      syncStatus: device.status,
    });
  }

  private async compareTargets({ id, targets }: ReferenceJob) {
    const { body } = await this.fleet.api.get(`/devices/config-jobs/${id}/targets`);
    const items = body.items as Array<{
      assetId: string;
      serialNumber: string;
      state: State;
      reason: string | null;
    }>;
    const shown = items.map(({ assetId, serialNumber, state }) => ({ assetId, serialNumber, state }));
    const expected = targets.map(({ device, state }) => ({
      assetId: device.assetId,
      serialNumber: device.serial,
      state,
    }));
    const byAsset = (a: { assetId: string }, b: { assetId: string }) => (a.assetId < b.assetId ? -1 : 1);
    assert.deepEqual(shown.sort(byAsset), expected.sort(byAsset));
    for (const { state, reason, assetId } of items) {
      assert.equal(reason === null, hasNoReason(state), `the reason of ${state}: ${reason}`);
      const names = targets.find(({ device }) => device.assetId === assetId)?.reasonNames ?? [];
      for (const name of state === 'failed' ? names : []) assert.equal(reason?.includes(name), true);
    }
  }

  private async compareJobs() {
    const { body } = await this.fleet.api.get('/devices/config-jobs?limit=500');
    assert.equal(body.items.length, this.model.jobs.length);
    const byId = new Map(body.items.map((job: { id: string }) => [job.id, job]));
    for (const job of this.model.jobs) {
      const shown = byId.get(job.id) as ReturnType<typeof JSON.parse>;
      assert.equal(shown.profileSlug, job.slug);
      assert.deepEqual(shown.counts, countsOf(job));
      assert.equal(shown.total, job.targets.length);
      assert.equal(
        Object.values(shown.counts as Record<string, number>).reduce((sum, count) => sum + count, 0),
        shown.total,
      );
      assert.equal(shown.finishedAt === null, shown.status === 'running');
      // The workflow finishes a job shortly after its last target.
      if (shown.status !== 'running' || job.status === 'running') assert.equal(shown.status, job.status);
    }
  }

  private untilEqual() {
    return eventually(
      () =>
        this.compare().then(
          () => null,
          (error: Error) => error.message,
        ),
      (difference) => difference === null,
    );
  }

  /** Makes every device apply its offer, after which nothing is open, and every job ends as it should. */
  async end() {
    for (let round = 1; round <= 2; round++) {
      for (const index of this.devices.keys()) {
        await this.play({ op: 'device', device: index, does: { op: 'poll' } });
        const applied = { op: 'report', config: 'whole', made: 'now', hasErrors: false } as const;
        await this.play({ op: 'device', device: index, does: applied });
      }
    }
    this.seenFinished.clear();
    await this.compare();
    for (const { id, status } of this.model.jobs) {
      assert.notEqual(status, 'running');
      assert.equal((await untilEnded(this.fleet, id)).status, status);
    }
    // A confirmed change needs no retry; a superseded or withdrawn one may have one.
    for (const job of this.model.jobs.filter(({ retryable }) => retryable.length === 0))
      await this.retry(job);
  }
}

function toReportedConfig({ reported, pending }: FleetDevice, kind: ReportedConfig): Config {
  const old: Config = { ...FACTORY, ...reported };
  const whole: Config = { ...old, ...pending };
  const half = Object.keys(pending ?? {}).filter((_, index) => index % 2 === 0);
  return {
    whole,
    trimmed: Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, trimmed(value)])),
    intervals: only(whole, (key) => INTERVALS.includes(key)),
    half: { ...old, ...only(whole, (key) => half.includes(key)) },
    old,
    other: { ...old, measurementPeriodBase: OTHER_SECONDS, transmissionInterval: OTHER_SECONDS },
  }[kind];
}

const countsOf = (job: ReferenceJob) => ({
  queued: job.count('queued'),
  waiting: job.count('waiting'),
  sent: job.count('sent'),
  applied: job.count('applied'),
  failed: job.count('failed'),
  cancelled: job.count('cancelled'),
  superseded: job.count('superseded'),
  timedOut: job.count('timed_out'),
});
