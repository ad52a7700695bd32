/** Sections 5 and 7 of the contract: readings of devices, from the frame to the history. */
import assert from 'node:assert/strict';
import { register } from './support/fleet.ts';
import { startService, type TestOrganization, type TestService } from './support/service.ts';

const MINUTE_MS = 60_000;

describe('Measurements', () => {
  let dms: TestService;
  let org: TestOrganization;
  let serial: string;
  let assetId: string;
  let serials = 0;

  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    serial = `Logger-${++serials}`;
    assetId = await register(org, serial);
  });

  const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const reading = (more: object = {}) => ({
    channel: 1,
    type: 'temperature',
    value: 4.2,
    measuredAt: ago(1),
    ...more,
  });
  const send = (readings: object[], more: object = {}, to = serial) =>
    org.device.post(`/devices/${to}/measurements`, { readings, ...more });
  const history = async (more = '') => {
    const { status, body, text } = await org.api.get(`/assets/${assetId}/measurements${more}`);
    assert.equal(status, 200, text);
    return body;
  };

  it('are in the history when they were acknowledged', async () => {
    const measuredAt = ago(1);
    const { status, body } = await send([reading({ measuredAt })]);
    assert.deepEqual({ status, body }, { status: 202, body: { accepted: 1, duplicates: 0, pendingConfig: null } });
    const { items, nextCursor } = await history();
    const [{ receivedAt, ...item }] = items;
    assert.ok(Math.abs(Date.parse(receivedAt) - Date.now()) < 10_000);
    assert.deepEqual(item, {
      channel: 1,
      position: 'probe',
      type: 'temperature',
      value: 4.2,
      unit: '°C',
      measuredAt,
      late: false,
    });
    assert.deepEqual([items.length, nextCursor], [1, null]);
  });
});
