/** Section 11 of the contract: finding devices among many, and changing one. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { Client } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FRIDGE,
  register,
  report,
  sendLowBattery,
  sendTemperature,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';

describe('Finding devices', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let api: Client;

  beforeEach(() => {
    api = org.api;
  });

  const add = async (serialNumber: string, rest: object = {}): Promise<string> =>
    (await api.post('/assets', { serialNumber, ...rest })).body.id;
  async function found(filter: string): Promise<string[]> {
    const { status, body } = await api.get(`/assets?${filter}`);
    assert.equal(status, 200, JSON.stringify(body));
    const serials = body.items.map(({ serialNumber }: { serialNumber: string }) => serialNumber);
    assert.equal(body.totalItems, serials.length, filter);
    return serials;
  }

  it('finds devices by a part of the serial number or of the name, in any case', async () => {
    await add('282C02424EED', { name: 'Kühlraum 2' });
    await add('282C0242AAAA', { name: "Bob's \\ fridge" });
    await (await dms.addOrganization()).api.post('/assets', { serialNumber: '282C0242BBBB' });
    assert.deepEqual(await found('q=424e'), ['282C02424EED']);
    assert.deepEqual(await found('q=K%C3%9CHL'), ['282C02424EED']);
    assert.deepEqual(await found("q=b's%20%5C%20f"), ['282C0242AAAA']);
    assert.deepEqual(await found('q=0242'), ['282C02424EED', '282C0242AAAA']);
    assert.deepEqual(await found('q=%25'), []);
    assert.deepEqual(await found('q=424eed%0AK'), []);
  });

  it('finds devices by a name in any form of Unicode, and ignores outer white space', async () => {
    const id = await add('COLD', { name: ' Ku\u0308hlraum ' });
    assert.equal((await api.get(`/assets/${id}`)).body.name, 'K\u00fchlraum');
    for (const q of ['K\u00fchl', 'ku\u0308hlraum', ' K\u00dcHL\u00a0']) {
      const found = await org.api.get(`/assets?q=${encodeURIComponent(q)}`);
      assert.equal(found.body.totalItems, 1, JSON.stringify(q));
    }
  });

  it('finds one device by its serial number in any case, and none by a part of it', async () => {
    await add('282C02424EED');
    assert.deepEqual(await found('serialNumber=282c02424eed'), ['282C02424EED']);
    assert.deepEqual(await found('serialNumber=282C02424EE'), []);
  });

  it('finds the one among thousands whose name contains a rare text, even a single letter', async () => {
    await query(
      dms.service.sql,
      `with added as (
         insert into assets (organization_id, serial_number, name)
         select ?, 'BULK-' || n, 'Room ' || n from generate_series(1, 6000) as n returning organization_id, id
       ), states as (
         insert into device_states (organization_id, asset_id) select organization_id, id from added
       )
       insert into device_configs (organization_id, asset_id) select organization_id, id from added`,
      [org.id],
    );
    await add('LAST-1', { name: 'Zebra ü' });
    assert.deepEqual(await found('q=zebra'), ['LAST-1']);
    assert.deepEqual(await found('q=%C3%9C'), ['LAST-1']);
    assert.deepEqual(await found('q=ZE'), ['LAST-1']);
    assert.deepEqual(await found('q=zebrx'), []);
    const { body } = await api.get('/assets?q=room&limit=2');
    assert.equal(body.items.length, 2);
    assert.equal(body.totalItems, 1_000);
    const next = await api.get(`/assets?q=room&limit=2&cursor=${body.nextCursor}`);
    assert.equal(next.body.items.length, 2);
    assert.ok(next.body.items[0].id > body.items[1].id);
    const all = await api.get('/assets?status=new&limit=1');
    assert.equal(all.body.totalItems, 6_001);
  });

  it('finds devices by status, battery, last reading and sync state, alone and combined', async () => {
    await add('NEVER-1');
    await register(org, 'WARM-1');
    await register(org, 'FLAT-1');
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['WARM-1', 'FLAT-1'] });
    await applyAnswer(org, 'WARM-1');
    await sendTemperature(org, 'WARM-1', 12);
    await sendLowBattery(org, 'FLAT-1');
    assert.deepEqual(await found('status=new'), ['NEVER-1']);
    assert.deepEqual(await found('status=online'), ['WARM-1', 'FLAT-1']);
    assert.deepEqual(await found('status=offline'), []);
    assert.deepEqual(await found('batteryStatus=low'), ['FLAT-1']);
    assert.deepEqual(await found('syncStatus=applied'), ['WARM-1']);
    assert.deepEqual(await found('syncStatus=no_device_report'), ['NEVER-1', 'FLAT-1']);
    assert.deepEqual(await found('hadProfile=true'), ['WARM-1', 'FLAT-1']);
    assert.deepEqual(await found('hadProfile=false'), ['NEVER-1']);
    assert.deepEqual(await found('hadProfile=true&syncStatus=no_device_report'), ['FLAT-1']);
    assert.deepEqual(await found('status=online&batteryStatus=low&q=flat'), ['FLAT-1']);
    assert.deepEqual(await found('status=new&syncStatus=applied'), []);
    const later = new Date(Date.now() + 60_000).toISOString();
    assert.deepEqual(await found(`lastReadingBefore=${later}`), ['NEVER-1', 'WARM-1', 'FLAT-1']);
    assert.deepEqual(await found('lastReadingBefore=2026-01-01T00:00:00Z'), ['NEVER-1']);
    assert.deepEqual(await found(`lastReadingBefore=${later}&status=online&q=warm`), ['WARM-1']);
    await api.post('/devices/FLAT-1/config/withdraw');
    assert.deepEqual(await found('hadProfile=false'), ['NEVER-1', 'FLAT-1']);
  });

  it('finds the devices that run a profile, until another one or a report takes its place', async () => {
    for (const serial of ['RUNS-1', 'RUNS-2', 'WAITS-1', 'OTHER-1']) await register(org, serial);
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['RUNS-1', 'RUNS-2', 'WAITS-1'] });
    const { body } = await org.device.get('/devices/RUNS-2/pending-config');
    for (const serial of ['RUNS-1', 'RUNS-2']) await applyAnswer(org, serial);
    // A device that has not reported counts as one that runs what was applied.
    assert.deepEqual(await found('profileSlug=fridge'), ['RUNS-1', 'RUNS-2', 'WAITS-1']);
    assert.deepEqual(await found('profileSlug=fridge&syncStatus=applied&q=2'), ['RUNS-2']);
    await api.post('/devices/WAITS-1/config/withdraw');
    await report(org, 'RUNS-2', { ...FACTORY, transmissionInterval: 60 });
    assert.deepEqual(await found('profileSlug=fridge'), ['RUNS-1']);
    await report(org, 'RUNS-2', { ...FACTORY, ...body.config });
    assert.deepEqual(await found('profileSlug=fridge'), ['RUNS-1', 'RUNS-2']);
    await report(org, 'RUNS-2', { ...FACTORY, transmissionInterval: 60 });
    await createProfile(org, { slug: 'freezer', ...FRIDGE, name: 'Freezer' });
    await apply(org, 'freezer', { serialNumbers: ['RUNS-1'] });
    await applyAnswer(org, 'RUNS-1');
    assert.deepEqual(await found('profileSlug=fridge'), []);
    assert.deepEqual(await found('profileSlug=freezer'), ['RUNS-1']);
    const other = await dms.addOrganization();
    assert.equal((await other.api.get('/assets?profileSlug=freezer')).body.totalItems, 0);
    assert.equal((await api.get('/assets?profileSlug=No%20slug')).status, 400);
  });

  it('counts all that match on every page, without archived devices and those of others', async () => {
    const { body: group } = await api.post('/groups', { name: 'Fridges' });
    for (let n = 0; n < 7; n++) {
      await add(`ROOM-${n}`, { ...(n < 4 && { model: 'TVO-T' }), ...(n < 5 && { groupId: group.id }) });
    }
    await api.delete(`/assets/${(await api.get('/assets?serialNumber=ROOM-0')).body.items[0].id}`);
    await (await dms.addOrganization()).api.post('/assets', { serialNumber: 'ROOM-9', model: 'TVO-T' });
    for (const [filter, total] of [
      ['', 6],
      ['model=TVO-T&', 3],
      [`groupId=${group.id}&`, 4],
      ['status=new&', 6],
      ['batteryStatus=unknown&', 6],
      ['syncStatus=no_device_report&', 6],
      ['hadProfile=false&', 6],
      ['hadProfile=false&syncStatus=no_device_report&', 6],
      [`model=TVO-T&groupId=${group.id}&`, 3],
      ['q=room&', 6],
      ['q=room&status=new&', 6],
    ] as const) {
      const first = (await api.get(`/assets?${filter}limit=2`)).body;
      const second = (await api.get(`/assets?${filter}limit=2&cursor=${first.nextCursor}`)).body;
      assert.deepEqual([first.totalItems, second.totalItems], [total, total], filter);
    }
    assert.equal((await api.get(`/groups/${group.id}`)).body.memberCount, 4);
  });

  it('finds and counts no members of a group that was deleted', async () => {
    const { body: group } = await api.post('/groups', { name: 'Fridges' });
    await add('ROOM-1', { groupId: group.id });
    assert.deepEqual(await found(`groupId=${group.id}`), ['ROOM-1']);
    await api.delete(`/groups/${group.id}`);
    assert.deepEqual(await found(`groupId=${group.id}`), []);
  });

  it('shows the sync state and the number of open alerts in lists and of one device', async () => {
    const id = await register(org, 'WARM-1');
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['WARM-1'] });
    const pick = ({ syncStatus, openAlerts }: { syncStatus: string; openAlerts: number }) => [
      syncStatus,
      openAlerts,
    ];
    const shown = async () => {
      const [list, one] = [await api.get('/assets'), await api.get(`/assets/${id}`)];
      assert.deepEqual(pick(list.body.items[0]), pick(one.body));
      const config = await api.get('/devices/WARM-1/config');
      assert.equal(one.body.syncStatus, config.body.syncStatus);
      return pick(one.body);
    };
    assert.deepEqual(await shown(), ['no_device_report', 0]);
    await applyAnswer(org, 'WARM-1');
    await sendTemperature(org, 'WARM-1', 12);
    assert.deepEqual(await shown(), ['applied', 1]);
    const { body } = await api.get(`/alerts?assetId=${id}`);
    await api.patch(`/alerts/${body.items[0].id}`, { status: 'acknowledged' });
    assert.deepEqual(await shown(), ['applied', 1]);
    await apply(org, slug, { serialNumbers: ['WARM-1'] });
    assert.deepEqual((await shown())[0], 'pending');
  });

  it('takes as many statements for a page of many devices as for one of few', async () => {
    for (let n = 0; n < 12; n++) await add(`ROOM-${n}`);
    const count = async (path: string) => {
      let statements = 0;
      // Runs of jobs are started meanwhile.
      const counted = ({ sql }: { sql: string }) => {
        if (/\bassets\b/.test(sql)) statements++;
      };
      dms.service.sql.on('query', counted);
      await api.get(path);
      dms.service.sql.off('query', counted);
      return statements;
    };
    for (const filter of ['', 'q=room&', 'status=new&', 'lastReadingBefore=2026-01-01T00:00:00Z&']) {
      assert.equal(await count(`/assets?${filter}limit=10`), await count(`/assets?${filter}limit=2`));
    }
  });

  it('refuses filters that can match nothing by their form, and names valid ones', async () => {
    for (const [filter, message] of [
      [`q=${'x'.repeat(129)}`, /^q /],
      ['lastReadingBefore=yesterday', /^lastReadingBefore must be an ISO 8601 time/],
    ] as const) {
      const { status, body } = await api.get(`/assets?${filter}`);
      assert.equal(status, 400, filter);
      assert.match(body.message, message);
    }
  });

  describe('a change of one', () => {
    it('changes given fields, clears those that are null, and answers the device', async () => {
      const id = await add('282C02424EED', { name: 'Fridge', model: 'TVO-T', floor: 3, spaceId: 'kitchen' });
      const { status, body } = await api.patch(`/assets/${id}`, {
        name: 'Freezer',
        floor: null,
        waterType: 'cold',
      });
      assert.equal(status, 200);
      assert.deepEqual(body, (await api.get(`/assets/${id}`)).body);
      const { name, model, floor, spaceId, waterType } = body;
      assert.deepEqual(
        { name, model, floor, spaceId, waterType },
        {
          name: 'Freezer',
          model: 'TVO-T',
          floor: null,
          spaceId: 'kitchen',
          waterType: 'cold',
        },
      );
      assert.deepEqual(await found('q=freezer'), ['282C02424EED']);
      assert.deepEqual(await found('q=fridge'), []);
    });

    it('refuses to change an archived asset', async () => {
      const id = await add('282C02424EED');
      await api.delete(`/assets/${id}`);
      assert.equal((await api.patch(`/assets/${id}`, { name: 'x' })).status, 404);
    });
  });
});
