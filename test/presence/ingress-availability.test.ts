import assert from 'node:assert/strict';
import {
  createOutageTracker,
  type IngressHeartbeat,
  type Outage,
} from '../../src/presence/ingress-availability.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');
/** Minutes after noon. */
const at = (minutes: number) => new Date(NOON + minutes * 60_000);
const outage = (start: number, end: number): Outage => ({ startedAt: at(start), endedAt: at(end) });
const beat = (ingress: string, minutes: number): IngressHeartbeat => ({ ingress, beatAt: at(minutes) });

describe('Outages of the ingress', () => {
  const outagesOf = (
    heartbeats: IngressHeartbeat[],
    outages: Outage[] = [],
    now = 0,
    tracker = createOutageTracker(),
  ) => tracker.excuses({ now: at(now), heartbeats, outages }, at(now)).outages;

  it('finds no outage while each ingress has sent a heartbeat within a minute', () => {
    assert.deepEqual(outagesOf([beat('api', -1), beat('gateway', 0)]), []);
    assert.deepEqual(outagesOf([]), []);
  });

  it('merges recorded outages that overlap', () => {
    const recorded = [outage(-20, -10), outage(-90, -80), outage(-25, -15), outage(-22, -16)];
    assert.deepEqual(outagesOf([], recorded), [outage(-90, -80), outage(-25, -10)]);
  });

  it('leaves out an outage that a clock ahead of the time has recorded, as soon as the process knows the time', () => {
    const record = { now: at(0), heartbeats: [], outages: [outage(-20, -10), outage(-5, 1_440)] };
    const { excuses } = createOutageTracker();
    assert.deepEqual(excuses(record, at(0)).outages, [outage(-20, -10)]);
    assert.deepEqual(excuses(record, at(1_440)).outages, record.outages);
  });

  it('counts an ongoing outage from the last heartbeat until now', () => {
    assert.deepEqual(outagesOf([beat('api', 0), beat('gateway', -5)], [outage(-7, -4)]), [outage(-7, 0)]);
  });

  it('counts an ongoing outage for at most an hour after the tracker found it', () => {
    const tracker = createOutageTracker();
    const gateway = [beat('gateway', -300)];
    assert.deepEqual(outagesOf(gateway, [], 0, tracker), [outage(-300, 0)]);
    assert.deepEqual(outagesOf(gateway, [], 60, tracker), [outage(-300, 60)]);
    assert.deepEqual(outagesOf(gateway, [], 61, tracker), []);
    assert.deepEqual(outagesOf([beat('gateway', 62)], [], 62, tracker), []);
    assert.deepEqual(outagesOf([beat('gateway', 62)], [], 64, tracker), [outage(62, 64)]);
  });
});
