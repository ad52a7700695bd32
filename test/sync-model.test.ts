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
import type { Answer } from './support/client.ts';
import {
  apply,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  obey,
  register,
  report,
  untilEnded,
} from './support/fleet.ts';
import { startService, type TestOrganization, type TestService } from './support/service.ts';

const seed = Number(process.env.SYNC_SEED ?? Date.now() % 1_000_000_007);
const numRuns = Number(process.env.SYNC_RUNS ?? 4);

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
  /** Fetches and refuses; keeps what it runs through rounds of fetch and report. */
  | { op: 'refuse' | 'persist' }
  | { op: 'archive' | 'replace' };
type Says = 'true' | 'trimmed' | 'lean' | 'half' | 'old' | 'foreign';
type Op =
  | { op: 'device'; device: number; does: DeviceOp }
  | { op: 'at once'; does: DeviceOp[] }
  | { op: 'apply'; profile: number; devices: number[] | 'all'; rollout: Rollout | null }
  | { op: 'edit'; profile: number; to: number }
  | { op: 'cancel' | 'retry' | 'expire'; job: number };

const profiles = fc.nat(2);
const says = fc.constantFrom<Says>('true', 'true', 'trimmed', 'lean', 'half', 'old', 'foreign');
const deviceOps: fc.Arbitrary<DeviceOp> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ op: 'poll' } as const) },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('report' as const),
      says,
      made: fc.constantFrom('now', 'now', 'now', 'now', 'before the fetch', 'ahead'),
      hasErrors: fc.nat(6).map((draw) => draw === 0),
    }),
  },
  { weight: 5, arbitrary: profiles.map((profile) => ({ op: 'apply alone', profile }) as const) },
  { weight: 4, arbitrary: fc.constantFrom({ op: 'refuse' } as const, { op: 'persist' } as const) },
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
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('edit' as const), profile: profiles, to: fc.nat(1) }),
  },
  { weight: 3, arbitrary: fc.nat(100).map((job) => ({ op: 'cancel', job }) as const) },
  { weight: 3, arbitrary: fc.nat(100).map((job) => ({ op: 'retry', job }) as const) },
  { weight: 1, arbitrary: fc.nat(100).map((job) => ({ op: 'expire', job }) as const) },
);
const lengthMax = Number(process.env.SYNC_LENGTH ?? 40);
const courses = fc.noBias(
  fc.array(ops, { minLength: Math.ceil(lengthMax / 4), maxLength: lengthMax, size: 'max' }),
);

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
    editions: [86_400, 7_200].map((seconds) => ({ intervals: { transmissionIntervalSeconds: seconds } })),
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

// Everybody at once.

/** Numbers from one seed (mulberry32). */
function randomFrom(start: number) {
  let state = start | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
}

const CROWD_PROFILES: Record<string, object> = {
  'every-hour': { intervals: { transmissionIntervalSeconds: 3_600 } },
  'every-two-hours': { intervals: { transmissionIntervalSeconds: 7_200 } },
  'every-day': { intervals: { transmissionIntervalSeconds: 86_400 } },
  'ten-minutes': { intervals: { measurementIntervalMinutes: 10 } },
  'hour-and-day': { intervals: { measurementIntervalMinutes: 60, transmissionIntervalSeconds: 86_400 } },
  guard: { temperatureAlerts: alert(50), intervals: { transmissionIntervalSeconds: 3_600 } },
};

interface ShownTarget {
  assetId: string;
  state: State;
}

/** Many clients and devices that wait for nobody. */
class Crowd {
  readonly fleet: TestOrganization;
  readonly changes = new Map<string, Config>();
  readonly slugOf = new Map<string, string>();
  readonly serials: string[] = [];
  private assetIds: string[] = [];
  private replacements = 0;

  constructor(fleet: TestOrganization) {
    this.fleet = fleet;
  }

  async gather(size: number) {
    for (let index = 0; index < size; index++) {
      this.serials.push(`Crowd-${index}`);
      this.assetIds.push(await register(this.fleet, `Crowd-${index}`));
    }
    for (const [slug, profile] of Object.entries(CROWD_PROFILES)) {
      await createProfile(this.fleet, { slug, ...profile });
      const { body } = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, {
        applyToAll: true,
      });
      this.changes.set(slug, body.preview[0].config);
    }
  }

  async apply(slug: string, body: object) {
    const answer = await this.fleet.api.put(`/devices/config-profiles/${slug}/apply`, body);
    this.allow(answer, [200]);
    this.slugOf.set(answer.body.jobId, slug);
    return answer.body.jobId as string;
  }

  async stop(jobId: string) {
    this.allow(await this.fleet.api.post(`/devices/config-jobs/${jobId}/cancel`), [200, 409]);
  }

  async retry(jobId: string) {
    const answer = await this.fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    this.allow(answer, [201, 409]);
    if (answer.status === 201) this.slugOf.set(answer.body.id, answer.body.profileSlug);
  }

  /** Fetches and obeys, or says something else; its serial may go to other hardware in between. */
  async contact(serial: string, says: 'truth' | 'old' | 'error' | 'stale') {
    const offer = await this.fleet.device.get(`/devices/${serial}/pending-config`);
    this.allow(offer, [200, 204, 404]);
    const change = offer.status === 200 ? offer.body.config : {};
    const answer = await this.fleet.device.post(`/devices/${serial}/config-reports`, {
      ...FACTORY,
      ...(says === 'truth' && change),
      ...(says === 'stale' && { reportedAt: new Date(clockMs - 3_600_000).toISOString() }),
      ...(says === 'error' && { errors: [{ message: 'out of range' }] }),
    });
    this.allow(answer, [200, 404]);
  }

  async replace(index: number) {
    const newSerialNumber = `Fresh-${++this.replacements}`;
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

  /** What must hold whenever nobody is speaking. */
  async checkPeace() {
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
    if (syncStatus === 'failed') assert.equal(open.length, 0, 'nobody waits for a change that has failed');
    for (const { change, state } of open) {
      assert.equal(holds(pending ?? {}, change), true, `${serialNumber} can satisfy who waits for it`);
      for (const other of open) assert.deepEqual(clashes(change, other.change), []);
      if (syncStatus === 'sent' || syncStatus === 'pending')
        assert.equal(state, syncStatus === 'sent' ? 'sent' : 'waiting');
    }
  }

  /** Everybody obeys: then every job ends, as its targets say. */
  async end() {
    await Promise.all(this.serials.map((serial) => this.contact(serial, 'truth')));
    clockMs += 1_000;
    await Promise.all(this.serials.map((serial) => this.contact(serial, 'truth')));
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

describe('Everybody at once', function () {
  this.timeout(60_000);
  let dms: TestService;
  let crowd: Crowd;

  before(async () => {
    dms = await startService({ now: () => new Date(clockMs) });
  });
  after(() => dms.stop());

  beforeEach(async () => {
    crowd = new Crowd(await dms.addOrganization());
    await crowd.gather(5);
  });

  const deadlocks = async () => {
    const { rows } = await dms.service.sql.raw(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  };

  it('contradicting profiles applied to the same devices leave one job waiting, for all of them the same', async () => {
    const { serials } = crowd;
    const random = randomFrom(seed);
    const slugs = ['every-hour', 'every-two-hours', 'every-day'];
    const jobIds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const all = index % 4 === 0;
        return crowd.apply(
          slugs[index % 3] as string,
          all ? { applyToAll: true } : { serialNumbers: random.shuffled(serials) },
        );
      }),
    );
    await crowd.checkPeace();
    const waiting = new Set<string>();
    for (const jobId of jobIds) {
      const states = new Set((await crowd.targetsOf(jobId)).map(({ state }) => state));
      assert.equal(states.size, 1, 'a job wins everywhere or nowhere');
      if (states.has('waiting')) waiting.add(crowd.slugOf.get(jobId) as string);
    }
    assert.equal(waiting.size, 1, 'those that still wait want the same');
    const [winner = ''] = waiting;
    for (const serial of serials) {
      const { body } = await crowd.fleet.api.get(`/devices/${serial}/config`);
      assert.deepEqual(body.pendingConfig, crowd.changes.get(winner));
    }
    await crowd.end();
  });

  it(`applies, cancels, retries, new hardware, fetches and reports leave one outcome per device (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    const slugs = Object.keys(CROWD_PROFILES);
    const before = await deadlocks();
    for (let round = 0; round < 6; round++) {
      clockMs += 1_000;
      const jobIds = [...crowd.slugOf.keys()];
      const says = () => random.pick(['truth', 'truth', 'old', 'error', 'stale'] as const);
      const some = () => random.shuffled(crowd.serials).slice(0, 1 + random.below(5));
      const tasks = random.shuffled([
        // Serials that hardware may leave in this round are not among those named.
        ...Array.from({ length: 6 }, () => () => {
          const named = some().filter((serial) => serial !== crowd.serials[round % 5]);
          const body =
            named.length > 0 && random.below(3) > 0 ? { serialNumbers: named } : { applyToAll: true };
          return crowd.apply(random.pick(slugs), body);
        }),
        ...crowd.serials.flatMap((serial) =>
          [says(), says(), says()].map((how) => () => crowd.contact(serial, how)),
        ),
        ...(jobIds.length > 0
          ? [
              () => crowd.stop(random.pick(jobIds)),
              () => crowd.stop(random.pick(jobIds.slice(-6))),
              () => crowd.retry(random.pick(jobIds.slice(-12))),
              () => crowd.retry(random.pick(jobIds.slice(-12))),
            ]
          : []),
        ...(round % 2 === 1 ? [() => crowd.replace(round % 5)] : []),
      ]);
      await Promise.all(tasks.map((task) => task()));
      await crowd.checkPeace();
    }
    clockMs += 1_000;
    await crowd.end();
    await crowd.checkPeace();
    assert.equal(await deadlocks(), before, 'locks are taken in one order');
  });
});

describe('Where two meet', function () {
  this.timeout(30_000);
  let dms: TestService;
  let fleet: TestOrganization;

  before(async () => {
    dms = await startService();
  });
  after(() => dms.stop());

  beforeEach(async () => {
    fleet = await dms.addOrganization();
    for (const slug of ['every-hour', 'every-day', 'ten-minutes'])
      await createProfile(fleet, { slug, ...CROWD_PROFILES[slug] });
    for (const serial of ['A', 'B', 'C']) await register(fleet, serial);
  });

  const poll = (serial: string) => fleet.device.get(`/devices/${serial}/pending-config`);
  const refuse = async (serial: string) => {
    await poll(serial);
    await report(fleet, serial, { ...FACTORY, errors: [{ message: 'out of range' }] });
  };
  const cancel = (jobId: string) => fleet.api.post(`/devices/config-jobs/${jobId}/cancel`);
  const stateOf = async (jobId: string, serial: string) => {
    const { body } = await fleet.api.get(`/devices/config-jobs/${jobId}/targets`);
    return body.items.find((target: { serialNumber: string }) => target.serialNumber === serial).state;
  };

  it('a cancelled retry takes its change back: the target that had failed waits for nothing', async () => {
    const jobId = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    await refuse('A');
    const { body: retried } = await fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal((await cancel(retried.id)).status, 200);
    assert.equal((await configOf(fleet, 'A')).pendingConfig, null);
    assert.equal((await poll('A')).status, 204);
    await apply(fleet, 'ten-minutes', { serialNumbers: ['A'] });
    await obey(fleet, 'A');
    const again = await fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(again.status, 201, 'what the device has confirmed since was another change');
  });

  it('a cancelled job leaves another one that wants the same as it was: sent stays sent', async () => {
    const first = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const second = await apply(fleet, 'every-hour', { serialNumbers: ['A'] });
    const { body: before } = await poll('A');
    await cancel(first);
    assert.equal(await stateOf(second, 'A'), 'sent');
    const { body: offered } = await poll('A');
    assert.equal(offered.revision, before.revision);
  });

  it('a stage of an earlier job does not take over what a later job has queued', async () => {
    const rollout = { firstPercent: 33, minAppliedPercent: 100, abortFailedPercent: 100 };
    const earlier = await apply(fleet, 'every-hour', { serialNumbers: ['A', 'B', 'C'], rollout });
    const later = await apply(fleet, 'every-day', {
      serialNumbers: ['B', 'C'],
      rollout: { ...rollout, firstPercent: 50 },
    });
    await obey(fleet, 'A');
    await eventually(
      () => stateOf(earlier, 'C'),
      (state) => state === 'waiting',
    );
    assert.equal(await stateOf(later, 'C'), 'queued');
    await obey(fleet, 'B');
    await eventually(
      () => stateOf(later, 'C'),
      (state) => state === 'waiting',
    );
    assert.equal(await stateOf(earlier, 'C'), 'superseded');
    await obey(fleet, 'C');
    assert.equal((await configOf(fleet, 'C')).deviceConfig.transmissionInterval, 86_400);
    for (const jobId of [earlier, later]) assert.equal((await untilEnded(fleet, jobId)).status, 'succeeded');
  });

  /** Holds the device while the requests queue up for it, one after the other, and answers with what came of them. */
  async function whileLocked(serial: string, ...requests: Array<() => Promise<Answer>>): Promise<Answer[]> {
    const { assetId } = await configOf(fleet, serial);
    const { sql } = dms.service;
    const waiting = async () => {
      const { rows } = await sql.raw(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%device_configs%'`,
      );
      return rows[0].count;
    };
    const answers: Array<Promise<Answer>> = [];
    await sql.transaction(async (holder) => {
      await holder.raw('select 1 from device_configs where asset_id = ? for no key update', [assetId]);
      for (const send of requests) {
        answers.push(send());
        await eventually(waiting, (count) => count === answers.length);
      }
    });
    return Promise.all(answers);
  }

  it('a report of the old hardware that waits while it is replaced says nothing of the new one', async () => {
    await apply(fleet, 'every-day', { serialNumbers: ['A'] });
    await obey(fleet, 'A');
    const { assetId, deviceConfig } = await configOf(fleet, 'A');
    const [replaced, reported] = await whileLocked(
      'A',
      () => fleet.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: 'NEW' }),
      () => report(fleet, 'A', deviceConfig),
    );
    assert.deepEqual([replaced?.status, reported?.status], [200, 404]);
    const { syncStatus, pendingConfig } = await configOf(fleet, 'NEW');
    assert.equal(syncStatus, 'pending');
    assert.equal(pendingConfig.transmissionInterval, 86_400);
  });

  it('a cancel that waits while the device refuses leaves what has failed as it is', async () => {
    const jobId = await apply(fleet, 'every-day', { serialNumbers: ['A', 'B'] });
    await poll('A');
    const [, cancelled] = await whileLocked(
      'A',
      () => report(fleet, 'A', { ...FACTORY, errors: [{ message: 'out of range' }] }),
      () => cancel(jobId),
    );
    assert.deepEqual([cancelled?.body.counts.failed, cancelled?.body.counts.cancelled], [1, 1]);
    const { syncStatus, pendingConfig } = await configOf(fleet, 'A');
    assert.equal(syncStatus, 'failed');
    assert.deepEqual(pendingConfig, { transmissionInterval: 86_400 });
  });

  it('a retry that waits while the device confirms finds nothing to retry', async () => {
    const jobId = await apply(fleet, 'every-day', { serialNumbers: ['A'] });
    await refuse('A');
    const [confirmed, retried] = await whileLocked(
      'A',
      () => report(fleet, 'A', { ...FACTORY, transmissionInterval: 86_400 }),
      () => fleet.api.post(`/devices/config-jobs/${jobId}/retry`),
    );
    assert.equal(confirmed?.body.syncStatus, 'applied');
    assert.equal(retried?.status, 409);
  });
});
