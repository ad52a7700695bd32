/** One organization, driven through HTTP by any course of operations, and held against its model after each. */
import assert from 'node:assert/strict';
import { applyProfileId } from '../../src/temporal/workflow-ids.ts';
import { createProfile, eventually, FACTORY, register, untilEnded } from '../support/fleet.ts';
import type { TestOrganization, TestService } from '../support/service.ts';
import { clock } from './clock.ts';
import { type Config, only, trimmed } from './config.ts';
import { hasNoReason, ModelDevice, ModelFleet, ModelJob, type Rollout, type State } from './model-fleet.ts';
import type { DeviceOp, Op, Says } from './operations.ts';
import { PROFILES } from './profiles.ts';

const NUMBERS = Object.keys(FACTORY);
const FOREIGN_SECONDS = 4_321;

export class World {
  private readonly dms: TestService;
  private readonly fleet: TestOrganization;
  private readonly model = new ModelFleet();
  private readonly devices: ModelDevice[] = [];
  private readonly changes: Config[] = [];
  private readonly revisions = new Map<ModelDevice, number>();
  private readonly seenSettled = new Set<ModelJob>();
  private serials = 0;

  private constructor(dms: TestService, fleet: TestOrganization) {
    this.dms = dms;
    this.fleet = fleet;
  }

  static async create(dms: TestService): Promise<World> {
    const world = new World(dms, await dms.addOrganization());
    for (let index = 0; index < 3; index++) await world.register(index, world.nextSerial());
    for (const [index, { slug, editions }] of PROFILES.entries()) {
      await createProfile(world.fleet, { slug, ...editions[0] });
      await world.learnChange(index);
    }
    return world;
  }

  private nextSerial = () => `Logger-${++this.serials}`;

  private async register(index: number, serial: string) {
    this.devices[index] = new ModelDevice(serial, await register(this.fleet, serial));
  }

  /** What a profile compiles to is the compiler's affair; here it is taken as it is, by a dry run. */
  private async learnChange(index: number) {
    const { slug, keys } = this.profile(index);
    const { body } = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, {
      serialNumbers: [this.device(0).serial],
    });
    this.changes[index] = body.preview[0].config;
    assert.deepEqual(Object.keys(body.preview[0].config).sort(), keys);
  }

  private device = (index: number) => this.devices[index % this.devices.length] as ModelDevice;
  private profile = (index: number) => PROFILES[index] as (typeof PROFILES)[number];

  /** A late job, and of every four times three one that it does something to. */
  private job(op: 'cancel' | 'retry' | 'expire', draw: number): ModelJob | undefined {
    const isFit = (job: ModelJob) => (op === 'retry' ? job.retryable.length > 0 : job.status === 'running');
    const fit = this.model.jobs.filter(isFit);
    const late = (draw % 4 > 0 && fit.length > 0 ? fit : this.model.jobs).slice(-6);
    return late[draw % late.length];
  }

  async play(op: Op): Promise<void> {
    clock.ms += 1_000;
    await this.perform(op);
    const hasActed = this.model.proceed();
    if (hasActed) await this.untilAsTold();
    else await this.compare();
  }

  private async perform(op: Op): Promise<void> {
    if (op.op === 'device') return this.performOn(op.device, op.does);
    if (op.op === 'at once') return this.performAtOnce(op.does);
    if (op.op === 'apply') return this.apply(op);
    if (op.op === 'edit') return this.edit(op.profile, op.to);
    const job = this.job(op.op, op.job);
    if (!job) return;
    if (op.op === 'cancel') return this.cancel(job);
    if (op.op === 'retry') return this.retry(job);
    return this.expire(job);
  }

  /** Different devices; one after the other while a stage may begin in between. */
  private async performAtOnce(does: DeviceOp[]) {
    if (!this.hasStages) await Promise.all(does.map((each, index) => this.performOn(index, each)));
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
    if (does.op === 'persist') return this.persist(device);
    if (does.op === 'replace') return this.replace(device);
    if (does.op === 'archive') return this.archive(index);
    if (does.op === 'apply alone')
      await this.apply({ profile: does.profile, devices: [index], rollout: null });
  }

  private async poll(device: ModelDevice) {
    const { status, body } = await this.fleet.device.get(
      `/devices/${device.serial.toUpperCase()}/pending-config`,
    );
    assert.equal(status, device.offer ? 200 : 204, `the offer to ${device.serial}`);
    if (device.offer) this.checkOffer(device, body);
    this.model.take(device, clock.ms);
  }

  private checkOffer(device: ModelDevice, offer: { revision: number; config: Config }) {
    assert.deepEqual(offer.config, device.offer);
    const last = this.revisions.get(device);
    if (last !== undefined && device.takenMs === null && device.denials === 0)
      assert.equal(offer.revision > last, true, 'what was merged since has a new revision');
    if (last !== undefined && device.takenMs !== null) assert.equal(offer.revision, last);
    this.revisions.set(device, offer.revision);
  }

  private async report(device: ModelDevice, { says, made, hasErrors }: DeviceOp & { op: 'report' }) {
    const beforeMs = (device.takenMs ?? clock.ms) - 1_000;
    const madeMs = { now: clock.ms, 'before the fetch': beforeMs, ahead: clock.ms + 3_600_000 }[made];
    const config = configSaid(device, says);
    const { status, body, text } = await this.fleet.device.post(`/devices/${device.serial}/config-reports`, {
      ...config,
      ...(made !== 'now' && { reportedAt: new Date(madeMs).toISOString() }),
      ...(hasErrors && { errors: [{ code: 7, message: 'out of range' }] }),
    });
    assert.equal(status, 200, text);
    const { wanted, takenMs } = device;
    this.model.hear(device, { config, madeMs, hasErrors }, clock.ms);
    assert.equal(body.syncStatus, device.status);
    assert.deepEqual(body.pendingConfig?.config ?? null, device.offer);
    if (body.pendingConfig === null) return;
    assert.equal(device.wanted, wanted, 'a report makes nothing pending');
    const last = this.revisions.get(device);
    if (takenMs !== null && last !== undefined) assert.equal(body.pendingConfig.revision, last);
    this.revisions.set(device, body.pendingConfig.revision);
  }

  private async refuse(device: ModelDevice) {
    await this.poll(device);
    await this.report(device, { op: 'report', says: 'old', made: 'now', hasErrors: true });
  }

  private async persist(device: ModelDevice) {
    await this.poll(device);
    for (let round = 1; round <= 3; round++)
      await this.report(device, { op: 'report', says: 'foreign', made: 'now', hasErrors: false });
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
    this.model.add(new ModelJob({ id: body.jobId, slug, change, rollout }, chosen));
  }

  private async edit(index: number, to: number) {
    const { slug, editions } = this.profile(index);
    const { status } = await this.fleet.api.put(`/devices/config-profiles/${slug}`, editions[to]);
    assert.equal(status, 200);
    await this.learnChange(index);
  }

  private async cancel(job: ModelJob) {
    const isRunning = job.status === 'running';
    if (!isRunning) await untilEnded(this.fleet, job.id);
    const { status, body } = await this.fleet.api.post(`/devices/config-jobs/${job.id}/cancel`);
    assert.equal(status, isRunning ? 200 : 409, `cancelling what is ${job.status}`);
    if (!isRunning) return;
    this.model.stop(job, 'cancelled');
    assert.equal(body.status, 'cancelled');
    assert.deepEqual(body.counts, countsOf(job));
  }

  private async retry(job: ModelJob) {
    const again = job.retryable.map(({ device }) => device).filter((device) => this.devices.includes(device));
    const { status, body } = await this.fleet.api.post(`/devices/config-jobs/${job.id}/retry`);
    assert.equal(status, again.length > 0 ? 201 : 409, `retrying ${again.length} devices`);
    if (status !== 201) return;
    const { slug, change } = job;
    this.model.add(new ModelJob({ id: body.id, slug, change, rollout: null }, again));
  }

  /** The deadline is a minute at least: here it is moved, and the run that waits for it is lost and found again. */
  private async expire(job: ModelJob) {
    if (job.status !== 'running' || job.isSettled) return;
    const run = this.dms.service.temporal.client.workflow.getHandle(applyProfileId(job.id));
    await eventually(
      () => run.terminate().then(Boolean, () => false),
      (isGone) => isGone,
    );
    const forget = async () => {
      await this.dms.service.sql.raw(
        `update config_jobs set deadline_at = now() - interval '1 second', workflow_checked_at = null
         where id = ? and status = 'running'`,
        [job.id],
      );
      return (await this.fleet.api.get(`/devices/config-jobs/${job.id}`)).body;
    };
    await eventually(forget, ({ status }) => status !== 'running', { pauseMs: 100 });
    this.model.expire(job);
  }

  private async archive(index: number) {
    const device = this.device(index);
    const { status } = await this.fleet.api.delete(`/assets/${device.assetId}`);
    assert.equal(status, 200);
    this.model.archive(device);
    assert.equal((await this.fleet.api.get(`/devices/${device.serial}/config`)).status, 404);
    await this.register(index, device.serial);
  }

  private async replace(device: ModelDevice) {
    const old = device.serial;
    const newSerialNumber = this.nextSerial();
    const { status } = await this.fleet.api.post(`/assets/${device.assetId}/replace-hardware`, {
      newSerialNumber,
    });
    assert.equal(status, 200);
    this.model.replaceHardware(device, newSerialNumber);
    assert.equal((await this.fleet.api.get(`/devices/${old}/config`)).status, 404);
  }

  /** Targets of jobs that have settled and were seen so are looked at once more in the end; their counts always. */
  private async compare() {
    const jobs = this.model.jobs.filter((job) => !this.seenSettled.has(job));
    await Promise.all([
      ...this.devices.map((device) => this.compareDevice(device)),
      ...jobs.map((job) => this.compareTargets(job)),
      this.compareJobs(),
    ]);
    for (const job of jobs) if (job.status !== 'running') this.seenSettled.add(job);
  }

  private async compareDevice(device: ModelDevice) {
    const { body } = await this.fleet.api.get(`/devices/${device.serial}/config`);
    assert.deepEqual(body, {
      serialNumber: device.serial,
      assetId: device.assetId,
      assetName: body.assetName,
      pendingConfig: device.wanted,
      deviceConfig: device.heard,
      deviceConfigReceivedAt: device.heard && new Date(device.heardMs).toISOString(),
      syncStatus: device.status,
    });
  }

  private async compareTargets({ id, targets }: ModelJob) {
    const { body } = await this.fleet.api.get(`/devices/config-jobs/${id}/targets`);
    const items = body.items as Array<{
      assetId: string;
      serialNumber: string;
      state: State;
      reason: string | null;
    }>;
    const shown = items.map(({ assetId, serialNumber, state }) => ({ assetId, serialNumber, state }));
    const told = targets.map(({ device, state }) => ({
      assetId: device.assetId,
      serialNumber: device.serial,
      state,
    }));
    const byAsset = (a: { assetId: string }, b: { assetId: string }) => (a.assetId < b.assetId ? -1 : 1);
    assert.deepEqual(shown.sort(byAsset), told.sort(byAsset));
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
      // A job that has settled ends a little later.
      if (shown.status !== 'running' || job.status === 'running') assert.equal(shown.status, job.status);
    }
  }

  private untilAsTold() {
    return eventually(
      () =>
        this.compare().then(
          () => null,
          (error: Error) => error.message,
        ),
      (difference) => difference === null,
    );
  }

  /** Every device comes to run what it is offered: then nothing is open and every job ends as it should. */
  async end() {
    for (let round = 1; round <= 2; round++) {
      for (const index of this.devices.keys()) {
        await this.play({ op: 'device', device: index, does: { op: 'poll' } });
        const truth = { op: 'report', says: 'true', made: 'now', hasErrors: false } as const;
        await this.play({ op: 'device', device: index, does: truth });
      }
    }
    this.seenSettled.clear();
    await this.compare();
    for (const { id, status } of this.model.jobs) {
      assert.notEqual(status, 'running');
      assert.equal((await untilEnded(this.fleet, id)).status, status);
    }
    // All that was confirmed since needs no retry; what was replaced or withdrawn may still have one.
    for (const job of this.model.jobs.filter(({ retryable }) => retryable.length === 0))
      await this.retry(job);
  }
}

function configSaid({ heard, wanted }: ModelDevice, says: Says): Config {
  const old: Config = { ...FACTORY, ...heard };
  const truth: Config = { ...old, ...wanted };
  const half = Object.keys(wanted ?? {}).filter((_, index) => index % 2 === 0);
  const trimmedTruth = Object.fromEntries(Object.entries(truth).map(([key, value]) => [key, trimmed(value)]));
  return {
    true: truth,
    trimmed: trimmedTruth,
    lean: only(truth, (key) => NUMBERS.includes(key)),
    half: { ...old, ...only(truth, (key) => half.includes(key)) },
    old,
    foreign: { ...old, measurementPeriodBase: FOREIGN_SECONDS, transmissionInterval: FOREIGN_SECONDS },
  }[says];
}

const countsOf = (job: ModelJob) => ({
  queued: job.count('queued'),
  waiting: job.count('waiting'),
  sent: job.count('sent'),
  applied: job.count('applied'),
  failed: job.count('failed'),
  cancelled: job.count('cancelled'),
  superseded: job.count('superseded'),
  timedOut: job.count('timed_out'),
});
