/**
 * A frame over HTTP. Readings are validated by hand-written code: a request has up to a thousand of them, and
 * a general validator would cost more than storing them.
 */
import { CHANNELS_MAX, PROBE_POSITIONS, TEMPERATURE } from '../devices/device-capabilities.ts';
import type { ReportedBatteryStatus } from '../devices/device-status.ts';
import { isInRange, measurementTypeNamed } from '../devices/measurement-type.ts';
import type { SentReading } from '../devices/reading.ts';
import { timeOf } from '../process/iso-time.ts';
import type { Frame } from './frame.ts';

export interface FrameBody {
  readings: SentReading[];
  batteryStatus?: ReportedBatteryStatus;
  signal?: number;
  configHash?: number;
  nextTransmissionAt?: Date;
}

export function toFrame(
  sent: FrameBody,
  { organizationId, serialNumber, receivedAt }: Pick<Frame, 'organizationId' | 'serialNumber' | 'receivedAt'>,
): Frame {
  return {
    organizationId,
    serialNumber,
    receivedAt,
    readings: sent.readings,
    batteryStatus: sent.batteryStatus ?? null,
    signal: sent.signal ?? null,
    configHash: sent.configHash ?? null,
    nextTransmissionAt: sent.nextTransmissionAt ?? null,
    measurementPeriodSeconds: null,
    channelTypes: null,
    canDeliverConfig: true,
  };
}

/** Its message begins behind the path of the reading. */
export class ReadingFault extends Error {}

const KEYS = ['channel', 'type', 'value', 'measuredAt'];

/** @throws ReadingFault */
export function parseReading(sent: unknown): SentReading {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    throw new ReadingFault(' must be an object');
  }
  for (const key in sent) if (!KEYS.includes(key)) throw new ReadingFault(`.${key} is not allowed`);
  const { channel, type: name, value, measuredAt } = sent as Record<string, unknown>;
  const type = typeof name === 'string' ? measurementTypeNamed(name) : null;
  if (!isChannel(channel)) throw new ReadingFault(`.channel must be 1 to ${CHANNELS_MAX}, probe or ambient`);
  if (!type) throw new ReadingFault('.type must be the lower-case name of a measurement type');
  if (typeof channel === 'string' && type.number !== TEMPERATURE) {
    throw new ReadingFault('.channel must be a number, since its type is not temperature');
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ReadingFault('.value must be a number');
  if (!isInRange(type, value)) {
    const possible = type.range ? `${type.range.join(' to ')} ${type.unit}` : '0 or 1';
    throw new ReadingFault(`.value must be ${possible}`);
  }
  const at = typeof measuredAt === 'string' ? timeOf(measuredAt) : null;
  if (!at) throw new ReadingFault('.measuredAt must be an ISO 8601 time with a zone');
  return { channel, type: type.number, value, error: null, measuredAt: at };
}

const isChannel = (channel: unknown): channel is SentReading['channel'] =>
  (Number.isInteger(channel) && (channel as number) >= 1 && (channel as number) <= CHANNELS_MAX) ||
  (PROBE_POSITIONS as readonly unknown[]).includes(channel);
