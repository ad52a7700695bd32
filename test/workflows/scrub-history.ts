/**
 * Removes the machine and the time of the recording from a history, so that another recording is the same.
 */
import proto from '@temporalio/proto';

/**
 * The SDK's own conversion to JSON needs a single copy of protobufjs in the tree, which is not guaranteed.
 */
const { History } = proto.temporal.api.history.v1;

const FIRST_EVENT_AT = Date.parse('2026-01-01T00:00:00Z') / 1000;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** Ids chosen by the scenarios. */
const FIXED_UUID = /^00000000-/;
/** Written by the server in any order. */
const UNORDERED = ['metadata', 'indexedFields', 'coreUsedFlags', 'langUsedFlags'];
/** Depends on the moment, and is not used by replay. */
const DROPPED = ['taskId', 'historySizeBytes'];

interface Event {
  eventId: string;
  eventTime: object;
}

/** As JSON text with one event a line. */
export function scrubHistory(history: object): string {
  const { events } = History.toObject(History.fromObject(history), {
    longs: String,
    enums: String,
    bytes: String,
  }) as { events: Event[] };
  const lines = events.map((event) => JSON.stringify(withLogicalTime(event), scrubField));
  return withNumberedIds(`{"events":[\n${lines.join(',\n')}\n]}\n`);
}

/** Times advance by one second per event; replay needs only their order. */
const withLogicalTime = (event: Event): Event => ({
  ...event,
  eventTime: { seconds: String(FIRST_EVENT_AT + Number(event.eventId)), nanos: 0 },
});

function scrubField(name: string, value: unknown): unknown {
  if (DROPPED.includes(name)) return undefined;
  if (!UNORDERED.includes(name) || value === null) return value;
  return Array.isArray(value)
    ? [...value].sort()
    : Object.fromEntries(Object.entries(value as object).sort());
}

/** A random id becomes its number in the order of appearance. */
function withNumberedIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(UUID, (id) => {
    if (FIXED_UUID.test(id)) return id;
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `ffffffff-0000-4000-8000-${String(number).padStart(12, '0')}`;
  });
}
