import assert from 'node:assert/strict';
import type { Alert } from '../../src/alerts/alert.ts';
import { type AlertAction, historyOf } from '../../src/alerts/alert-history.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 8, 0, second));
const action = (second: number, name: AlertAction['action']): AlertAction => ({
  at: at(second),
  action: name,
  by: null,
  comment: null,
});
const resolvedAt = (second: number) => ({ status: 'resolved', updatedAt: at(second), late: false }) as Alert;

describe('The history of an alert', () => {
  it('puts the end after an escalation that its transaction waited for, and in between comments', () => {
    const actions = [action(2, 'commented'), action(4, 'escalated'), action(6, 'commented')];
    const history = historyOf(resolvedAt(3), at(1), actions);
    assert.deepEqual(history, [
      action(1, 'opened'),
      action(2, 'commented'),
      action(4, 'escalated'),
      action(4, 'resolved'),
      action(6, 'commented'),
    ]);
    assert.deepEqual(historyOf(resolvedAt(5), at(1), actions).at(3), action(5, 'resolved'));
  });
});
