/** When the sweep looks at a device, and what that writes. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { register } from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

/** Without a known interval, the deadline is ten minutes after the announced time. */
const GRACE_MINUTES = 10;

describe('The checks of overdue devices', () => {
  let assetId: string;
  let serials = 0;
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);

  const dms = useService({ now, withWorker: false });
  const org = useOrganization(dms);
  const steps = useSteps(dms, { now });
  beforeEach(async () => {
    assetId = await register(org, `CHECKED-${++serials}`);
  });

  async function sendFrame(nextInMinutes: number): Promise<void> {
    const { status, text } = await org.device.post(`/devices/CHECKED-${serials}/measurements`, {
      readings: [{ channel: 1, type: 'temperature', value: 5, measuredAt: now().toISOString() }],
      nextTransmissionAt: new Date(now().getTime() + nextInMinutes * MINUTE_MS).toISOString(),
    });
    assert.equal(status, 202, text);
  }
  /** Times of the check and of the deadline, and versions of both rows; without a check: none. */
  async function stored() {
    const [row] = await query<{ checkAt: Date | number; expectedBy: Date; check: string; state: string }>(
      dms.service.sql,
      `select c.check_at as "checkAt", s.expected_by as "expectedBy", c.ctid::text as "check", s.ctid::text as state
       from overdue_checks c join device_states s using (organization_id, asset_id)
       where c.organization_id = ? and c.asset_id = ?`,
      [org.id, assetId],
    );
    return row;
  }

  it('plans the check of a device for the deadline of its first frame', async () => {
    assert.equal(await stored(), undefined);
    await sendFrame(60);
    const first = await stored();
    assert.deepEqual(first?.checkAt, first?.expectedBy);
  });

  it('writes no check while deadlines move on, and brings it forward to an earlier one', async () => {
    await sendFrame(60);
    const first = await stored();
    await sendFrame(90);
    const second = await stored();
    assert.ok(second && first && second.expectedBy > first.expectedBy);
    assert.equal(second.check, first.check);
    await sendFrame(30);
    const third = await stored();
    assert.ok(third && third.expectedBy < first.expectedBy);
    assert.deepEqual(third.checkAt, third.expectedBy);
  });

  it('moves the check to the deadline when it looks, and leaves the state of the device as it is stored', async () => {
    await sendFrame(30);
    await sendFrame(90);
    const before = await stored();
    aheadMs += (30 + GRACE_MINUTES + 1) * MINUTE_MS;
    await steps.sweepOffline();
    const after = await stored();
    assert.deepEqual(after?.checkAt, before?.expectedBy);
    assert.equal(after?.state, before?.state);
    assert.equal((await org.api.get(`/assets/${assetId}`)).body.status, 'online');
  });

  it('looks at an offline device no more until it is back, also in further batches of the sweep that marked it', async () => {
    await sendFrame(30);
    aheadMs += (30 + GRACE_MINUTES + 1) * MINUTE_MS;
    await steps.sweepOffline();
    assert.equal((await org.api.get(`/assets/${assetId}`)).body.status, 'offline');
    assert.equal((await stored())?.checkAt, Number.POSITIVE_INFINITY);
    await sendFrame(60);
    const back = await stored();
    assert.deepEqual(back?.checkAt, back?.expectedBy);
  });
});
