/** Answers that clients have yet to read. */
import assert from 'node:assert/strict';
import { createAnswerBudget } from '../../src/http/answer-budget.ts';
import { clientResponse } from '../support/client-response.ts';

const MIB = 1024 * 1024;

describe('The budget of answers', () => {
  it('refuses one beyond 64 MiB that an organization has yet to read, sends those of others, and counts each until it is read', () => {
    const count = createAnswerBudget();
    const answers = Array.from({ length: 64 }, () => clientResponse());
    for (const each of answers) count('one', MIB, each);
    assert.throws(() => count('one', MIB, clientResponse()), /have not been read/);
    count('one', 1_000, clientResponse());
    count('other', 64 * MIB, clientResponse());
    count('one', MIB, clientResponse(true));
    // A response that waits behind another one of its connection is not closed with it.
    const [first = clientResponse(), second = clientResponse()] = answers;
    for (const [closed, other] of [
      [first, first.req.socket],
      [second.req.socket, second],
    ] as const) {
      closed.emit('close');
      count('one', MIB, clientResponse());
      other.emit('close');
      assert.throws(() => count('one', MIB, clientResponse()), /have not been read/);
    }
  });
});
