/**
 * The reference model of a fleet: the effects of jobs on devices by section 4 of the contract. Each device is
 * the reference model of one device.
 */
import { type Config, overwritten } from './config.ts';
import { type ModelReport, ReferenceDevice } from './device.ts';

export class FleetDevice extends ReferenceDevice {
  serial: string;
  readonly assetId: string;

  constructor(serial: string, assetId: string) {
    super();
    this.serial = serial;
    this.assetId = assetId;
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
  device: FleetDevice;
  stage: number;
  state: State;
  /** Settings that are pending because of the change, whatever its state. */
  owns: Set<string>;
  /** Other changes have overwritten settings of it, or brought some of them to the device. */
  hasLost: boolean;
  isConfirmedSince: boolean;
  reasonNames: string[];
}

export interface Rollout {
  firstPercent: number;
  minAppliedPercent: number;
  abortFailedPercent: number;
}

export class ReferenceJob {
  readonly id: string;
  readonly slug: string;
  readonly change: Config;
  readonly rollout: Rollout | null;
  /** The job whose failed targets this one retries. */
  readonly retryOf: ReferenceJob | null;
  readonly targets: Target[];
  stage = 1;
  status = 'running';

  constructor(
    job: { id: string; slug: string; change: Config; rollout: Rollout | null; retryOf?: ReferenceJob },
    on: FleetDevice[],
  ) {
    this.id = job.id;
    this.slug = job.slug;
    this.change = job.change;
    this.rollout = job.rollout;
    this.retryOf = job.retryOf ?? null;
    const first = Math.max(1, Math.ceil((on.length * (job.rollout?.firstPercent ?? 100)) / 100));
    this.targets = on.map((device, index) => ({
      device,
      stage: index < first ? 1 : 2,
      state: 'queued',
      owns: new Set(),
      hasLost: false,
      isConfirmedSince: false,
      reasonNames: [],
    }));
  }

  count(...states: State[]): number {
    return this.targets.filter(({ state }) => states.includes(state)).length;
  }
  /** Directly, or through jobs in between. */
  retries(other: ReferenceJob): boolean {
    return this.retryOf !== null && (this.retryOf === other || this.retryOf.retries(other));
  }
  get hasOpenTargets() {
    return this.targets.some(({ state }) => isOpen(state));
  }
  get retryable() {
    return this.targets.filter(
      ({ state, isConfirmedSince }) => (state === 'failed' || state === 'timed_out') && !isConfirmedSince,
    );
  }
  /** A retry confirms for the jobs that it retries, too. */
  confirm(on: FleetDevice) {
    for (const target of this.targets) if (target.device === on) target.isConfirmedSince = true;
    this.retryOf?.confirm(on);
  }
  get endStatus() {
    return this.count('failed', 'timed_out') > 0 ? 'completed_with_failures' : 'succeeded';
  }
}

export class ReferenceFleet {
  readonly jobs: ReferenceJob[] = [];

  private *targetsOn(
    device: FleetDevice,
    except?: ReferenceJob,
  ): Iterable<{ job: ReferenceJob; target: Target }> {
    for (const job of this.jobs)
      for (const target of job.targets) if (target.device === device && job !== except) yield { job, target };
  }

  add(job: ReferenceJob) {
    this.jobs.push(job);
    this.beginStage(job);
  }

  beginStage(job: ReferenceJob) {
    for (const target of job.targets)
      if (target.stage === job.stage && target.state === 'queued') this.put(job, target);
  }

  private put(job: ReferenceJob, own: Target) {
    const { device } = own;
    for (const { job: other, target } of this.targetsOn(device, job)) {
      const taken = overwritten(other.change, job.change);
      if (target.state === 'queued' && taken.length > 0) target.state = 'superseded';
      const lost = taken.filter((key) => target.owns.delete(key));
      if (lost.length === 0) continue;
      target.hasLost = true;
      if (isBegun(target.state)) target.state = 'superseded';
    }
    own.owns = new Set(Object.keys(job.change));
    device.merge(job.change);
    this.reoffer(device);
    own.state = 'waiting';
  }

  private reoffer(device: FleetDevice) {
    for (const { target } of this.targetsOn(device)) if (target.state === 'sent') target.state = 'waiting';
  }

  fetch(device: FleetDevice, nowMs: number) {
    if (!device.offer) return;
    device.fetch(nowMs);
    for (const { target } of this.targetsOn(device)) if (target.state === 'waiting') target.state = 'sent';
  }

  report(device: FleetDevice, report: ModelReport) {
    const outcome = device.report(report);
    if (outcome === 'confirmed') this.confirm(device);
    if (outcome === 'rejected') this.refuse(device, device.refusal ?? []);
    this.fetch(device, report.receivedMs);
  }

  private confirm(device: FleetDevice) {
    for (const { job, target } of this.targetsOn(device)) {
      if (target.owns.size === 0) continue;
      const left = [...target.owns].filter((key) => key in device.change);
      if (left.length === 0) {
        if (isBegun(target.state)) target.state = 'applied';
        if (!target.hasLost) job.confirm(device);
      } else if (left.length < target.owns.size) target.hasLost = true;
      target.owns = new Set(left);
    }
  }

  private refuse(device: FleetDevice, reasonNames: string[]) {
    for (const { target } of this.targetsOn(device))
      if (isBegun(target.state)) Object.assign(target, { state: 'failed', reasonNames });
  }

  /**
   * Cancels the open targets, and withdraws settings that the job owns; after an abort the devices show what
   * they refused.
   */
  stop(job: ReferenceJob, status: string) {
    for (const target of job.targets) {
      const isFailed = target.state === 'failed';
      if (isOpen(target.state)) target.state = 'cancelled';
      if (target.owns.size > 0 && !(isFailed && status === 'aborted')) this.withdraw(job, target);
    }
    job.status = status;
  }

  private withdraw(job: ReferenceJob, { device, owns }: Target) {
    const onDevice = [...this.targetsOn(device)];
    const ended = onDevice.filter(({ job: other }) => other === job || job.retries(other));
    for (const { target } of ended) target.owns = new Set();
    const withdrawn: string[] = [];
    const refusedAgain: string[] = [];
    let names: string[] = [];
    for (const key of owns) {
      const owners = onDevice.map(({ target }) => target).filter((target) => target.owns.has(key));
      if (owners.length === 0) withdrawn.push(key);
      else if (owners.every(({ state }) => state === 'failed') && !device.refused.includes(key)) {
        refusedAgain.push(key);
        names = owners.flatMap(({ reasonNames }) => reasonNames).slice(0, 1);
      }
    }
    if (withdrawn.length + refusedAgain.length === 0) return;
    device.withdraw(withdrawn);
    device.refuseAgain(refusedAgain, names);
    this.reoffer(device);
  }

  /** Also ends jobs that wait for this device alone. */
  withdrawAll(device: FleetDevice) {
    for (const { job, target } of this.targetsOn(device)) {
      target.owns = new Set();
      if (!isOpen(target.state)) continue;
      target.state = 'cancelled';
      if (job.targets.length === 1) job.status = 'cancelled';
    }
    if (device.pending) device.setPending({});
  }

  /** A device that has left a running job counts in it no more, whatever it has refused. */
  archive(device: FleetDevice) {
    for (const { job, target } of this.targetsOn(device)) {
      const hasRefused = target.state === 'failed' && job.status === 'running';
      if (isOpen(target.state) || hasRefused) target.state = 'cancelled';
      target.owns = new Set();
    }
    device.setPending({});
  }

  replaceHardware(device: FleetDevice, serial: string) {
    device.serial = serial;
    device.replaceHardware();
    this.reoffer(device);
  }

  expire(job: ReferenceJob) {
    for (const target of job.targets) {
      if (isOpen(target.state)) target.state = 'timed_out';
    }
    job.status = job.endStatus;
  }

  /**
   * Makes the next step of the workflows; true when one did more than finish a job whose targets have
   * settled.
   */
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

  private verdict(job: ReferenceJob): 'wait' | 'end' | 'abort' | 'begin' {
    const { rollout } = job;
    if (job.status !== 'running') return 'wait';
    const open = job.count('waiting', 'sent');
    const all = open + job.count('applied', 'failed', 'timed_out');
    const reach = (count: number, percent: number) => count * 100 >= percent * all;
    const failed = job.count('failed');
    if (rollout && failed > 0 && reach(failed, rollout.abortFailedPercent)) return 'abort';
    const isLast = job.stage === 2 || job.targets.every(({ stage }) => stage === 1);
    if (isLast) return open > 0 ? 'wait' : 'end';
    const applied = job.count('applied');
    if (rollout === null || (applied > 0 && reach(applied, rollout.minAppliedPercent))) return 'begin';
    return open > 0 ? 'wait' : 'abort';
  }
}
