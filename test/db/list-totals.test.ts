/**
 * Totals of lists are kept, not counted: they are exact at any moment, for any writers and times of adding
 * up.
 */
import assert from 'node:assert/strict';
import { addUpListChanges } from '../../src/db/list-totals.repository.ts';
import { query } from '../../src/db/query.ts';
import { apply, applyAnswer, createProfile, FRIDGE, inTurns, jobOf, registerMany } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

describe('Totals of lists', () => {
  let dms: TestService;
  let org: TestOrganization;
  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
  });

  const run = <Row>(text: string, bindings: unknown[] = []) => query<Row>(dms.service.sql, text, bindings);
  const total = async (path: string): Promise<number> => (await org.api.get(path)).body.totalItems;
  const addUp = () => addUpListChanges(dms.service.sql, 1_000);
  const unadded = async () =>
    (await run<{ count: number }>('select count(*) from list_changes where organization_id = ?', [org.id]))[0]
      ?.count;

  it('shows exact totals before, while and after changes are added up, with many concurrent writers', async () => {
    const serials = Array.from({ length: 60 }, (_, index) => `DEVICE-${index}`);
    let isOver = false;
    const adding = (async () => {
      while (!isOver) await addUp();
    })();
    await inTurns(serials, 6, async (serialNumber) => {
      const model = Number(serialNumber.slice(7)) % 3 === 0 ? { model: 'TVO-T' } : {};
      const { body } = await org.api.post('/assets', { serialNumber, ...model });
      if (Number(serialNumber.slice(7)) % 5 === 0) await org.api.delete(`/assets/${body.id}`);
    });
    isOver = true;
    await adding;
    assert.deepEqual([await total('/assets'), await total('/assets?model=TVO-T')], [48, 16]);
    await addUp();
    assert.equal(await unadded(), 0);
    assert.deepEqual([await total('/assets'), await total('/assets?model=TVO-T')], [48, 16]);
    assert.equal(await total('/assets?model=none'), 0);
  });

  it('follows writes that bypass the service', async () => {
    const [serial] = (await registerMany(org, 1)) as [string];
    await run(
      `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at)
       select ?, id, serial_number, 'no_data', s, '{"expectedBy": "2026-01-01T00:00:00.000Z"}', now()
       from assets, unnest(array['new', 'new', 'acknowledged', 'resolved']) as s
       where organization_id = ? and serial_number = ?`,
      [org.id, org.id, serial],
    );
    await addUp();
    await run(`update alerts set status = 'resolved' where organization_id = ? and status = 'new'`, [org.id]);
    await run(`delete from alerts where organization_id = ? and status = 'acknowledged'`, [org.id]);
    const totals = await Promise.all(
      ['/alerts', '/alerts?status=new', '/alerts?status=acknowledged', '/alerts?status=resolved'].map(total),
    );
    assert.deepEqual(totals, [3, 0, 0, 3]);
  });

  it('keeps the counts of a running job, and removes them when it has ended', async function () {
    // Where tables are distributed, counts of jobs are not kept, but the triggers of this database still run.
    if (dms.service.sql.isDistributed) this.skip();
    const serials = await registerMany(org, 4);
    const slug = await createProfile(org, FRIDGE);
    const jobId = await apply(org, slug, { applyToAll: true });
    await applyAnswer(org, serials[0] as string);
    await addUp();
    await org.device.get(`/devices/${serials[1]}/pending-config`);
    const { counts } = await jobOf(org, jobId);
    assert.deepEqual([counts.applied, counts.sent, counts.waiting], [1, 1, 2]);
    const { body } = await org.api.post(`/devices/config-jobs/${jobId}/cancel`);
    assert.deepEqual([body.counts.applied, body.counts.cancelled], [1, 3]);
    await addUp();
    const left = await run(`select 1 from list_totals where organization_id = ? and list = ?`, [
      org.id,
      `targets:${jobId}`,
    ]);
    assert.deepEqual(left, []);
    assert.deepEqual((await jobOf(org, jobId)).counts, body.counts);
  });
});
