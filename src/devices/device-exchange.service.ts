/**
 * The device's side of the loop, whatever the transport: a contact brings a report, asks for what is pending, or both.
 * Contacts are group-committed: many devices, one transaction, and the answer is given when it is durable.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, EventType, Publish } from '../db/domain-event.ts';
import { createGroupCommit } from '../db/group-commit.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { expectedBy } from '../presence/expected-contact.ts';
import { AppError } from '../process/errors.ts';
import { canonicalText, type DeviceConfiguration, hasSameAlertRules } from './configuration.ts';
import {
  type ContactUpdate,
  type Device,
  type DeviceBackOnline,
  type ObservedCapabilities,
  type OfferedChange,
  withObserved,
} from './device.ts';
import { capabilitiesKey } from './device-capabilities.ts';
import {
  type DeviceReport,
  type DeviceSync,
  expectedIntervalSeconds,
  fetch,
  merge,
  monitoredConfig,
  observeHash,
  offered,
  receiveReport,
  type SyncStatus,
  syncStatus,
} from './device-sync.ts';
import { type SerialInOrganization, serialKeyOf } from './serial-number.ts';

export interface DeviceExchange {
  organizationId: string;
  serialNumber: string;
  report?: DeviceReport;
  /** The hash that a frame showed. */
  observedHash?: number;
  observed?: ObservedCapabilities;
  /** The answer can carry what waits for the device, which then counts as fetched. */
  canDeliverConfig: boolean;
}

export interface ExchangeResult {
  syncStatus: SyncStatus;
  /** What the device takes along: it counts as fetched. */
  pendingConfig: OfferedChange | null;
}

export interface ExchangeDevices {
  lockBySerial(serials: SerialInOrganization[]): Promise<Device[]>;
  update(devices: Device[], heard: ContactUpdate[]): Promise<DeviceBackOnline[]>;
}

/** A target that a contact settled. */
export interface SettledTarget {
  jobId: string;
  assetId: string;
  profileSlug: string;
  /** Whether this is what settled it: it may have failed or timed out before. */
  isNew: boolean;
}

export interface ExchangeTargets {
  confirm(assetIds: string[]): Promise<SettledTarget[]>;
  fail(failures: Array<{ assetId: string; reason: string }>): Promise<SettledTarget[]>;
  markSent(assetIds: string[]): Promise<void>;
  reopen(assetIds: string[]): Promise<void>;
}

/** For the Temporal UI: which device did what for which job. */
export interface TargetOutcome {
  organizationId: string;
  jobId: string;
  serialNumber: string;
  event: 'applied' | 'failed';
}

export interface DeviceExchangesDeps {
  transact: Transact;
  devicesIn(sql: Sql): ExchangeDevices;
  targetsIn(sql: Sql): ExchangeTargets;
  unregisteredIn(sql: Sql): {
    record(contactCount: SerialInOrganization[]): Promise<void>;
  };
  /**
   * What devices whose variant has changed should have, compiled again: what is pending, or what they run. Without an
   * entry all stays. The jobs' targets follow.
   */
  recompile(sql: Sql, devices: Device[]): Promise<Map<string, DeviceConfiguration>>;
  /** Other rules guard these devices from now on. */
  onAlertRulesChanged(tx: InTransaction, assetIds: string[]): Promise<void>;
  /** These had been missed. */
  markOnline(tx: InTransaction, returned: DeviceBackOnline[]): Promise<void>;
  jobsProgressed(news: TargetOutcome[]): void;
  /** Tells subscribers, in the same transaction. */
  publish: Publish;
  now(): Date;
}

export interface DeviceExchanges {
  /** Null when the organization has no active device of that serial; the sighting is noted for the operator. */
  receive(contact: DeviceExchange): Promise<ExchangeResult | null>;
}

const BATCH_MAX = 500;
const BATCHES_UNDER_WAY = 2;
const WAITING_MAX = 20_000;

export function createDeviceExchanges(deps: DeviceExchangesDeps): DeviceExchanges {
  const group = createGroupCommit<DeviceExchange, ExchangeResult | null>({
    commit: (contacts) => commitExchanges(deps, contacts),
    maxItems: BATCH_MAX,
    concurrency: BATCHES_UNDER_WAY,
    maxWaiting: WAITING_MAX,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices report at once', { headers: { 'Retry-After': '5' } }),
  });
  return { receive: (contact) => group.submit(contact) };
}

function commitExchanges(
  deps: DeviceExchangesDeps,
  contacts: DeviceExchange[],
): Promise<Array<ExchangeResult | null>> {
  return deps.transact(async ({ sql, afterCommit }) => {
    const bySerial = new Map(contacts.map((contact) => [serialKeyOf(contact), contact]));
    const devices = await deps.devicesIn(sql).lockBySerial([...bySerial.values()]);
    const observed = await applyObservations(deps, sql, devices, contacts);
    const courses = new Map(
      observed.map(({ before, device }) => [serialKeyOf(device), createCourse(before, device)]),
    );
    const results = contacts.map(
      (contact) => courses.get(serialKeyOf(contact))?.take(contact, deps.now()) ?? null,
    );
    const now = deps.now();
    const heard = [...courses.values()].map((course) => course.heard(now));
    const changed = [...courses.values()].filter((course) => course.hasChanged());
    const returned = await deps.devicesIn(sql).update(
      changed.map((course) => course.device()),
      heard,
    );
    await deps.markOnline({ sql }, returned);
    const { news, events } = await moveTargets(deps.targetsIn(sql), changed, now);
    await deps.publish({ sql }, events);
    await deps.onAlertRulesChanged({ sql }, replacedRules(changed));
    await deps.unregisteredIn(sql).record(contacts.filter((contact) => !courses.has(serialKeyOf(contact))));
    afterCommit(() => deps.jobsProgressed(news));
    return results;
  });
}

/** What the contacts show of their devices comes first: a report is judged against what the device should run. */
async function applyObservations(
  { recompile }: DeviceExchangesDeps,
  sql: Sql,
  devices: Device[],
  contacts: DeviceExchange[],
): Promise<Array<{ before: Device; device: Device }>> {
  const shownOf = new Map<string, ObservedCapabilities[]>();
  for (const contact of contacts) {
    if (contact.observed)
      shownOf.set(serialKeyOf(contact), [...(shownOf.get(serialKeyOf(contact)) ?? []), contact.observed]);
  }
  const learned = devices.map((before) => ({
    before,
    device: (shownOf.get(serialKeyOf(before)) ?? []).reduce(withObserved, before),
  }));
  const changed = learned.filter(
    ({ before, device }) =>
      device !== before && capabilitiesKey(before.capabilities) !== capabilitiesKey(device.capabilities),
  );
  if (changed.length === 0) return learned;
  const pending = await recompile(
    sql,
    changed.map(({ device }) => device),
  );
  return learned.map(({ before, device }) => {
    const config = pending.get(device.assetId);
    return { before, device: config ? { ...device, sync: mergeOther(device.sync, config) } : device };
  });
}

/** What is pending already needs no new revision. */
function mergeOther(sync: DeviceSync, config: DeviceConfiguration): DeviceSync {
  const next = merge(sync, config);
  const isSame =
    sync.pending && canonicalText(sync.pending.config) === canonicalText(next.pending?.config ?? {});
  return isSame ? sync : next;
}

/** Devices that are guarded by other rules or windows than before. */
const replacedRules = (courses: Course[]): string[] =>
  courses.filter((course) => course.hasOtherRules()).map((course) => course.device().assetId);

/** What happens to one device within a batch, in which it may speak more than once. */
function createCourse(found: Device, device: Device) {
  const before = found.sync;
  let sync = device.sync;
  let rejection: string | null = null;
  let wasConfirmed = false;
  return {
    take({ report, observedHash, canDeliverConfig }: DeviceExchange, now: Date): ExchangeResult {
      if (observedHash !== undefined) sync = observeHash(sync, observedHash);
      if (report) {
        const received = receiveReport(sync, report);
        sync = received.sync;
        if (received.outcome.kind === 'rejected') rejection = received.outcome.reason;
        if (received.outcome.kind === 'confirmed') wasConfirmed = true;
      }
      if (canDeliverConfig) sync = fetch(sync, now);
      return { syncStatus: syncStatus(sync), pendingConfig: canDeliverConfig ? offered(sync) : null };
    },
    device: (): Device => ({ ...device, sync }),
    heard(at: Date): ContactUpdate {
      const transmissionInterval = expectedIntervalSeconds(sync);
      return {
        assetId: device.assetId,
        at,
        expectedBy: expectedBy({ at, nextTransmissionAt: null, transmissionInterval }),
        hasOtherInterval: transmissionInterval !== expectedIntervalSeconds(before),
      };
    },
    hasChanged: () => sync !== before || device !== found,
    hasOtherRules: () => !hasSameAlertRules(monitoredConfig(before), monitoredConfig(sync)),
    rejection: () => rejection,
    wasConfirmed: () => wasConfirmed,
    /** Where targets that are still open stand now; null when that did not change. */
    openState(): 'sent' | 'waiting' | null {
      if (!sync.pending || sync.pending.failure !== null) return null;
      const isFetched = sync.pending.fetchedAt !== null;
      if (isFetched === (before.pending?.fetchedAt != null)) return null;
      return isFetched ? 'sent' : 'waiting';
    },
  };
}

type Course = ReturnType<typeof createCourse>;

/** A device is refused before it confirms, never the other way round, unless a merge comes in between. */
async function moveTargets(
  targets: ExchangeTargets,
  courses: Course[],
  at: Date,
): Promise<{ news: TargetOutcome[]; events: DomainEvent[] }> {
  const idOf = (course: Course) => course.device().assetId;
  const failed = await targets.fail(
    courses.flatMap((course) => {
      const reason = course.rejection();
      return reason === null ? [] : [{ assetId: idOf(course), reason }];
    }),
  );
  const applied = await targets.confirm(courses.filter((course) => course.wasConfirmed()).map(idOf));
  await targets.markSent(courses.filter((course) => course.openState() === 'sent').map(idOf));
  await targets.reopen(courses.filter((course) => course.openState() === 'waiting').map(idOf));
  const deviceOf = new Map(courses.map((course) => [idOf(course), course.device()]));
  const newsOf = (event: TargetOutcome['event']) => (target: SettledTarget) => {
    const { organizationId, serialNumber } = deviceOf.get(target.assetId) as Device;
    return { organizationId, jobId: target.jobId, serialNumber, event };
  };
  return {
    news: [...failed.map(newsOf('failed')), ...applied.map(newsOf('applied'))],
    events: [
      ...courses.flatMap((course) => rejectionEvents(course, ofAsset(failed, idOf(course)), at)),
      ...courses.flatMap((course) => confirmationEvents(course, ofAsset(applied, idOf(course)), at)),
    ],
  };
}

const ofAsset = (settled: SettledTarget[], assetId: string) =>
  settled.filter((target) => target.assetId === assetId);

/** One per job that was settled; else one for each that had been given up before; without a job one of its own. */
function confirmationEvents(course: Course, confirmed: SettledTarget[], at: Date): DomainEvent[] {
  if (!course.wasConfirmed()) return [];
  const settled = confirmed.filter(({ isNew }) => isNew);
  return causesOf(settled.length > 0 ? settled : confirmed).map((cause) => ({
    ...eventOf('config.applied', course, at),
    data: { ...dataOf(course, cause), appliedAt: at.toISOString() },
  }));
}

function rejectionEvents(course: Course, settled: SettledTarget[], at: Date): DomainEvent[] {
  const reason = course.rejection();
  if (reason === null) return [];
  return causesOf(settled).map((cause) => ({
    ...eventOf('config.failed', course, at),
    data: { ...dataOf(course, cause), reason, failedAt: at.toISOString() },
  }));
}

interface Cause {
  jobId: string | null;
  profileSlug: string | null;
}

const causesOf = (settled: SettledTarget[]): Cause[] =>
  settled.length > 0 ? settled : [{ jobId: null, profileSlug: null }];

const eventOf = <Type extends EventType>(type: Type, course: Course, timestamp: Date) => ({
  organizationId: course.device().organizationId,
  type,
  timestamp,
});

function dataOf(course: Course, { jobId, profileSlug }: Cause) {
  const { serialNumber, assetId, sync } = course.device();
  return { serialNumber, assetId, profileSlug, jobId, deviceConfig: sync.reported?.config ?? null };
}
