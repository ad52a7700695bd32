/**
 * Alerts begin with a reading that a device sent and that was outside the bounds; a device has one open at a
 * time.
 */
import type { AlarmRule } from '../../src/devices/configuration.ts';
import { readingKey } from './readings-oracle.ts';
import type {
  Finding,
  LedgerReading,
  SentReadings,
  StoredAlert,
  StoredDevice,
  StoredFacts,
  StoredJob,
} from './records.ts';

export function* checkAlerts(
  alerts: readonly StoredAlert[],
  sent: SentReadings,
  { devices, jobs }: Pick<StoredFacts, 'devices' | 'jobs'>,
): Generator<Finding> {
  const open = new Set<string>();
  const known = new Map(devices.map((device) => [device.assetId, device]));
  if (new Set(alerts.map(({ id }) => id)).size !== alerts.length)
    yield finding('The list', 'names an alert twice');
  for (const alert of alerts) {
    const device = known.get(alert.assetId);
    if (!device) yield finding(alert.id, 'is of an unknown device');
    else yield* checkBeginning(alert, sent);
    if (alert.late) yield* checkLate(alert, sent);
    if (alert.status === 'resolved') continue;
    const place = `${alert.serialNumber} ${alert.type} ${alert.details.channel}`;
    if (open.has(place)) yield finding(alert.id, `is a second open one: ${place}`);
    open.add(place);
    if (device) yield* checkOpen(alert, device);
  }
  yield* checkApart(alerts);
  const rulesSince = latestChanges(jobs);
  for (const device of devices)
    yield* checkMissing(device, { open, sinceMs: rulesSince.get(device.serialNumber) ?? 0 });
}

/** When a job last changed anything on each device. */
function latestChanges(jobs: readonly StoredJob[]): Map<string, number> {
  const latest = new Map<string, number>();
  for (const { serialNumber, updatedAt } of jobs.flatMap(({ targets }) => targets))
    latest.set(serialNumber, Math.max(latest.get(serialNumber) ?? 0, Date.parse(updatedAt)));
  return latest;
}

/**
 * If the newest reading is outside the bound that the device runs, an alert has to be open. New rules do not
 * evaluate earlier readings.
 */
function* checkMissing(
  device: StoredDevice,
  { open, sinceMs }: { open: ReadonlySet<string>; sinceMs: number },
): Generator<Finding> {
  const { serialNumber, syncStatus, deviceConfig } = device;
  const highC = thresholdOf(deviceConfig?.alarmRules ?? []);
  const newest = newestOf(device, PROBE_CHANNEL);
  const value = newest?.value ?? null;
  if (syncStatus !== 'applied' || newest === null || highC === null || value === null) return;
  if (value <= highC || Date.parse(newest.measuredAt) <= sinceMs) return;
  if (!open.has(`${serialNumber} high_temp ${PROBE_CHANNEL}`))
    yield finding(serialNumber, `measures ${value} °C above ${highC} °C without an alert`);
}

function thresholdOf(rules: readonly AlarmRule[]): number | null {
  for (const rule of rules) if (rule.condition === 'HIGH_THRESHOLD') return rule.threshold;
  return null;
}

const PROBE_CHANNEL = 1;

function* checkBeginning(alert: StoredAlert, sent: SentReadings): Generator<Finding> {
  const { id, serialNumber, type, details, timestamp } = alert;
  // No device is away long enough to miss a contact.
  if (type === 'no_data') return yield finding(id, `says that ${serialNumber} is away, which transmits`);
  const key = readingKey({ channel: details.channel ?? 0, measuredAt: timestamp });
  const cause = sent.get(serialNumber)?.get(key)?.reading;
  if (!cause) return yield finding(id, `began with a reading that ${serialNumber} never sent: ${key}`);
  if (cause.value !== details.value)
    yield finding(id, `began with ${details.value}, and ${cause.value} was sent`);
  const { highC, lowC } = details.bounds ?? { highC: null, lowC: null };
  const value = cause.value ?? 0;
  const isBreach = (highC !== null && value > highC) || (lowC !== null && value < lowC);
  if (!isBreach) yield finding(id, `began with ${value}, which is within its bounds`);
}

/** A late alert is over, and its extreme was sent and is at least as far out as its beginning. */
function* checkLate(alert: StoredAlert, sent: SentReadings): Generator<Finding> {
  const { id, serialNumber, status, type, details, timestamp, endedAt, extreme } = alert;
  if (status !== 'resolved') yield finding(id, `is late, and ${status}`);
  if (!endedAt || !extreme) return yield finding(id, 'is late, without an end or an extreme');
  const [from, to, at] = [timestamp, endedAt, extreme.at].map((time) => Date.parse(time)) as [
    number,
    number,
    number,
  ];
  if (at < from || at > to || from > to)
    yield finding(id, `has an extreme outside of its time: ${extreme.at}`);
  const key = readingKey({ channel: details.channel ?? 0, measuredAt: extreme.at });
  const value = sent.get(serialNumber)?.get(key)?.reading.value ?? null;
  if (value !== extreme.value) yield finding(id, `has the extreme ${extreme.value}, and ${value} was sent`);
  const first = details.value ?? 0;
  if (type === 'high_temp' ? extreme.value < first : extreme.value > first)
    yield finding(id, `has the extreme ${extreme.value}, and began with ${first}`);
}

/** Each excursion in late data has one alert. */
function* checkApart(alerts: readonly StoredAlert[]): Generator<Finding> {
  const ends = new Map<string, number>();
  const late = alerts.filter((alert) => alert.late);
  for (const { id, assetId, type, details, timestamp, endedAt } of late.toSorted((a, b) =>
    a.timestamp.localeCompare(b.timestamp),
  )) {
    const place = JSON.stringify([assetId, type, details.channel, details.bounds]);
    const since = Date.parse(timestamp);
    if (since < (ends.get(place) ?? 0)) yield finding(id, 'overlaps another excursion in late data');
    ends.set(place, Math.max(since, Date.parse(endedAt ?? timestamp)));
  }
}

/** The newest reading may be between the bound and the return, but not within both. */
function* checkOpen({ id, type, details }: StoredAlert, device: StoredDevice): Generator<Finding> {
  const newest = newestOf(device, details.channel)?.value ?? null;
  const highC = details.bounds?.highC;
  if (type !== 'high_temp' || newest === null || highC == null) return;
  if (newest <= highC - HYSTERESIS_MAX_C)
    yield finding(id, `is open, and the newest reading is ${newest} °C`);
}

/** More than the hysteresis of any profile of the ledger. */
export const HYSTERESIS_MAX_C = 1;

function newestOf({ readings }: StoredDevice, channel: number | undefined): LedgerReading | null {
  const ofChannel = readings.filter((reading) => reading.channel === channel);
  const times = ofChannel.map(({ measuredAt }) => Date.parse(measuredAt));
  return ofChannel[times.indexOf(Math.max(...times))] ?? null;
}

const finding = (alert: string, text: string): Finding => ({ about: 'alerts', text: `${alert} ${text}` });
