/** The loop that serves channels: its places, and what a message costs the database. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { createTransact, type Transact } from '../../src/db/transaction.ts';
import { createGathering, createStepGathering } from '../../src/notifications/gathering.service.ts';
import { createMessageRenewal } from '../../src/notifications/message-renewal.service.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import type { ChannelType } from '../../src/notifications/notification-channel.ts';
import { createNotificationsRepository } from '../../src/notifications/notifications.repository.ts';
import { createNotifier } from '../../src/notifications/notifier.service.ts';
import { toCustomer } from '../escalations/harness.ts';
import { useService } from '../support/service.ts';
import { statementsOf } from '../support/statements-of.ts';

const OWNER = '00000000-0000-4000-8000-000000000001';
const DELIVERED = {
  verdict: 'delivered',
  statusCode: 200,
  error: null,
  durationMs: 0,
  retryAfterMs: null,
} as const;
const NEVER = new Promise<never>(() => {});
const unused = (): never => assert.fail('not expected');
const GIVEN = {
  schedule: [],
  leaseSeconds: 60,
  gatherIntervalMs: 0,
  now: () => new Date(),
  random: unused,
  log: { warn: unused, error: unused } as never,
};

/** Serves the channels while e-mails never end; returns the types of those that have found a place. */
async function serve(channels: Array<[type: ChannelType, organizationId: string]>): Promise<ChannelType[]> {
  const due = channels.map(([type, organizationId], index) => ({
    type,
    organizationId,
    channelId: `channel ${index}`,
    target: `target ${index}`,
  }));
  const served: ChannelType[] = [];
  const notifier = createNotifier({
    ...GIVEN,
    notifications: {
      listDueChannels: async () => due,
      findWaiting: async () => ({ hasSteps: false, isDue: false }),
      record: unused,
      release: unused,
    },
    transact: unused,
    notificationsIn: unused,
    gather: async () => true,
    gatherSteps: unused,
    renew: unused,
    sender: { open: unused, send: unused },
    mails: {
      hasRoom({ type }) {
        served.push(type);
        return type === 'email' ? NEVER : Promise.resolve(true);
      },
      count: unused,
      takeBack: unused,
    },
    observe: unused,
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

describe('A message to Slack or a webhook', () => {
  const dms = useService({ withWorker: false });

  /** Sends all that is due, and counts the transactions. */
  async function send(): Promise<{ sent: number; transactions: number }> {
    const counts = { sent: 0, transactions: 0 };
    const transactWith = createTransact(dms.service.sql);
    const transact: Transact = (work) => {
      counts.transactions++;
      return transactWith(work);
    };
    const notificationsIn = (sql: typeof dms.service.sql) => createNotificationsRepository(sql, OWNER);
    const notificationAlertsIn = createNotificationAlertsRepository;
    const notificationAlerts = notificationAlertsIn(dms.service.sql);
    const given = { ...GIVEN, transact, notificationsIn, notificationAlertsIn, notificationAlerts };
    const events = new EventEmitter();
    const recorded = once(events, 'recorded');
    const notifier = createNotifier({
      ...given,
      notifications: notificationsIn(dms.service.sql),
      gather: createGathering({ ...given, onSetAside: unused }),
      gatherSteps: createStepGathering(given),
      renew: createMessageRenewal(given),
      sender: {
        open: () => ({}) as never,
        send: async () => DELIVERED,
      },
      mails: { hasRoom: async () => true, count: async () => true, takeBack: unused },
      observe() {
        counts.sent++;
        events.emit('recorded');
      },
    });
    await notifier.look();
    await recorded;
    // It looks for a further message before it is stopped.
    await setImmediate();
    await notifier.stop();
    return counts;
  }

  /**
   * The look; gathering in a transaction: lock of the channel, unsent messages, due alerts, content of the alerts, their next
   * times, the message, the time of the gathering; what waits; the claim in a transaction: lock, claim; what is still true;
   * the outcome; what waits. With begin and commit of both, 18 round trips.
   */
  it('takes fourteen statements and two transactions from the look until it is sent', async () => {
    const customer = toCustomer(dms, await dms.addOrganization());
    await customer.channel('nurse');
    await customer.openAlert('Fridge');
    let counts = {};
    const statements = await statementsOf(dms.service.sql, async () => {
      counts = await send();
    });
    assert.deepEqual(counts, { sent: 1, transactions: 2 });
    assert.equal(statements.length, 1 + 7 + 1 + 2 + 1 + 1 + 1, statements.join('\n'));
  });
});
