/** The runs of escalations, on a real Temporal server. */
import assert from 'node:assert/strict';
import { eventually } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { MINUTE_MS, runOf, useOrganization } from './harness.ts';

describe('The run of an escalation', () => {
  let dms: TestService;
  let org: TestOrganization;
  let customer: ReturnType<typeof useOrganization>;
  let aheadMs = 0;

  before(async () => {
    dms = await startService({ now: () => new Date(Date.now() + aheadMs) });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    aheadMs = 0;
    org = await dms.addOrganization();
    customer = useOrganization(dms, org);
  });

  const untilSent = (count: number) => eventually(customer.sent, ({ length }) => length >= count);

  it('makes step after step until somebody acknowledges the alert, and says who did and when', async () => {
    const [nurse, head] = [await customer.channel('nurse'), await customer.channel('head')];
    await customer.escalation([
      [0, nurse],
      [10, nurse, head],
      [20, head],
    ]);
    const { id } = await customer.openAlert();
    assert.deepEqual(
      (await untilSent(1)).map(({ to }) => to),
      ['nurse'],
    );
    aheadMs = 10 * MINUTE_MS;
    assert.deepEqual(
      (await untilSent(3)).slice(1).map(({ to }) => to),
      ['nurse', 'head'],
    );
    assert.equal((await customer.show(id)).escalation?.step, 2);
    await customer.acknowledge(id);
    assert.match(await runOf(dms, id).result(), /^acknowledged by .+ after 10 min, step 2 of 3$/);
    const { escalation, history } = await customer.show(id);
    assert.equal(escalation?.nextStepAt, null);
    assert.deepEqual(
      history.map(({ action }) => action),
      ['opened', 'escalated', 'escalated', 'acknowledged'],
    );
  });
});
