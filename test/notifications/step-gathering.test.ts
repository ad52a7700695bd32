/** Waiting steps of escalations on a channel, merged into fewer messages. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createStepGathering } from '../../src/notifications/gathering.service.ts';
import type { Message } from '../../src/notifications/message.ts';
import { createNotificationsRepository } from '../../src/notifications/notifications.repository.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { useOrganization, useService } from '../support/service.ts';

const INTERVAL_MS = 10_000;
const OWNER = '00000000-0000-4000-8000-000000000001';

describe('Steps of escalations that wait on a channel', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let channel: { organizationId: string; channelId: string };
  let at: Date;

  beforeEach(async () => {
    at = new Date('2026-03-02T08:00:00Z');
    channel = { organizationId: org.id, channelId: await addChannel() };
  });

  async function addChannel(): Promise<string> {
    const body = { type: 'webhook', target: 'http://127.0.0.1:9/hook' };
    return (await org.api.post('/notification-channels', body)).body.id;
  }

  const repository = () => createNotificationsRepository(dms.service.sql, OWNER);
  const gather = () =>
    createStepGathering({
      transact: createTransact(dms.service.sql),
      notificationsIn: (sql) => createNotificationsRepository(sql, OWNER),
      gatherIntervalMs: INTERVAL_MS,
      now: () => at,
    })(channel);
  const later = (ms: number) => {
    at = new Date(at.getTime() + ms);
  };
  const stepOf = (name: string): Message => ({
    subject: `Escalation, step 1: ${name}, too warm`,
    about: `${name}, too warm`,
    data: {
      text: `New alert (step 1 of 2):\n- ${name}`,
      counts: { opened: 0, reminder: 0, resolved: 0, late: 0, escalated: 1 },
      alerts: [{ change: 'escalated', assetName: name, alert: { id: name } as never }],
    },
  });
  async function add(names: string[]): Promise<void> {
    for (const name of names) await repository().insertEscalation(channel, stepOf(name), at);
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
    assert.deepEqual(
      all.map(({ subject }) => subject),
      [
        '20 alerts: alert 0, too warm, and 19 more',
        '20 alerts: alert 20, too warm, and 19 more',
        '5 alerts: alert 40, too warm, and 4 more',
      ],
    );
  });

  it('writes a heading that steps share once, before their lines', async () => {
    await add(['Fridge 1', 'Fridge 2']);
    const third = stepOf('Freezer');
    third.data.text = 'Nobody has acknowledged this alert yet (step 2 of 2):\n- Freezer';
    await repository().insertEscalation(channel, third, at);
    await add(['Fridge 3']);
    await gather();
    const [message] = await messages();
    assert.deepEqual(message?.data.text.split('\n'), [
      'New alert (step 1 of 2):',
      '- Fridge 1',
      '- Fridge 2',
      '- Fridge 3',
      '',
      'Nobody has acknowledged this alert yet (step 2 of 2):',
      '- Freezer',
    ]);
  });

  it('sends the first step at once, and those of the next ten seconds in one message', async () => {
    const due = async () => {
      const claims = [];
      for (;;) {
        const claim = await repository().claim(channel, at, { leaseSeconds: 60, isForEscalations: false });
        if (!claim) return claims.map(({ content }) => content.subject);
        claims.push(claim);
      }
    };
    const isListed = async () =>
      (await repository().listDueChannels(at, new Date(at.getTime() - INTERVAL_MS))).some(
        ({ channelId }) => channelId === channel.channelId,
      );
    await add(['first']);
    assert.equal(await isListed(), true);
    await gather();
    assert.deepEqual(await due(), ['Escalation, step 1: first, too warm']);
    for (const name of ['second', 'third', 'fourth']) {
      later(3_000);
      await add([name]);
      assert.equal(await isListed(), false);
      await gather();
      assert.deepEqual(await due(), []);
    }
    later(1_000);
    assert.equal(await isListed(), true);
    await gather();
    assert.deepEqual(await due(), ['3 alerts: second, too warm, and 2 more']);
    later(60_000);
    assert.equal(await isListed(), false);
  });

  it('sends steps after a clock that was ahead is set right', async () => {
    await add(['first']);
    later(3_600_000);
    await gather();
    later(-3_600_000);
    await add(['second']);
    const due = await repository().listDueChannels(at, new Date(at.getTime() - INTERVAL_MS));
    assert.ok(due.some(({ channelId }) => channelId === channel.channelId));
    await gather();
    assert.equal((await repository().listSteps(channel, 1)).length, 0);
  });

  it('finds a place before messages of other channels', async () => {
    const others = [await addChannel(), await addChannel()];
    const refs = [others[0] ?? '', channel.channelId, others[1] ?? ''];
    for (const channelId of refs)
      await repository().insert({ ...channel, channelId }, stepOf('ordinary'), at);
    for (const channelId of refs) {
      await query(dms.service.sql, 'delete from notifications where is_escalation');
      await repository().insertEscalation({ ...channel, channelId }, stepOf('step'), at);
      const ids = (await repository().listDueChannels(at, at)).map((each) => each.channelId);
      assert.ok(refs.every((id) => ids.includes(id)));
      assert.equal(refs.toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b))[0], channelId);
    }
  });

  it('counts the age of a step from its making, gathered or not', async () => {
    // Before the messages of the other tests.
    at = new Date('2025-03-02T08:00:00Z');
    await add(['waiting']);
    later(5_000);
    assert.equal(await repository().findOldestDueSeconds(at), 5);
    await gather();
    later(5_000);
    assert.equal(await repository().findOldestDueSeconds(at), 5);
  });

  it('counts the age of an e-mail that waits for its next attempt, unless a later one was sent, and not that of a webhook', async () => {
    // Before the messages of the other tests.
    at = new Date('2025-03-01T08:00:00Z');
    await add(['refused']);
    await gather();
    const claim = await repository().claim(channel, at, { leaseSeconds: 60, isForEscalations: false });
    const nextAttemptAt = new Date(at.getTime() + HOUR_MS);
    const failed = {
      state: 'pending' as const,
      nextAttemptAt,
      error: 'the mail server could not be reached',
    };
    await repository().record({ ...channel, id: claim?.id ?? '', ...failed }, at);
    later(400_000);
    assert.ok((await repository().findOldestDueSeconds(at)) <= 0);
    await query(dms.service.sql, `update notification_channels set type = 'email' where id = ?`, [
      channel.channelId,
    ]);
    assert.equal(await repository().findOldestDueSeconds(at), 400);
    await query(dms.service.sql, 'update notification_channels set last_sent_at = now() where id = ?', [
      channel.channelId,
    ]);
    assert.ok((await repository().findOldestDueSeconds(at)) <= 0, 'others get theirs');
  });

  it('keeps the subject of the later of two steps of one alert', async () => {
    await add(['Fridge', 'Fridge']);
    await gather();
    assert.deepEqual(
      (await messages()).map(({ subject }) => subject),
      ['Escalation, step 1: Fridge, too warm'],
    );
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

  it('leaves a gathered message as it is, while it is sent and after a failed attempt', async () => {
    await add(['first']);
    await gather();
    const claim = await repository().claim(channel, at, { leaseSeconds: 60, isForEscalations: false });
    const failed = { state: 'pending' as const, nextAttemptAt: at, error: 'the receiver answered 500' };
    await repository().record({ ...channel, id: claim?.id ?? '', ...failed }, at);
    await add(['second', 'third']);
    later(INTERVAL_MS);
    await gather();
    assert.deepEqual(
      (await messages()).map(({ data }) => data.counts.escalated),
      [1, 2],
    );
  });

  it('merges steps once, with any number of workers', async () => {
    await add(numbered(40));
    await Promise.all([gather(), gather(), gather()]);
    assert.deepEqual(namesIn(await messages()).toSorted(), numbered(40).toSorted());
  });
});
