/** Rows of devices with their latest values and the curve of a day. */
import type { ListedAssetView } from '../assets/asset.ts';
import { INTERVALS_HELD } from '../devices/configuration.ts';
import { DAY_MS } from '../process/durations.ts';
import { byImportance } from './curve.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, nameLink, quietState, TICK_HEAD, table, time, toWords } from './parts.ts';
import { type SparkPoint, sparkline } from './sparkline.ts';

export interface ListedDevice {
  device: ListedAssetView;
  /** Hours of one channel, oldest first. */
  hours: readonly SparkPoint[];
  /** Channels in breach. */
  breached: readonly number[];
  /** Whether it has had a profile. */
  hasProfile: boolean;
}

/** The form that ticked devices belong to. */
export const CHOSEN = 'apply-to-chosen';

interface DevicesTableOptions {
  now: Date;
  empty: string;
  /** Whether each row has a box to tick. */
  isChoosing: boolean;
}

export const devicesTable = (
  listed: readonly ListedDevice[],
  { now, empty, isChoosing }: DevicesTableOptions,
): Html =>
  table({
    caption: 'Devices',
    head: [
      ...(isChoosing ? [TICK_HEAD] : []),
      'Device',
      'Contact',
      'Now',
      'Last 24 hours',
      'Battery',
      'Signal',
      'Configuration',
      'Last reading',
    ],
    rows: listed.map((each) => [...(isChoosing ? [choiceOf(each)] : []), ...deviceRow(each, now)]),
    empty,
  });

const choiceOf = ({ device: { name, serialNumber } }: ListedDevice): Html =>
  html`<input type="checkbox" name="serialNumbers" value="${serialNumber}" form="${CHOSEN}" aria-label="Choose ${name}">`;

function deviceRow({ device, hours, breached, hasProfile }: ListedDevice, now: Date): Content[] {
  const {
    id,
    name,
    serialNumber,
    status,
    batteryStatus,
    signalStrength,
    lastReadingAt,
    syncStatus,
    openAlerts,
  } = device;
  return [
    nameLink(id, name, serialNumber),
    html`${badge(status)}${openAlerts > 0 && html` <a class="badge bad" href="/operator/alerts?assetId=${id}">${openAlerts} open</a>`}`,
    latestHtml(device.latest, breached),
    curveOf(name, hours, now),
    batteryStatus === 'low' ? badge('low') : quietState(batteryStatus),
    quietState(signalStrength),
    hasProfile ? badge(syncStatus) : badge('no_profile'),
    time(lastReadingAt),
  ];
}

/** There is a point for each hour. */
const GAP_MS = INTERVALS_HELD * 3_600_000;

function curveOf(name: string, hours: readonly SparkPoint[], now: Date): Html {
  const to = now.getTime();
  return sparkline(hours, { label: `The last 24 hours of ${name}`, from: to - DAY_MS, to, gapMs: GAP_MS });
}

/** A value in breach is red, and says so without its colour. */
export const latestHtml = (latest: ListedAssetView['latest'], breached: readonly number[]): Content =>
  latest.length === 0
    ? html`<span class="quiet">–</span>`
    : [...latest].sort(byImportance).map(({ channel, position, type, value, unit }) => {
        const name = html` <span class="channel">${position ?? toWords(type)}</span>`;
        if (value === null) return html`<span class="value">${badge('sensor_error')}${name}</span> `;
        const isBreached = breached.includes(channel);
        return html`<span class="value${isBreached && ' problem'}">${shownValue(value)} ${unit}${isBreached && html`<span class="hidden">, in breach</span>`}${name}</span> `;
      });

/** Measured values are exact in three decimals, so that a value beside its bound is never rounded onto it. */
export const shownValue = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: 3, signDisplay: 'negative' });
