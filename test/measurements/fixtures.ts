import { NEW_DEVICE } from '../../src/devices/device-sync.ts';
import type { Reading } from '../../src/devices/reading.ts';
import type { Frame, LockedDevice } from '../../src/measurements/frame.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';

/** An error code of a sensor. */
export const SENSOR_FAULT = 8_388_557;

export const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

/** A reading as the API accepts it. */
export const reading = (more: object = {}) => ({
  channel: 1,
  type: 'temperature',
  value: 4.2,
  measuredAt: ago(1),
  ...more,
});

/** One a minute, the newest first. */
export const series = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => reading({ measuredAt: ago(index + 1), value: index, ...more }));

/** A reading as the intake accepts it, so many minutes from now, which is also its value. */
export const temperature = (minute: number, more: Partial<Reading> = {}, now = Date.now()): Reading => ({
  channel: 1,
  type: 1,
  value: minute,
  error: null,
  measuredAt: new Date(now + minute * MINUTE_MS),
  ...more,
});

/** A frame that leaves out whatever it can. */
export const EMPTY_FRAME: Omit<Frame, 'organizationId' | 'serialNumber' | 'receivedAt'> = {
  readings: [],
  batteryStatus: null,
  signal: null,
  configHash: null,
  nextTransmissionAt: null,
  measurementPeriodSeconds: null,
  channelTypes: null,
  canDeliverConfig: true,
};

/** A device that is offline, without any other known state. */
export const lockedDevice = (more: Partial<LockedDevice> = {}): LockedDevice => ({
  organizationId: 'o',
  assetId: '019cb0a5-0000-7000-8000-000000000000',
  serialNumber: '282C02424EED',
  assetName: 'Cold room',
  capabilities: { model: null, channelTypes: null, ruleSlots: 12 },
  areChannelsReported: false,
  registeredAt: new Date(0),
  settings: { running: null, begun: [] },
  sync: NEW_DEVICE,
  subscribed: new Set(),
  openAlerts: [],
  state: {
    presence: { status: 'offline', lastContactAt: null, expectedBy: null },
    signalStrength: 'unknown',
    sendsSignal: false,
    batteryStatus: 'unknown',
    lastReadingAt: null,
    latestMeasuredAt: null,
    channelTypes: null,
    newestReadingAt: {},
    latest: [],
  },
  ...more,
});
