import assert from 'node:assert/strict';
import { type Fault, PROCESS_KINDS, planFaults } from '../../dev/ledger/fault-plan.ts';
import { processNames } from '../../dev/ledger/service-processes.ts';

const processes = processNames(3);
const plan = (seed: number, minutes = 3) => planFaults({ seed, durationMs: minutes * 60_000, processes });
const kindOf = (fault: Fault) => processes.find(({ name }) => name === fault.processName)?.kind ?? null;

describe('The faults of the ledger', () => {
  it('draws the same faults for the same seed, and others for another one', () => {
    assert.deepEqual(plan(7), plan(7));
    assert.notDeepEqual(plan(7).faults, plan(8).faults);
  });

  it('hits every kind of process in every way, and both servers, within three minutes', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { faults } = plan(seed);
      for (const processKind of PROCESS_KINDS)
        for (const kind of ['kill', 'term', 'stop'])
          assert.ok(
            faults.some((fault) => fault.kind === kind && kindOf(fault) === processKind),
            `seed ${seed} has no ${kind} of ${processKind}`,
          );
      for (const kind of ['database', 'temporal'])
        assert.ok(
          faults.some((fault) => fault.kind === kind),
          `seed ${seed} has no ${kind}`,
        );
    }
  });

  it('orders faults by time, within the duration, each short', () => {
    const { faults } = plan(3, 10);
    assert.deepEqual(
      faults.map(({ atMs }) => atMs),
      faults.map(({ atMs }) => atMs).sort((a, b) => a - b),
    );
    assert.ok(faults.every(({ atMs, forMs }) => atMs < 600_000 && forMs >= 0 && forMs <= 15_000));
    assert.ok(faults.length > 40, `only ${faults.length}`);
  });

  it('sets the clock of one process wrong by two minutes', () => {
    const skews = Array.from({ length: 40 }, (_, seed) => plan(seed).skew);
    assert.deepEqual([...new Set(skews.map(({ ms }) => ms))].sort(), [-120_000, 120_000]);
    assert.ok(new Set(skews.map(({ processName }) => processName)).size > 3);
  });
});
