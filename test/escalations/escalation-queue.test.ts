/** Events that begin and end escalations, and when their runs are started. */
import assert from 'node:assert/strict';
import { alertExample } from '../../src/alerts/alerts.schemas.ts';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import type { BegunEscalation } from '../../src/escalations/escalation-queue.repository.ts';
import { createQueueEscalations } from '../../src/escalations/escalation-queue.service.ts';

const AT = new Date('2026-03-02T08:15:30Z');
const organizationId = '00000000-0000-4000-8000-000000000001';

describe('The queue of escalations', () => {
  let asked: Array<{ opened: string[] } | { ended: string[] }> = [];
  let calls: string[] = [];
  let effects: Array<() => void> = [];
  let begun: BegunEscalation[] = [];
  let overIds: string[] = [];
  const queue = createQueueEscalations({
    queueIn: () => ({
      async begin(opened) {
        if (opened.length > 0) asked.push({ opened: opened.map(({ alertId }) => alertId) });
        return begun;
      },
      async end(ended) {
        if (ended.length > 0) asked.push({ ended: ended.map(({ alertId }) => alertId) });
        return overIds.map((alertId) => ({ organizationId, alertId }));
      },
    }),
    runs: {
      begin: ({ alertId }) => void calls.push(`begin ${alertId}`),
      wake: ({ alertId }) => void calls.push(`wake ${alertId}`),
    },
    now: () => AT,
  });
  const tx = { sql: {} as never, afterCommit: (effect: () => void) => void effects.push(effect) };

  beforeEach(() => {
    [asked, calls, effects, begun, overIds] = [[], [], [], [], []];
  });

  const event = (
    type: 'alert.created' | 'alert.resolved',
    id: string,
    more: Partial<typeof alertExample> = {},
  ): DomainEvent => ({
    organizationId,
    type,
    timestamp: AT,
    data: { ...alertExample, id, escalation: null, ...more },
  });

  it('runs no statement without an alert that opens or ends', async () => {
    await queue(tx, []);
    await queue(tx, [event('alert.resolved', 'never escalated', { status: 'resolved' })]);
    assert.deepEqual([asked, effects], [[], []]);
  });

  it('begins none for finished excursions in late data, or for alerts that were acknowledged before their event', async () => {
    const late = event('alert.created', 'late', { late: true, status: 'resolved' });
    const acknowledged = event('alert.created', 'acknowledged', { status: 'acknowledged' });
    assert.deepEqual(await queue(tx, [late, acknowledged]), [late, acknowledged]);
    assert.deepEqual(asked, []);
  });

  it('starts and signals runs only after the commit, and shows the escalation in the event', async () => {
    begun = [{ organizationId, alertId: 'opened', policyId: 'policy', nextStepAt: AT }];
    overIds = ['ended'];
    const events = await queue(tx, [
      event('alert.created', 'opened'),
      event('alert.created', 'no policy'),
      event('alert.resolved', 'ended', { status: 'resolved', escalation: alertExample.escalation }),
    ]);
    assert.deepEqual(asked, [{ opened: ['opened', 'no policy'] }, { ended: ['ended'] }]);
    assert.deepEqual(calls, []);
    for (const effect of effects) effect();
    assert.deepEqual(calls, ['wake ended', 'begin opened']);
    const [opened, other] = events.map(({ data }) => (data as typeof alertExample).escalation);
    assert.deepEqual([opened, other], [{ id: 'policy', step: 0, nextStepAt: AT.toISOString() }, null]);
  });
});
