/** When devices could not be heard: the rule alone. */
import assert from 'node:assert/strict';
import {
  createOutageTracker,
  type IngressHeartbeat,
  type Outage,
} from '../../src/presence/ingress-availability.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');
/** Minutes from noon. */
const at = (minutes: number) => new Date(NOON + minutes * 60_000);
const gap = (began: number, ended: number): Outage => ({ beganAt: at(began), endedAt: at(ended) });
const seen = (name: string, minutes: number): IngressHeartbeat => ({ name, seenAt: at(minutes) });

describe('Devices could not be heard', () => {
  const deaf = (listeners: IngressHeartbeat[], gaps: Outage[] = [], now = 0, watch = createOutageTracker()) =>
    watch.outages({ now: at(now), listeners, gaps });

  it('at no time while every way in is seen within a minute', () => {
    assert.deepEqual(deaf([seen('api', -1), seen('gateway', 0)]), []);
    assert.deepEqual(deaf([]), []);
  });

  it('in the gaps, which count once where they overlap', () => {
    const gaps = [gap(-20, -10), gap(-90, -80), gap(-25, -15), gap(-22, -16)];
    assert.deepEqual(deaf([], gaps), [gap(-90, -80), gap(-25, -10)]);
  });

  it('since a way in was seen last that is shut', () => {
    assert.deepEqual(deaf([seen('api', 0), seen('gateway', -5)], [gap(-7, -4)]), [gap(-7, 0)]);
  });

  it('for an hour in which the watch finds it shut, and not after that', () => {
    const watch = createOutageTracker();
    const gateway = [seen('gateway', -300)];
    assert.deepEqual(deaf(gateway, [], 0, watch), [gap(-300, 0)]);
    assert.deepEqual(deaf(gateway, [], 60, watch), [gap(-300, 60)]);
    assert.deepEqual(deaf(gateway, [], 61, watch), []);
    assert.deepEqual(deaf([seen('gateway', 62)], [], 62, watch), []);
    assert.deepEqual(deaf([seen('gateway', 62)], [], 64, watch), [gap(62, 64)], 'a new hour for a new gap');
  });
});
