/**
 * Each fact of the service arrives at every receiver that subscribes to it at least once, and always as the
 * same event; no event arrives without a fact; signatures are valid, and bodies match the published document.
 */
import { readingKey } from './readings-oracle.ts';
import type { Finding, LedgerReading, Receipt, StoredFacts, Subscription } from './records.ts';

export function* checkEvents(
  receipts: readonly Receipt[],
  subscriptions: readonly Subscription[],
  facts: StoredFacts,
): Generator<Finding> {
  yield* checkRequests(receipts);
  const expected = expectedFacts(facts);
  const events = distinctEvents(receipts);
  yield* checkDoubled(events);
  for (const subscription of subscriptions.filter(({ isComplete }) => isComplete)) {
    const arrived = new Set(
      receipts
        .filter(({ receiver, answered }) => receiver === subscription.receiver && isGood(answered))
        .flatMap(({ body }) => factsIn(body)),
    );
    for (const [fact, type] of expected)
      if (subscription.types.includes(type) && !arrived.has(fact))
        yield finding(`${subscription.receiver} never got ${fact}`);
  }
  yield* checkInvented(events, expected);
}

/** No receiver requires this type, so it need not arrive. */
const OPTIONAL = 'optional';

const isGood = (status: number | null) => status !== null && status >= 200 && status < 300;

function* checkRequests(receipts: readonly Receipt[]): Generator<Finding> {
  const bodies = new Map<string, string>();
  for (const { receiver, eventId, type, body, isSigned, invalid } of receipts) {
    if (!isSigned) yield finding(`${receiver} got ${type} ${eventId} with a wrong signature`);
    if (invalid) yield finding(`${receiver} got ${type} ${eventId}, which is not as documented: ${invalid}`);
    const first = bodies.get(eventId) ?? body;
    bodies.set(eventId, first);
    if (first !== body) yield finding(`${eventId} came with two bodies`);
  }
}

/** Bodies by the id of the event, each once. */
const distinctEvents = (receipts: readonly Receipt[]): Map<string, string> =>
  new Map(receipts.map(({ eventId, body }) => [eventId, body]));

function* checkDoubled(events: ReadonlyMap<string, string>): Generator<Finding> {
  const ids = new Map<string, string>();
  for (const [eventId, body] of events)
    for (const fact of factsIn(body)) {
      const first = ids.get(fact);
      if (first !== undefined) yield finding(`${fact} is two events, ${first} and ${eventId}`);
      ids.set(fact, eventId);
    }
}

function* checkInvented(
  events: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): Generator<Finding> {
  for (const [eventId, body] of events)
    for (const fact of factsIn(body))
      if (!expected.has(fact)) yield finding(`${eventId} says what is not so: ${fact}`);
}

/** Each fact as text, with the type of its event. */
function expectedFacts({ devices, jobs, alerts }: StoredFacts): Map<string, string> {
  const facts = new Map<string, string>();
  for (const { serialNumber, readings } of devices)
    for (const reading of readings) facts.set(readingFact(serialNumber, reading), 'data.measurement');
  for (const { id, status } of alerts) {
    facts.set(`alert.created ${id}`, 'alert.created');
    if (status === 'resolved') facts.set(`alert.resolved ${id}`, 'alert.resolved');
  }
  for (const { id, status, targets } of jobs) {
    if (status !== 'running') facts.set(`config.job.finished ${id}`, 'config.job.finished');
    for (const { state, assetId } of targets) {
      if (state === 'applied') facts.set(`config.applied ${id} ${assetId}`, 'config.applied');
      if (state === 'failed') facts.set(`config.failed ${id} ${assetId}`, 'config.failed');
      // The device may still apply or refuse the change, so that event is optional.
      if (state === 'failed' || state === 'timed_out') facts.set(`config.applied ${id} ${assetId}`, OPTIONAL);
      if (state === 'timed_out') facts.set(`config.failed ${id} ${assetId}`, OPTIONAL);
    }
  }
  return facts;
}

const readingFact = (serialNumber: string, reading: Pick<LedgerReading, 'channel' | 'measuredAt'>) =>
  `reading ${serialNumber} ${readingKey(reading)}`;

interface EventBody {
  type: string;
  data: Record<string, unknown>;
}

/** Facts of an event that can be compared with those of the service. */
function factsIn(body: string): string[] {
  const { type, data } = JSON.parse(body) as EventBody;
  switch (type) {
    case 'data.measurement':
      return (data.readings as LedgerReading[]).map((reading) =>
        readingFact(String(data.serialNumber), reading),
      );
    case 'alert.created':
    case 'alert.resolved':
    case 'config.job.finished':
      return [`${type} ${data.id}`];
    case 'config.applied':
    case 'config.failed':
      return data.jobId === null ? [] : [`${type} ${data.jobId} ${data.assetId}`];
    default:
      return [];
  }
}

const finding = (text: string): Finding => ({ about: 'events', text });
