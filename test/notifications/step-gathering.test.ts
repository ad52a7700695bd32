/** Waiting steps of escalations on a channel, merged into fewer messages. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createStepGathering } from '../../src/notifications/gathering.service.ts';
import type { Message } from '../../src/notifications/message.ts';
import { createNotificationsRepository } from '../../src/notifications/notifications.repository.ts';
import { startService, type TestService } from '../support/service.ts';

const OWNER = '00000000-0000-4000-8000-000000000001';

describe('Steps of escalations that wait on a channel', () => {
  let dms: TestService;
  let channel: { organizationId: string; channelId: string };

  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    const org = await dms.addOrganization();
    const body = { type: 'webhook', target: 'http://127.0.0.1:9/hook' };
    const { body: created } = await org.api.post('/notification-channels', body);
    channel = { organizationId: org.id, channelId: created.id };
  });

  const repository = () => createNotificationsRepository(dms.service.sql, OWNER);
  const gather = () =>
    createStepGathering({
      transact: createTransact(dms.service.sql),
      notificationsIn: (sql) => createNotificationsRepository(sql, OWNER),
    })(channel);
  const stepOf = (name: string): Message => ({
    subject: `Escalation, step 1: ${name}`,
    data: {
      text: name,
      counts: { opened: 0, reminder: 0, resolved: 0, late: 0, escalated: 1 },
      alerts: [{ change: 'escalated', assetName: name, alert: {} as never }],
    },
  });
  async function add(names: string[]): Promise<void> {
    for (const name of names) await repository().insertEscalation(channel, stepOf(name), new Date());
  }
  const messages = async () =>
    (
      await query<{ content: Message }>(
        dms.service.sql,
        'select content from notifications where organization_id = ? order by id',
        [channel.organizationId],
      )
    ).map(({ content }) => content);
  const namesIn = (all: Message[]) =>
    all.flatMap(({ data }) => data.alerts.map(({ assetName }) => assetName));
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `alert ${index}`);

  it('merges twenty steps into one message, which names every alert once', async () => {
    await add(numbered(45));
    await gather();
    const all = await messages();
    assert.deepEqual(
      all.map(({ data }) => data.counts.escalated),
      [20, 20, 5],
    );
    assert.deepEqual(namesIn(all), numbered(45));
    assert.match(all[0]?.subject ?? '', /^Escalation: 20 steps/);
    await add(['late']);
    await gather();
    assert.deepEqual(namesIn(await messages()), [...numbered(45), 'late']);
  });

  it('leaves a single step unchanged', async () => {
    await add(['alone']);
    await gather();
    assert.deepEqual(await messages(), [stepOf('alone')]);
  });

  it('keeps merged steps within the body of an event', async () => {
    await add(Array.from({ length: 20 }, (_, index) => `${index} ${'ÄÖ'.repeat(1_000)}`));
    await gather();
    const all = await messages();
    assert.equal(namesIn(all).length, 20);
    for (const { data } of all) assert.ok(Buffer.byteLength(JSON.stringify(data)) < 20_000);
  });

  it('leaves steps alone while they are sent, and after an attempt', async () => {
    await add(['first', 'second', 'third']);
    const claim = await repository().claim(channel, new Date(), { leaseSeconds: 60 });
    await gather();
    assert.deepEqual(
      (await messages()).map(({ data }) => data.counts.escalated),
      [1, 2],
    );
    const failed = {
      state: 'pending' as const,
      nextAttemptAt: new Date(),
      error: 'the receiver answered 500',
    };
    await repository().record({ ...channel, id: claim?.id ?? '', ...failed }, new Date());
    await add(['fourth']);
    await gather();
    assert.deepEqual(
      (await messages()).map(({ data }) => data.counts.escalated),
      [1, 3],
    );
  });

  it('merges steps once, with any number of workers', async () => {
    await add(numbered(40));
    await Promise.all([gather(), gather(), gather()]);
    assert.deepEqual(namesIn(await messages()).toSorted(), numbered(40).toSorted());
  });
});
