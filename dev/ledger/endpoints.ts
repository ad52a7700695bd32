/** The endpoints of a run: one per kind of receiver, all registered before the first fault. */
import type { LedgerClient } from './client.ts';
import { expect, type RegisteredEndpoint, registerWebhook, toSecret } from './customer.ts';
import type { Receivers } from './receivers.ts';
import type { ReceiverKind, Subscription } from './records.ts';
import { countWaiting } from './stored-state.ts';

export interface LedgerEndpoints {
  subscriptions: Subscription[];
  edited: RegisteredEndpoint;
  toggled: RegisteredEndpoint;
  /** Number of waiting deliveries to receivers that have to get everything. */
  countWaiting(): Promise<number>;
  /** Resends deliveries that failed twice, which would otherwise wait for minutes. Returns their number. */
  resendLate(): Promise<number>;
  /** Faults in the final state of the endpoints that failed. */
  faults(): Promise<string[]>;
}

const WEBHOOK_TYPES = [
  'data.measurement.alert',
  'alert.created',
  'alert.resolved',
  'config.applied',
  'config.failed',
  'config.job.finished',
];
const CELLULAR_TYPES = ['data.measurement', 'config.applied'];
const INCOMPLETE: ReceiverKind[] = ['gone', 'toggled'];
const LATE_MS = 15_000;

export async function registerEndpoints(
  client: LedgerClient,
  receivers: Receivers,
): Promise<LedgerEndpoints> {
  const registered = new Map<ReceiverKind, RegisteredEndpoint>();
  const subscriptions: Subscription[] = [];
  for (const kind of ['healthy', 'flaky', 'slow', 'dead', 'edited', 'toggled', 'gone'] as const) {
    const receiver = await receivers.open(kind, kind);
    receiver.secrets.push(toSecret(`ledger ${kind}`));
    registered.set(kind, { id: await registerWebhook(client, receiver), receiver });
    const isComplete = !INCOMPLETE.includes(kind);
    subscriptions.push({ receiver: kind, kind, types: WEBHOOK_TYPES, isComplete });
  }
  const cellular = await receivers.open('cellular', 'cellular');
  const { status, body } = await client.send('POST', '/cellular-webhooks', {
    url: cellular.url,
    deliverConfigApplied: true,
  });
  expect(status, [201], 'cellular webhook', body);
  subscriptions.push({ receiver: 'cellular', kind: 'cellular', types: CELLULAR_TYPES, isComplete: true });

  const complete = [
    `/cellular-webhooks/${body.id}`,
    ...[...registered].filter(([kind]) => !INCOMPLETE.includes(kind)).map(([, { id }]) => `/webhooks/${id}`),
  ];
  const byKind = (kind: ReceiverKind) => registered.get(kind) as RegisteredEndpoint;

  return {
    subscriptions,
    edited: byKind('edited'),
    toggled: byKind('toggled'),
    async countWaiting() {
      const all = await Promise.all(complete.map((endpoint) => countWaiting(client, endpoint)));
      return all.reduce((sum, { pending, retrying }) => sum + pending + retrying.length, 0);
    },
    async resendLate() {
      let resent = 0;
      for (const endpoint of complete) {
        const { retrying } = await countWaiting(client, endpoint);
        for (const { id } of retrying.filter(({ nextAttemptAt }) => isLate(nextAttemptAt))) {
          await client.send('POST', `${endpoint}/deliveries/${id}/resend`);
          resent += 1;
        }
      }
      return resent;
    },
    async faults() {
      const faults: string[] = [];
      for (const endpoint of complete) {
        const shown = (await client.get(endpoint)).body;
        const state = shown.health?.state ?? 'healthy';
        if (shown.status !== 'active' || state !== 'healthy')
          faults.push(`${shown.url} is ${shown.status}, ${state}`);
      }
      const gone = (await client.get(`/webhooks/${byKind('gone').id}`)).body;
      // In a short run this may not have happened.
      const has410 = receivers.receipts.some(
        ({ receiver, answered }) => receiver === 'gone' && answered === 410,
      );
      if ((gone.disabledReason ?? null) !== (has410 ? 'gone' : null))
        faults.push(`${gone.url} ${has410 ? 'answered' : 'never answered'} 410 and is ${gone.status}`);
      return faults;
    },
  };
}

const isLate = (nextAttemptAt: string | null) =>
  nextAttemptAt !== null && Date.parse(nextAttemptAt) - Date.now() > LATE_MS;
