/** `data.measurement`: a frame as customers are told of it, new readings alone, split where it would be too large. */
import type { DomainEvent } from '../events/event.ts';
import { measurementTypeOf } from './measurement-type.ts';
import type { ClassifiedReading } from './reading.ts';
import type { StoredFrame } from './stored-frame.ts';

/** Bodies stay below 20 kB; what is around `data` takes less than the rest. */
const DATA_BYTES_MAX = 19_500;

export function measurementEvents(taken: StoredFrame): DomainEvent[] {
  if (taken.fresh.length === 0 || !taken.asset.subscribed.has('data.measurement')) return [];
  return frameEvents('data.measurement', taken);
}

/** The frame as events of the type: one, or several when it is too large for one body. */
export function frameEvents(type: string, taken: StoredFrame, more: object = {}): DomainEvent[] {
  const head = { ...frameView(taken), ...more };
  const room = DATA_BYTES_MAX - Buffer.byteLength(JSON.stringify(head));
  return partsOf(taken.fresh.map(readingView), room).map((readings) => ({
    organizationId: taken.asset.organizationId,
    type,
    timestamp: taken.frame.receivedAt,
    data: { ...head, readings },
  }));
}

function frameView({ asset, frame, state }: StoredFrame) {
  return {
    serialNumber: asset.serialNumber,
    assetId: asset.assetId,
    assetName: asset.assetName,
    batteryStatus: state.batteryStatus,
    signalStrength: state.signalStrength,
    nextTransmissionAt: frame.nextTransmissionAt?.toISOString() ?? null,
  };
}

/** A sensor error has value null and its code. */
function readingView({ channel, type, value, error, measuredAt }: ClassifiedReading) {
  const known = measurementTypeOf(type);
  return {
    channel,
    type: known?.name ?? `type_${type}`,
    value,
    unit: known?.unit ?? '',
    measuredAt: measuredAt.toISOString(),
    ...(error !== null && { error }),
  };
}

function partsOf<View>(views: View[], room: number): View[][] {
  const parts: View[][] = [[]];
  let used = 0;
  for (const view of views) {
    const size = Buffer.byteLength(JSON.stringify(view)) + 1;
    const isFull = used + size > room && (parts.at(-1) as View[]).length > 0;
    if (isFull) parts.push([]);
    used = isFull ? size : used + size;
    (parts.at(-1) as View[]).push(view);
  }
  return parts;
}
