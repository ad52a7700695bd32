/** An escalation that matches every alert of a run, with a receiver for each of its steps. */
import type { LedgerClient } from './client.ts';
import { expect, toSecret } from './customer.ts';
import type { Receivers } from './receivers.ts';
import type { LedgerEscalation } from './records.ts';

/** The shortest times that customers can set. */
const AFTER_MINUTES = [0, 1];

/** Null if the release has no escalations. */
export async function registerEscalation(
  client: LedgerClient,
  receivers: Receivers,
): Promise<LedgerEscalation | null> {
  if ((await client.get('/escalations')).status === 404) return null;
  const channels = await Promise.all(
    AFTER_MINUTES.map(async (afterMinutes) => {
      const receiver = await receivers.open('healthy', `step after ${afterMinutes} minutes`);
      const secret = toSecret(receiver.name);
      receiver.secrets.push(secret);
      const channel = { type: 'webhook', target: receiver.url, secret };
      const { status, body } = await client.send('POST', '/notification-channels', channel);
      expect(status, [201], 'notification channel', body);
      return { afterMinutes, receiver: receiver.name, channelId: body.id as string };
    }),
  );
  const steps = channels.map(({ afterMinutes, channelId }) => ({ afterMinutes, channelIds: [channelId] }));
  const { status, body } = await client.send('POST', '/escalations', { name: 'Ledger', steps });
  expect(status, [201], 'escalation', body);
  return { id: body.id, steps: channels.map(({ afterMinutes, receiver }) => ({ afterMinutes, receiver })) };
}
