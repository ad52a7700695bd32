/** Messages that have not arrived, beside the step that made them. */
import assert from 'node:assert/strict';
import { type StepMessage, troublesOf } from '../../src/operator/step-outcomes.ts';

const NOON = '2026-03-02T12:00:00.000Z';
const at = (minutes: number) => new Date(Date.parse(NOON) + minutes * 60_000);
const channel = (id: string, name: string | null = null) => ({
  id,
  type: 'webhook' as const,
  name,
  target: `http://pager.example/${id}`,
});
const message = (channelId: string, minutes: number, more: Partial<StepMessage> = {}): StepMessage => ({
  channelId,
  state: 'failed',
  error: 'it answered 500',
  nextAttemptAt: null,
  madeAt: at(minutes),
  ...more,
});
const entry = (comment: string, minutes = 0) => ({ at: at(minutes).toISOString(), comment });
const channelsIn = (...found: Parameters<typeof troublesOf>) =>
  troublesOf(...found).map(({ channel: name }) => name);

describe('The outcome of a step', () => {
  it('shows the name of a channel, also of one that was renamed after the step', () => {
    const grace = channel('grace', 'Grace, on call');
    for (const comment of ['step 1 of 1: Grace, on call', 'step 1 of 1: Night', 'step 1 of 1: webhook x'])
      assert.deepEqual(channelsIn(entry(comment), [message('grace', 0)], [grace]), ['Grace, on call']);
  });

  it('finds the channel of a gathered step by its name, which may hold a comma, or by its address', () => {
    const channels = [channel('grace', 'Grace, on call'), channel('ada', 'Ada')];
    const messages = [message('grace', -5), message('ada', -5)];
    const gathered = (names: string) => channelsIn(entry(`step 2 of 2: ${names}`), messages, channels);
    assert.deepEqual(gathered('Night, Grace, on call'), ['Grace, on call']);
    assert.deepEqual(gathered('Gracefield, on call'), []);
    assert.deepEqual(gathered('webhook http://pager.example/ada'), ['Ada']);
  });

  it('shows no trouble of another step, and none of a message that has arrived', () => {
    const channels = [channel('ada'), channel('grace')];
    const step = entry('step 2 of 2: webhook http://pager.example/grace', 10);
    assert.deepEqual(channelsIn(step, [message('ada', 0), message('grace', 20)], channels), []);
    assert.deepEqual(channelsIn(step, [message('grace', 10, { state: 'sent' })], channels), []);
  });
});
