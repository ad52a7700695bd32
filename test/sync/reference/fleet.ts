/**
 * The reference model of a fleet: what jobs do to devices by section 4 of the contract, whatever happens to them. Each
 * device is the reference model of one device.
 */
import { type Config, conflicts } from './config.ts';
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
  /** Failed or timed out, and the device may still come to run the change. */
  isStillActive: boolean;
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
  /** The job whose failed targets it tries again. */
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
      isStillActive: false,
      isConfirmedSince: false,
      reasonNames: [],
    }));
  }

  count(...states: State[]): number {
    return this.targets.filter(({ state }) => states.includes(state)).length;
  }
  /** Directly, or by jobs in between. */
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
      if (conflicts(job.change, other.change).length === 0) continue;
      if (isOpen(target.state)) target.state = 'superseded';
      target.isStillActive = false;
    }
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
      if (Object.keys(job.change).some((key) => key in device.change)) continue;
      if (target.isStillActive) target.isConfirmedSince = true;
      target.isStillActive = false;
      if (isBegun(target.state)) target.state = 'applied';
    }
  }

  private refuse(device: FleetDevice, reasonNames: string[]) {
    for (const { target } of this.targetsOn(device))
      if (isBegun(target.state)) Object.assign(target, { state: 'failed', isStillActive: true, reasonNames });
  }

  /** Cancels the open targets and withdraws their change. */
  stop(job: ReferenceJob, status: string) {
    for (const target of job.targets) {
      const { device, state } = target;
      if (!isOpen(state)) continue;
      target.state = 'cancelled';
      if (isBegun(state)) this.withdraw(job, device);
    }
    job.status = status;
  }

  private withdraw(job: ReferenceJob, device: FleetDevice) {
    const others = [...this.targetsOn(device, job)];
    const isWanted = (key: string) =>
      others.some(
        ({ job: other, target: { state, isStillActive } }) =>
          key in other.change &&
          (isBegun(state) || (state === 'timed_out' && isStillActive && !job.retries(other))),
      );
    const withdrawn = Object.keys(job.change).filter((key) => key in device.change && !isWanted(key));
    if (withdrawn.length === 0) return;
    for (const { job: other, target } of others)
      if (withdrawn.some((key) => key in other.change)) target.isStillActive = false;
    device.withdraw(withdrawn);
    this.reoffer(device);
  }

  archive(device: FleetDevice) {
    for (const { target } of this.targetsOn(device)) {
      if (isOpen(target.state)) target.state = 'cancelled';
      target.isStillActive = false;
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
      if (!isOpen(target.state)) continue;
      target.isStillActive = target.state !== 'queued';
      target.state = 'timed_out';
    }
    job.status = job.endStatus;
  }

  /** What the workflows do next; true when one does more than finish a job whose targets have settled. */
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
    if (reach(job.count('applied'), rollout?.minAppliedPercent ?? 0)) return 'begin';
    return open > 0 ? 'wait' : 'abort';
  }
}
