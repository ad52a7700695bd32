/**
 * A frame as customers receive it: only its new readings, in as many events as the limit of a body requires.
 */
import type { DomainEvent } from '../db/domain-event.ts';
import { typeView } from '../devices/measurement-type.ts';
import type { ClassifiedReading } from '../devices/reading.ts';
import type { ReceivedFrame } from './frame.ts';

export type FrameData = ReturnType<typeof frameView> & { readings: ReadingData[] };

export type ReadingData = ReturnType<typeof readingView>;

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'data.measurement': FrameData;
  }
}

/** Bodies stay below 20 kB; the envelope around `data` takes less than the difference. */
const DATA_BYTES_MAX = 19_500;
/** No reading takes more, so that most frames are not serialized twice. */
const READING_BYTES_MAX = 200;

export function measurementEvents(stored: ReceivedFrame): DomainEvent<'data.measurement'>[] {
  if (stored.fresh.length === 0 || !stored.device.subscribed.has('data.measurement')) return [];
  return frameData(stored, [{}]).map((data) => ({
    ...frameEnvelope(stored),
    type: 'data.measurement',
    data,
  }));
}

export const frameEnvelope = ({ device, frame }: ReceivedFrame) => ({
  organizationId: device.organizationId,
  timestamp: frame.receivedAt,
});

/**
 * The frame as the data of one event for each of `additions`, or of several when it is too large for one body. All share the
 * readings, which may be a thousand.
 */
export function frameData<More extends object>(
  stored: ReceivedFrame,
  additions: readonly More[],
): Array<FrameData & More> {
  if (additions.length === 0) return [];
  const frame = frameView(stored);
  const heads = additions.map((more) => ({ ...frame, ...more }));
  const headBytes = heads.map((head) => Buffer.byteLength(JSON.stringify(head)));
  const parts = splitReadings(stored.fresh.map(readingView), DATA_BYTES_MAX - Math.max(...headBytes));
  return heads.flatMap((head) => parts.map((readings) => ({ ...head, readings })));
}

function frameView({ device, frame, state }: ReceivedFrame) {
  return {
    serialNumber: device.serialNumber,
    assetId: device.assetId,
    assetName: device.assetName,
    batteryStatus: state.batteryStatus,
    signalStrength: state.signalStrength,
    nextTransmissionAt: frame.nextTransmissionAt?.toISOString() ?? null,
  };
}

/** A sensor error has value null and its code. */
function readingView({ channel, type, value, error, measuredAt }: ClassifiedReading) {
  const { type: name, unit } = typeView(type);
  return {
    channel,
    type: name,
    value,
    unit,
    measuredAt: measuredAt.toISOString(),
    ...(error !== null && { error }),
  };
}

function splitReadings(views: ReadingData[], bytesMax: number): ReadingData[][] {
  if (views.length * READING_BYTES_MAX <= bytesMax) return [views];
  const parts: ReadingData[][] = [[]];
  let used = 0;
  for (const view of views) {
    const size = Buffer.byteLength(JSON.stringify(view)) + 1;
    const isFull = used + size > bytesMax && (parts.at(-1) as ReadingData[]).length > 0;
    if (isFull) parts.push([]);
    used = isFull ? size : used + size;
    (parts.at(-1) as ReadingData[]).push(view);
  }
  return parts;
}
