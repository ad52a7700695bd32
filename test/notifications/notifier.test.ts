/** The places of the loop that serves channels. */
import assert from 'node:assert/strict';
import type { ChannelType } from '../../src/notifications/notification-channel.ts';
import { createNotifier } from '../../src/notifications/notifier.service.ts';

const NEVER = new Promise<never>(() => {});
const unused = (): never => assert.fail('not expected');

/** Serves the channels while e-mails never end; returns the types of those that have found a place. */
async function serve(channels: Array<[type: ChannelType, organizationId: string]>): Promise<ChannelType[]> {
  const due = channels.map(([type, organizationId], index) => ({
    type,
    organizationId,
    channelId: `channel ${index}`,
  }));
  const served: ChannelType[] = [];
  const notifier = createNotifier({
    notifications: {
      listDueChannels: async () => due,
      claim: async () => null,
      record: unused,
      release: unused,
    },
    gather: async () => true,
    gatherSteps: async () => {},
    renew: unused,
    sender: { open: unused, send: unused },
    mails: {
      hasRoom({ channelId }) {
        const { type } = due.find((each) => each.channelId === channelId) ?? unused();
        served.push(type);
        return type === 'email' ? NEVER : Promise.resolve(true);
      },
      count: unused,
      takeBack: unused,
    },
    schedule: [],
    leaseSeconds: 60,
    gatherIntervalMs: 0,
    now: () => new Date(),
    random: unused,
    observe: unused,
    log: { warn: unused, error: unused } as never,
  });
  await notifier.look();
  return served;
}

const repeated = (count: number, type: ChannelType, organizationOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index): [ChannelType, string] => [type, organizationOf(index)]);

describe('The loop that serves channels', () => {
  it('leaves half of its places to Slack and webhooks while the mail server hangs', async () => {
    const emails = repeated(100, 'email', (index) => `organization ${index}`);
    const served = await serve([...emails, ['slack', 'another'], ['webhook', 'organization 0']]);
    assert.deepEqual([served.length, served.slice(32)], [34, ['slack', 'webhook']]);
  });

  it('leaves half of the places of an organization to its Slack and webhooks while the mail server hangs', async () => {
    const emails = repeated(4, 'email', () => 'one');
    const served = await serve([...emails, ['webhook', 'one'], ['email', 'another']]);
    assert.deepEqual(served, ['email', 'email', 'webhook', 'email']);
  });

  it('serves four channels of an organization at a time, and 64 in all', async () => {
    assert.equal((await serve(repeated(5, 'webhook', () => 'one'))).length, 4);
    assert.equal((await serve(repeated(70, 'webhook', (index) => `organization ${index}`))).length, 64);
  });
});
