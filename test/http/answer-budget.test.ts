/** Answers that clients have yet to read. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createAnswerBudget } from '../../src/http/answer-budget.ts';

const MIB = 1024 * 1024;

const answer = (destroyed = false) => Object.assign(new EventEmitter(), { destroyed });

describe('The budget of answers', () => {
  it('refuses one beyond 64 MiB that an organization has yet to read, sends those of others, and counts each until it is read', () => {
    const count = createAnswerBudget();
    const answers = Array.from({ length: 64 }, () => answer());
    for (const each of answers) count('one', MIB, each);
    assert.throws(() => count('one', MIB, answer()), /have not been read/);
    count('one', 1_000, answer());
    count('other', 64 * MIB, answer());
    count('one', MIB, answer(true));
    answers[0]?.emit('close');
    count('one', MIB, answer());
    assert.throws(() => count('one', MIB, answer()), /have not been read/);
  });
});
