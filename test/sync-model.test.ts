/**
 * A small fleet through HTTP, on the real service with its workflows, against a model of contract.md sections 3, 4
 * and 10: whatever the order of what customers and devices do, each device and each job shows what the rules say. And
 * the same with everybody at once, where only what must hold in the end can be told.
 *
 * SYNC_SEED and SYNC_RUNS repeat a course, or run more of them.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyProfileId } from '../src/temporal/workflow-ids.ts';
import { createProfile, eventually, FACTORY, register, untilEnded } from './support/fleet.ts';
import { startService, type TestOrganization, type TestService } from './support/service.ts';

const seed = Number(process.env.SYNC_SEED ?? Date.now() % 1_000_000_007);
const numRuns = Number(process.env.SYNC_RUNS ?? 12);

// What a configuration is, as the contract tells it: keys compare whole, a fill of DISABLED makes no difference.

type Config = Record<string, unknown>;

const isFill = (entry: { condition?: string; type?: string }) =>
  entry.condition === 'DISABLED' || entry.type === 'DISABLED';

function trimmed(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const list = [...value];
  while (list.length > 0 && isFill(list.at(-1))) list.pop();
  return list;
}

const same = (a: unknown, b: unknown) => JSON.stringify(trimmed(a)) === JSON.stringify(trimmed(b));
const clashes = (a: Config, b: Config) => Object.keys(a).filter((key) => key in b && !same(a[key], b[key]));
const holds = (config: Config, part: Config) =>
  Object.keys(part).every((key) => key in config && same(config[key], part[key]));
const only = (config: Config, keep: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keep(key)));
const nullIfEmpty = (config: Config) => (Object.keys(config).length > 0 ? config : null);

// The model.

interface Said {
  config: Config;
  madeMs: number;
  hasErrors: boolean;
}

type Heard = 'settled' | 'refused' | 'nothing';

class ModelDevice {
  serial: string;
  readonly assetId: string;
  heard: Config | null = null;
  heardMs = 0;
  held: Config = {};
  wanted: Config | null = null;
  takenMs: number | null = null;
  denials = 0;
  /** What the reason must name. */
  refusal: string[] | null = null;

  constructor(serial: string, assetId: string) {
    this.serial = serial;
    this.assetId = assetId;
  }

  want(wanted: Config | null) {
    this.wanted = wanted && nullIfEmpty(wanted);
    this.takenMs = null;
    this.denials = 0;
    this.refusal = null;
  }

  get offer(): Config | null {
    return this.refusal ? null : this.wanted;
  }

  take(nowMs: number) {
    if (this.offer) this.takenMs ??= nowMs;
  }

  hear({ config, madeMs, hasErrors }: Said, nowMs: number): Heard {
    this.heard = { ...this.heard, ...config };
    this.heardMs = nowMs;
    this.held = { ...config, ...this.held };
    if (!this.wanted) return 'nothing';
    const isNew = !this.refusal && this.takenMs !== null && Math.min(madeMs, nowMs) >= this.takenMs;
    if (isNew && hasErrors) return this.refuse(['out of range']);
    if (holds(config, this.wanted)) return this.settle(this.wanted, config);
    if (!isNew) return 'nothing';
    const wrong = clashes(config, this.wanted);
    if (wrong.length === 0) return this.settle(this.wanted, config);
    this.takenMs = null;
    return ++this.denials < 3 ? 'nothing' : this.refuse(wrong);
  }

  private refuse(names: string[]): Heard {
    this.refusal = names;
    return 'refused';
  }

  private settle(change: Config, said: Config): Heard {
    this.heard = only(this.heard ?? {}, (key) => key in said || !(key in change));
    this.held = { ...this.held, ...change, ...this.heard };
    this.want(null);
    return 'settled';
  }

  get status(): string {
    if (!this.heard) return 'no_device_report';
    if (this.refusal) return 'failed';
    if (this.wanted) return this.takenMs === null ? 'pending' : 'sent';
    return clashes(this.heard, this.held).length > 0 ? 'drifted' : 'applied';
  }
}

type State = 'queued' | 'waiting' | 'sent' | 'applied' | 'failed' | 'cancelled' | 'superseded' | 'timed_out';
const isOpen = (state: State) => state === 'queued' || state === 'waiting' || state === 'sent';
const isBegun = (state: State) => state === 'waiting' || state === 'sent';
const hasNoReason = (state: State) => isOpen(state) || state === 'applied';

interface Target {
  device: ModelDevice;
  stage: number;
  state: State;
  /** A failed or timed-out change that the device may still come to run. */
  isStanding: boolean;
  isConfirmedSince: boolean;
  reasonNames: string[];
}

interface Rollout {
  firstPercent: number;
  minAppliedPercent: number;
  abortFailedPercent: number;
}

class ModelJob {
  readonly id: string;
  readonly slug: string;
  readonly change: Config;
  readonly rollout: Rollout | null;
  readonly targets: Target[];
  stage = 1;
  status = 'running';

  constructor(job: { id: string; slug: string; change: Config; rollout: Rollout | null }, on: ModelDevice[]) {
    this.id = job.id;
    this.slug = job.slug;
    this.change = job.change;
    this.rollout = job.rollout;
    const first = Math.max(1, Math.ceil((on.length * (job.rollout?.firstPercent ?? 100)) / 100));
    this.targets = on.map((device, index) => ({
      device,
      stage: index < first ? 1 : 2,
      state: 'queued',
      isStanding: false,
      isConfirmedSince: false,
      reasonNames: [],
    }));
  }

  count(...states: State[]): number {
    return this.targets.filter(({ state }) => states.includes(state)).length;
  }
  get isSettled() {
    return !this.targets.some(({ state }) => isOpen(state));
  }
  get retryable() {
    return this.targets.filter(
      ({ state, isConfirmedSince }) => (state === 'failed' || state === 'timed_out') && !isConfirmedSince,
    );
  }
  get endStatus() {
    return this.count('failed', 'timed_out') > 0 ? 'completed_with_failures' : 'succeeded';
  }
}

class ModelFleet {
  readonly jobs: ModelJob[] = [];

  private *targetsOn(device: ModelDevice, except?: ModelJob): Iterable<{ job: ModelJob; target: Target }> {
    for (const job of this.jobs)
      for (const target of job.targets) if (target.device === device && job !== except) yield { job, target };
  }

  add(job: ModelJob) {
    this.jobs.push(job);
    this.beginStage(job);
  }

  beginStage(job: ModelJob) {
    for (const target of job.targets)
      if (target.stage === job.stage && target.state === 'queued') this.put(job, target);
  }

  private put(job: ModelJob, own: Target) {
    const { device } = own;
    for (const { job: other, target } of this.targetsOn(device, job)) {
      if (clashes(job.change, other.change).length === 0) continue;
      if (isOpen(target.state)) target.state = 'superseded';
      target.isStanding = false;
    }
    device.want({ ...device.wanted, ...job.change });
    this.unsend(device);
    own.state = 'waiting';
  }

  private unsend(device: ModelDevice) {
    for (const { target } of this.targetsOn(device)) if (target.state === 'sent') target.state = 'waiting';
  }

  take(device: ModelDevice, nowMs: number) {
    if (!device.offer) return;
    device.take(nowMs);
    for (const { target } of this.targetsOn(device)) if (target.state === 'waiting') target.state = 'sent';
  }

  hear(device: ModelDevice, said: Said, nowMs: number) {
    const heard = device.hear(said, nowMs);
    if (heard === 'settled') this.confirm(device);
    if (heard === 'refused') this.refuse(device, device.refusal ?? []);
    this.take(device, nowMs);
  }

  private confirm(device: ModelDevice) {
    for (const { target } of this.targetsOn(device)) {
      if (target.isStanding) target.isConfirmedSince = true;
      target.isStanding = false;
      if (isBegun(target.state)) target.state = 'applied';
    }
  }

  private refuse(device: ModelDevice, reasonNames: string[]) {
    for (const { target } of this.targetsOn(device))
      if (isBegun(target.state)) Object.assign(target, { state: 'failed', isStanding: true, reasonNames });
  }

  /** All that the job still waits for, taken back. */
  stop(job: ModelJob, status: string) {
    for (const target of job.targets) {
      const { device, state } = target;
      if (!isOpen(state)) continue;
      target.state = 'cancelled';
      if (isBegun(state)) this.withdraw(job, device);
    }
    job.status = status;
  }

  private withdraw(job: ModelJob, device: ModelDevice) {
    const others = [...this.targetsOn(device, job)];
    const isWanted = (key: string) =>
      others.some(
        ({ job: other, target: { state, isStanding } }) =>
          key in other.change && (isBegun(state) || (state === 'timed_out' && isStanding)),
      );
    const gone = Object.keys(job.change).filter((key) => key in (device.wanted ?? {}) && !isWanted(key));
    if (gone.length === 0) return;
    for (const { job: other, target } of others)
      if (gone.some((key) => key in other.change)) target.isStanding = false;
    device.want(only(device.wanted ?? {}, (key) => !gone.includes(key)));
    this.unsend(device);
  }

  archive(device: ModelDevice) {
    for (const { target } of this.targetsOn(device)) {
      if (isOpen(target.state)) target.state = 'cancelled';
      target.isStanding = false;
    }
    device.want(null);
  }

  replaceHardware(device: ModelDevice, serial: string) {
    device.serial = serial;
    device.want({ ...device.held, ...device.wanted });
    this.unsend(device);
  }

  expire(job: ModelJob) {
    for (const target of job.targets) {
      if (!isOpen(target.state)) continue;
      target.isStanding = target.state !== 'queued';
      target.state = 'timed_out';
    }
    job.status = job.endStatus;
  }

  /** What the workflows make of it; true when one does more than to end a job that has settled. */
  proceed(): boolean {
    let hasActed = false;
    for (const job of this.jobs) {
      for (let next = this.verdict(job); next !== 'wait'; next = this.verdict(job)) {
        if (next === 'end') job.status = job.endStatus;
        else hasActed = true;
        if (next === 'abort') this.stop(job, 'aborted');
        if (next === 'begin') {
          job.stage = 2;
          this.beginStage(job);
        }
      }
    }
    return hasActed;
  }

  private verdict(job: ModelJob): 'wait' | 'end' | 'abort' | 'begin' {
    const { rollout } = job;
    if (job.status !== 'running') return 'wait';
    const open = job.count('waiting', 'sent');
    const all = open + job.count('applied', 'failed', 'timed_out');
    const reach = (count: number, percent: number) => count * 100 >= percent * all;
    const failed = job.count('failed');
    if (rollout && failed > 0 && reach(failed, rollout.abortFailedPercent)) return 'abort';
    const isLast = job.stage === 2 || job.targets.every(({ stage }) => stage === 1);
    if (isLast) return open > 0 ? 'wait' : 'end';
    if (reach(job.count('applied'), rollout?.minAppliedPercent ?? 0)) return 'begin';
    return open > 0 ? 'wait' : 'abort';
  }
}

// What can happen.

type DeviceOp =
  | { op: 'poll' }
  | { op: 'report'; says: Says; made: 'now' | 'before the fetch' | 'ahead'; hasErrors: boolean }
  | { op: 'apply alone'; profile: number }
  | { op: 'archive' }
  | { op: 'replace' };
type Says = 'true' | 'trimmed' | 'lean' | 'half' | 'old' | 'foreign';
type Op =
  | { op: 'device'; device: number; does: DeviceOp }
  | { op: 'at once'; does: DeviceOp[] }
  | { op: 'apply'; profile: number; devices: number[] | 'all'; rollout: Rollout | null }
  | { op: 'edit'; profile: number; to: number }
  | { op: 'cancel' | 'retry' | 'expire'; job: number };

const profiles = fc.nat(2);
const deviceOps: fc.Arbitrary<DeviceOp> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ op: 'poll' } as const) },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('report' as const),
      says: fc.constantFrom<Says>('true', 'true', 'trimmed', 'lean', 'half', 'old', 'foreign', 'foreign'),
      made: fc.constantFrom('now', 'now', 'now', 'now', 'before the fetch', 'ahead'),
      hasErrors: fc.nat(6).map((draw) => draw === 0),
    }),
  },
  { weight: 4, arbitrary: profiles.map((profile) => ({ op: 'apply alone', profile }) as const) },
  { weight: 1, arbitrary: fc.constant({ op: 'archive' } as const) },
  { weight: 2, arbitrary: fc.constant({ op: 'replace' } as const) },
);
const percent = fc.constantFrom(33, 50, 100);
const ops: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ op: fc.constant('device' as const), device: fc.nat(2), does: deviceOps }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('at once' as const),
      does: fc.array(deviceOps, { minLength: 2, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('apply' as const),
      profile: profiles,
      devices: fc.oneof(
        fc.constant('all' as const),
        fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      ),
      rollout: fc.option(
        fc.record({
          firstPercent: fc.constantFrom(33, 50),
          minAppliedPercent: percent,
          abortFailedPercent: percent,
        }),
        { freq: 2 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('edit' as const), profile: profiles, to: fc.nat(1) }),
  },
  { weight: 3, arbitrary: fc.nat(5).map((job) => ({ op: 'cancel', job }) as const) },
  { weight: 3, arbitrary: fc.nat(5).map((job) => ({ op: 'retry', job }) as const) },
  { weight: 1, arbitrary: fc.nat(5).map((job) => ({ op: 'expire', job }) as const) },
);
const lengthMax = Number(process.env.SYNC_LENGTH ?? 40);
const courses = fc.array(ops, { minLength: Math.ceil(lengthMax / 4), maxLength: lengthMax, size: 'max' });

const alert = (lowC: number) => [{ type: 'low', channel: 'probe', lowC }];
/** Each in two editions; guard and slow share a setting, on which they agree or not; frequent shares none. */
const PROFILES = [
  {
    slug: 'frequent',
    editions: [10, 60].map((minutes) => ({ intervals: { measurementIntervalMinutes: minutes } })),
    keys: ['measurementPeriodBase', 'measurementPeriodFactor'],
  },
  {
    slug: 'guard',
    editions: [7_200, 14_400].map((seconds) => ({
      temperatureAlerts: alert(seconds / 200),
      intervals: { transmissionIntervalSeconds: seconds },
    })),
    keys: ['alarmRules', 'calendars', 'transmissionInterval'],
  },
  {
    slug: 'slow',
    editions: [7_200, 86_400].map((seconds) => ({ intervals: { transmissionIntervalSeconds: seconds } })),
    keys: ['transmissionInterval'],
  },
];
const NUMBERS = Object.keys(FACTORY);
const FOREIGN_SECONDS = 4_321;

let clockMs = Date.UTC(2026, 2, 2, 8);

/** One organization, driven through HTTP, and its model. */
class World {
  private readonly dms: TestService;
  private readonly fleet: TestOrganization;
  private readonly model = new ModelFleet();
  private readonly devices: ModelDevice[] = [];
  private readonly changes: Config[] = [];
  private readonly revisions = new Map<ModelDevice, number>();
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
  private job = (index: number) => this.model.jobs.at(-1 - (index % Math.min(6, this.model.jobs.length)));

  async play(op: Op): Promise<void> {
    clockMs += 1_000;
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
    const job = this.job(op.job);
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
    if (does.op === 'replace') return this.replace(device);
    if (does.op === 'archive') return this.archive(index);
    return this.apply({ profile: does.profile, devices: [index], rollout: null });
  }

  private async poll(device: ModelDevice) {
    const { status, body } = await this.fleet.device.get(
      `/devices/${device.serial.toUpperCase()}/pending-config`,
    );
    assert.equal(status, device.offer ? 200 : 204, `the offer to ${device.serial}`);
    if (device.offer) this.checkOffer(device, body);
    this.model.take(device, clockMs);
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
    const beforeMs = (device.takenMs ?? clockMs) - 1_000;
    const madeMs = { now: clockMs, 'before the fetch': beforeMs, ahead: clockMs + 3_600_000 }[made];
    const config = configSaid(device, says);
    const { status, body, text } = await this.fleet.device.post(`/devices/${device.serial}/config-reports`, {
      ...config,
      ...(made !== 'now' && { reportedAt: new Date(madeMs).toISOString() }),
      ...(hasErrors && { errors: [{ code: 7, message: 'out of range' }] }),
    });
    assert.equal(status, 200, text);
    const { wanted, takenMs } = device;
    this.model.hear(device, { config, madeMs, hasErrors }, clockMs);
    assert.equal(body.syncStatus, device.status);
    assert.deepEqual(body.pendingConfig?.config ?? null, device.offer);
    if (body.pendingConfig === null) return;
    assert.equal(device.wanted, wanted, 'a report makes nothing pending');
    const last = this.revisions.get(device);
    if (takenMs !== null && last !== undefined) assert.equal(body.pendingConfig.revision, last);
    this.revisions.set(device, body.pendingConfig.revision);
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
        `update config_jobs set deadline_at = now() - interval '1 second', workflow_seen_at = null
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

  private async compare() {
    await Promise.all([
      ...this.devices.map((device) => this.compareDevice(device)),
      ...this.model.jobs.map((job) => this.compareTargets(job)),
      this.compareJobs(),
    ]);
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
    for (const { id, status } of this.model.jobs) {
      assert.notEqual(status, 'running');
      assert.equal((await untilEnded(this.fleet, id)).status, status);
    }
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
    foreign: { ...old, transmissionInterval: FOREIGN_SECONDS },
  }[says];
}

const inWords = (op: Op) => JSON.stringify(op, (key, value) => (key === '__proto__' ? undefined : value));

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

describe('Devices and jobs through HTTP', function () {
  this.timeout(60_000 + 20_000 * numRuns);
  let dms: TestService;

  before(async () => {
    dms = await startService({ now: () => new Date(clockMs) });
  });
  after(() => dms.stop());

  it(`show what the rules say after every step of any course (seed ${seed}, ${numRuns} courses)`, async () => {
    await fc.assert(
      fc.asyncProperty(courses, async (course) => {
        const world = await World.create(dms);
        for (const [index, op] of course.entries()) {
          await world.play(op).catch((error: Error) => {
            error.message += `\nafter: ${course
              .slice(0, index + 1)
              .map(inWords)
              .join('\n')}`;
            throw error;
          });
        }
        await world.end();
      }),
      { seed, numRuns, endOnFailure: process.env.SYNC_SHRINK === undefined },
    );
  });
});
