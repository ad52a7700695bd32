/**
 * What devices and jobs show by contract.md sections 3, 4 and 10, whatever happens to them: a second telling of the
 * rules, for the world that is held against it.
 */
import { type Config, clashes, holds, nullIfEmpty, only } from './config.ts';

interface Said {
  config: Config;
  madeMs: number;
  hasErrors: boolean;
}

type Heard = 'settled' | 'refused' | 'nothing';

export class ModelDevice {
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

export type State =
  | 'queued'
  | 'waiting'
  | 'sent'
  | 'applied'
  | 'failed'
  | 'cancelled'
  | 'superseded'
  | 'timed_out';
export const isOpen = (state: State) => state === 'queued' || state === 'waiting' || state === 'sent';
const isBegun = (state: State) => state === 'waiting' || state === 'sent';
export const hasNoReason = (state: State) => isOpen(state) || state === 'applied';

interface Target {
  device: ModelDevice;
  stage: number;
  state: State;
  /** A failed or timed-out change that the device may still come to run. */
  isStanding: boolean;
  isConfirmedSince: boolean;
  reasonNames: string[];
}

export interface Rollout {
  firstPercent: number;
  minAppliedPercent: number;
  abortFailedPercent: number;
}

export class ModelJob {
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

export class ModelFleet {
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
