/** Calls to Temporal that begin and wake the runs of escalations. */
import assert from 'node:assert/strict';
import { composeEscalationRuns } from '../../src/compose/escalations.ts';

describe('Wake-ups of escalations', () => {
  /** Calls end when the test ends them. */
  function compose() {
    const ends: Array<(error?: unknown) => void> = [];
    const faults: unknown[] = [];
    const signalEscalation = () =>
      new Promise<void>((resolve, reject) => void ends.push((error) => (error ? reject(error) : resolve())));
    const calls = composeEscalationRuns({
      starter: { signalEscalation },
      onTemporalFault: (call: string) => (error: unknown) => void faults.push([call, error]),
    } as never);
    const wake = (count: number) =>
      calls.wake(Array.from({ length: count }, (_, index) => ({ organizationId: 'o', alertId: `${index}` })));
    return { ends, faults, wake, flush: calls.flush };
  }

  it('makes twenty calls to Temporal at once, continues after a fault, and drops waiting calls at the end', async () => {
    const { ends, faults, wake, flush } = compose();
    wake(30);
    await new Promise(setImmediate);
    assert.equal(ends.length, 20);
    ends[0]?.('gone');
    await new Promise(setImmediate);
    assert.deepEqual([faults, ends.length], [[['signal escalation', 'gone']], 21]);
    const flushed = flush();
    for (const end of ends) end();
    await flushed;
    assert.equal(ends.length, 21);
  });
});
