/** Section 5 of the contract: registering devices, listing them, taking them out of service, replacing hardware. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import type { Answer, Client } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  FRIDGE,
  jobOf,
  register,
  registerMany,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('Assets', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let api: Client;
  let serial: string;
  let serials = 0;
  const nextSerial = () => `Logger-${++serials}`;

  beforeEach(() => {
    api = org.api;
    serial = nextSerial();
  });

  const get = async (id: string) => (await api.get(`/assets/${id}`)).body;
  const replace = (id: string, newSerialNumber: string) =>
    api.post(`/assets/${id}/replace-hardware`, { newSerialNumber });
  const countOf = (answers: Answer[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  async function refused(answer: Promise<Answer>, status: number, message: RegExp): Promise<void> {
    const { status: actual, body } = await answer;
    assert.equal(actual, status, JSON.stringify(body));
    assert.match(body.message, message);
  }

  describe('when they are registered', () => {
    it('answers the registration of an asset with its id alone', async () => {
      const { status, body } = await api.post('/assets', { serialNumber: '282C02424EED' });
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body), ['id']);
      assert.match(body.id, UUID_V7);
    });

    it("registers a serial that does not look like a logger's, with a warning", async () => {
      for (const odd of ['282C02424EE', 'x', '282C02424EEG']) {
        const { status, body } = await api.post('/assets', { serialNumber: odd });
        assert.equal(status, 201);
        assert.match(body.warnings[0], /^serialNumber is not 12 hexadecimal digits/);
      }
    });

    it('names an asset after its serial number when nothing else is given, and leaves the rest unknown', async () => {
      const id = await register(org, serial);
      const { createdAt, ...asset } = await get(id);
      assert.match(createdAt, ISO);
      assert.deepEqual(asset, {
        id,
        recType: 'asset',
        name: serial,
        serialNumber: serial,
        status: 'new',
        signalStrength: 'unknown',
        batteryStatus: 'unknown',
        model: null,
        lastReadingAt: null,
        latest: [],
        waterType: null,
        floor: null,
        buildingId: null,
        spaceId: null,
        groupId: null,
        mute: null,
        syncStatus: 'no_device_report',
        openAlerts: 0,
        replacementHistory: [],
      });
    });

    it('stores every field that a registration gives', async () => {
      const given = {
        serialNumber: serial,
        name: 'Kühlraum 🌡 2',
        waterType: 'automatic',
        floor: 0,
        model: 'TVO-THT',
        buildingId: 'main',
        spaceId: 'kitchen',
      };
      const { id } = (await api.post('/assets', given)).body;
      const asset = await get(id);
      assert.deepEqual({ ...asset, ...given }, asset);
    });

    it('refuses the serial of another active asset of the organization, compared without case', async () => {
      await register(org, serial);
      for (const same of [serial, serial.toLowerCase(), serial.toUpperCase()]) {
        await refused(api.post('/assets', { serialNumber: same }), 409, new RegExp(same));
      }
      assert.equal((await api.get('/assets')).body.totalItems, 1);
    });

    it('accepts the serial of an archived asset', async () => {
      const first = await register(org, serial);
      await api.delete(`/assets/${first}`);
      assert.notEqual(await register(org, serial.toUpperCase()), first);
    });

    it('registers one asset for twenty concurrent requests with one serial, with nineteen conflicts', async () => {
      const spelled = (index: number) => (index % 2 === 0 ? serial.toLowerCase() : serial.toUpperCase());
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => api.post('/assets', { serialNumber: spelled(index) })),
      );
      assert.deepEqual([countOf(answers, 201), countOf(answers, 409)], [1, 19]);
      assert.equal((await api.get('/assets')).body.totalItems, 1);
    });

    it('refuses a serial that is a path of the API', async () => {
      for (const reserved of ['config-profiles', 'config-jobs', 'Config-Jobs']) {
        await refused(api.post('/assets', { serialNumber: reserved }), 400, /^serialNumber must not be/);
      }
    });

    const long = (length: number) => 'x'.repeat(length);
    const bounds: Array<[field: string, good: unknown[], bad: unknown[]]> = [
      [
        'serialNumber',
        ['a', '0', long(64), 'A1._:-', '282C02424EED'],
        ['', long(65), ' a', 'a ', '-a', '.a', '_a', ':a', 'a/b', 'a b', 'ä', 'a\n', 'a%20'],
      ],
      [
        'name',
        ['x', long(128), '🧊'.repeat(128), ' x ', '温度計'],
        ['', ' ', '\t\n', long(129), '🧊'.repeat(129)],
      ],
      ['waterType', ['x', long(32), '🧊'.repeat(32)], ['', long(33), '🧊'.repeat(33)]],
      ['floor', [-100, 0, 1000], [-101, 1001, 0.5, -0.1, 1e300]],
    ];
    for (const [field, good, bad] of bounds) {
      it(`accepts and refuses a ${field} at its bounds`, async () => {
        for (const value of good) {
          const { status, text } = await api.post('/assets', { serialNumber: nextSerial(), [field]: value });
          assert.equal(status, 201, `${JSON.stringify(value)} ${text}`);
        }
        for (const value of bad) {
          const body = { serialNumber: nextSerial(), [field]: value };
          await refused(api.post('/assets', body), 400, new RegExp(`^${field} `));
        }
      });
    }
  });

  describe('when they are listed', () => {
    interface Listed {
      ids: string[];
      pages: Answer[];
    }

    /** Follows the cursors to the last page. */
    async function allPages(path: string): Promise<Listed> {
      const pages: Answer[] = [];
      const listed: Listed = { ids: [], pages };
      let cursor: string | null = null;
      do {
        const separator = path.includes('?') ? '&' : '?';
        const page = await api.get(cursor === null ? path : `${path}${separator}cursor=${cursor}`);
        assert.equal(page.status, 200);
        pages.push(page);
        listed.ids.push(...page.body.items.map(({ id }: { id: string }) => id));
        cursor = page.body.nextCursor;
      } while (cursor !== null && pages.length < 100);
      return listed;
    }

    async function registerSome(count: number, more: object = {}): Promise<string[]> {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) ids.push(await register(org, nextSerial(), more));
      return ids;
    }

    it('lists each asset once over all pages, ordered by id', async () => {
      const ids = await registerSome(7);
      for (const limit of [1, 2, 3, 6, 7, 8]) {
        const { ids: listed, pages } = await allPages(`/assets?limit=${limit}`);
        assert.deepEqual(listed, ids);
        assert.equal(pages.length, Math.ceil(7 / limit), `pages of ${limit}`);
      }
    });

    it('links the next page of a list with the same filter, and none on the last page', async () => {
      const ids = await registerSome(3, { model: 'A & B+ä' });
      const path = `/assets?limit=2&model=${encodeURIComponent('A & B+ä')}`;
      const first = await api.get(path);
      const link = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link))?.[1];
      assert.ok(link?.startsWith('/assets?'), String(first.headers.link));
      const second = await api.get(String(link));
      assert.deepEqual(
        second.body.items.map(({ id }: { id: string }) => id),
        [ids[2]],
      );
      assert.equal(second.headers.link, undefined);
    });

    it('counts all matching assets on every page', async () => {
      await registerSome(5);
      const { pages } = await allPages('/assets?limit=2');
      assert.deepEqual(
        pages.map(({ body }) => body.totalItems),
        [5, 5, 5],
      );
      const beyond = await api.get('/assets?cursor=ffffffff-ffff-7fff-bfff-ffffffffffff');
      assert.deepEqual(beyond.body, { items: [], totalItems: 5, nextCursor: null });
    });

    it('lists 50 assets on a page by default, and up to 500', async () => {
      await registerMany(org, 51);
      assert.equal((await api.get('/assets')).body.items.length, 50);
      const { items, nextCursor } = (await api.get('/assets?limit=500')).body;
      assert.deepEqual([items.length, nextCursor], [51, null]);
    });

    it('shows assets in a list as they are shown singly, except for the replacement history', async () => {
      const [id] = await registerSome(1);
      const { replacementHistory: _, ...asset } = await get(String(id));
      assert.deepEqual((await api.get('/assets')).body.items, [asset]);
    });

    it('continues a list after a cursor whose asset was archived', async () => {
      const ids = await registerSome(4);
      const { nextCursor } = (await api.get('/assets?limit=2')).body;
      await api.delete(`/assets/${nextCursor}`);
      const { items } = (await api.get(`/assets?limit=2&cursor=${nextCursor}`)).body;
      assert.deepEqual(
        items.map(({ id }: { id: string }) => id),
        ids.slice(2),
      );
    });

    describe('with a filter by model', () => {
      let probes: string[];
      beforeEach(async () => {
        await registerSome(1);
        await registerSome(1, { model: 'Probe-2' });
        probes = await registerSome(3, { model: 'Probe' });
      });

      it('lists and counts only the assets of a model, in its case', async () => {
        const { ids, pages } = await allPages('/assets?model=Probe&limit=2');
        assert.deepEqual(ids, probes);
        assert.deepEqual(
          pages.map(({ body }) => body.totalItems),
          [3, 3],
        );
        const { body } = await api.get('/assets?model=probe');
        assert.deepEqual(body, { items: [], totalItems: 0, nextCursor: null });
      });

      it('answers the deprecated filter model-name like model, with a Deprecation header, which model has not', async () => {
        const { body, headers } = await api.get('/assets?model-name=Probe&limit=2');
        const current = await api.get('/assets?model=Probe&limit=2');
        assert.deepEqual(body, current.body);
        assert.match(String(headers.deprecation), /^@\d+$/);
        assert.match(String(headers.link), /<[^>]*model-name=Probe[^>]*>; rel="next"/);
        assert.match(String(headers.link), /<[^>]+>; rel="deprecation"/);
        assert.equal(current.headers.deprecation, undefined);
        assert.doesNotMatch(String(current.headers.link), /deprecation/);
      });

      it('accepts model and model-name together if they are equal', async () => {
        assert.equal((await api.get('/assets?model=Probe&model-name=Probe')).body.totalItems, 3);
        await refused(api.get('/assets?model=Probe&model-name=Probe-2'), 400, /^model and model-name/);
      });
    });
  });

  describe('when they are archived', () => {
    it('removes an archived asset from get, list and device configuration', async () => {
      const id = await register(org, serial);
      const { status, body } = await api.delete(`/assets/${id}`);
      assert.deepEqual({ status, body }, { status: 200, body: { deleted: true } });
      assert.equal((await api.get(`/assets/${id}`)).status, 404);
      assert.equal((await api.get('/assets')).body.totalItems, 0);
      assert.equal((await api.get(`/devices/${serial}/config`)).status, 404);
    });

    it('archives an asset once for ten concurrent requests', async () => {
      const id = await register(org, serial);
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.delete(`/assets/${id}`)));
      assert.deepEqual([countOf(answers, 200), countOf(answers, 404)], [1, 9]);
    });

    it('keeps the replacement history of an archived asset and clears its building and space', async () => {
      const id = await register(org, serial, { buildingId: 'main', spaceId: 'kitchen' });
      await replace(id, nextSerial());
      await api.delete(`/assets/${id}`);
      const [row] = await query<Record<string, unknown>>(
        dms.service.sql,
        `select a.archived_at is not null as archived, a.building_id, a.space_id, r.serial_number from assets a
         join asset_replacements r on r.asset_id = a.id where a.id = ?`,
        [id],
      );
      assert.deepEqual(row, { archived: true, building_id: null, space_id: null, serial_number: serial });
    });

    it('cancels the targets of an archived asset', async () => {
      const id = await register(org, serial);
      await register(org, nextSerial());
      await createProfile(org, FRIDGE);
      const jobId = await apply(org, 'vaccine-fridge', { applyToAll: true });
      await api.delete(`/assets/${id}`);
      const { counts } = await jobOf(org, jobId);
      assert.deepEqual([counts.cancelled, counts.waiting], [1, 1]);
    });

    it('offers nothing to the next asset with the serial of an archived one', async () => {
      const id = await register(org, serial);
      await createProfile(org, FRIDGE);
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      await api.delete(`/assets/${id}`);
      await register(org, serial);
      assert.equal((await configOf(org, serial)).pendingConfig, null);
      assert.equal((await org.device.get(`/devices/${serial}/pending-config`)).status, 204);
    });
  });

  describe('when their hardware is replaced', () => {
    let id: string;
    let fresh: string;
    beforeEach(async () => {
      id = await register(org, serial, { name: 'Cold room', model: 'TVO-THT' });
      fresh = nextSerial();
    });

    it('answers a replacement with the new serial, and a warning of one that no logger has', async () => {
      const known = '282C02431B07';
      const { status, body } = await replace(id, known);
      assert.deepEqual({ status, body }, { status: 200, body: { success: true, serialNumber: known } });
      const odd = await replace(id, fresh);
      assert.match(odd.body.warnings[0], /^serialNumber is not 12 hexadecimal digits/);
    });

    it('changes only the serial of an asset, and adds the earlier one to its history', async () => {
      const before = await get(id);
      await replace(id, fresh);
      const after = await get(id);
      assert.match(after.replacementHistory[0].replacedAt, ISO);
      assert.deepEqual(after, {
        ...before,
        serialNumber: fresh,
        replacementHistory: [{ serialNumber: serial, replacedAt: after.replacementHistory[0].replacedAt }],
      });
    });

    it('lists all earlier serials oldest first, even if one returns', async () => {
      const third = nextSerial();
      for (const next of [fresh, third, serial]) await replace(id, next);
      const { serialNumber, replacementHistory } = await get(id);
      assert.equal(serialNumber, serial);
      assert.deepEqual(
        replacementHistory.map((each: { serialNumber: string }) => each.serialNumber),
        [serial, fresh, third],
      );
    });

    it('lists the latest 100 replacements, also in the audit trail, and refuses one after 1,000', async () => {
      await dms.service.sql.raw(
        `insert into asset_replacements (organization_id, asset_id, serial_number)
         select ?, ?, 'EARLIER-' || n from generate_series(1, 999) as n`,
        [org.id, id],
      );
      assert.equal((await replace(id, fresh)).status, 200);
      const { replacementHistory } = await get(id);
      assert.equal(replacementHistory.length, 100);
      assert.deepEqual(
        [replacementHistory[0], replacementHistory.at(-1)].map((each) => each.serialNumber),
        ['EARLIER-901', serial],
      );
      const { body } = await api.get(`/audit?subject=${id}&limit=1`);
      assert.deepEqual(body.items[0].after.replacementHistory, replacementHistory);
      await refused(replace(id, nextSerial()), 409, /replaced 1,000 times/);
    });

    it('makes the earlier serial available at once', async () => {
      await replace(id, fresh);
      assert.equal((await api.get(`/devices/${serial}/config`)).status, 404);
      await register(org, serial);
    });

    it('refuses a replacement by the current serial, compared without case', async () => {
      for (const same of [serial, serial.toUpperCase()]) {
        await refused(replace(id, same), 400, /^newSerialNumber must differ/);
      }
    });

    it('refuses a replacement by the serial of another active asset, compared without case', async () => {
      await register(org, fresh);
      for (const used of [fresh, fresh.toUpperCase()]) await refused(replace(id, used), 409, /already/);
      assert.deepEqual((await get(id)).replacementHistory, []);
    });

    it('accepts as replacement the serial of an archived asset or of another organization', async () => {
      const other = await register(org, fresh);
      await api.delete(`/assets/${other}`);
      assert.equal((await replace(id, fresh)).status, 200);
      const elsewhere = nextSerial();
      await register(await dms.addOrganization(), elsewhere);
      assert.equal((await replace(id, elsewhere)).status, 200);
    });

    it('refuses as replacement a path of the API and an invalid serial', async () => {
      await refused(replace(id, 'config-profiles'), 400, /^newSerialNumber must not be/);
      for (const bad of ['', '-x', 'x'.repeat(65)]) await refused(replace(id, bad), 400, /^newSerialNumber /);
    });

    it('answers 404 to a replacement for an archived or unknown asset', async () => {
      await api.delete(`/assets/${id}`);
      await refused(replace(id, fresh), 404, /No asset/);
      await refused(replace(randomUUID(), fresh), 404, /No asset/);
    });

    it('gives a serial to one of two assets in concurrent replacements', async () => {
      const other = await register(org, nextSerial());
      const answers = await Promise.all([replace(id, fresh), replace(other, fresh)]);
      assert.deepEqual([countOf(answers, 200), countOf(answers, 409)], [1, 1]);
    });

    it('keeps a complete history after two concurrent replacements of an asset', async () => {
      const third = nextSerial();
      await Promise.all([replace(id, fresh), replace(id, third)]);
      const { serialNumber, replacementHistory } = await get(id);
      const chain = replacementHistory.map((each: { serialNumber: string }) => each.serialNumber);
      const between = serialNumber === fresh ? third : fresh;
      assert.deepEqual(chain, [serial, between]);
    });

    it('records one of two equal concurrent replacements, and refuses the other', async () => {
      const answers = await Promise.all([replace(id, fresh), replace(id, fresh)]);
      assert.deepEqual([countOf(answers, 200), countOf(answers, 400)], [1, 1]);
      assert.equal((await get(id)).replacementHistory.length, 1);
    });

    it('archives an asset that is replaced at the same time', async () => {
      const [, archived] = await Promise.all([replace(id, fresh), api.delete(`/assets/${id}`)]);
      assert.equal(archived?.status, 200);
      assert.equal((await api.get(`/assets/${id}`)).status, 404);
    });

    it('makes the confirmed configuration of the earlier logger pending for the new one', async () => {
      await createProfile(org, FRIDGE);
      await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      await applyAnswer(org, serial);
      const { deviceConfig } = await configOf(org, serial);
      await replace(id, fresh);
      const record = await configOf(org, fresh);
      assert.deepEqual([record.syncStatus, record.deviceConfig], ['pending', deviceConfig]);
      assert.deepEqual(record.pendingConfig, deviceConfig);
      await applyAnswer(org, fresh);
      assert.equal((await configOf(org, fresh)).syncStatus, 'applied');
    });

    it('makes the confirmed configuration pending for the new logger, with the pending change on top', async () => {
      await org.device.post(`/devices/${serial}/config-reports`, FACTORY);
      await createProfile(org, { slug: 'slow', intervals: { transmissionIntervalSeconds: 86_400 } });
      await apply(org, 'slow', { serialNumbers: [serial] });
      await replace(id, fresh);
      const { pendingConfig } = await configOf(org, fresh);
      assert.deepEqual(pendingConfig, { ...FACTORY, transmissionInterval: 86_400 });
    });

    it('makes nothing pending for the new logger if the earlier one never reported', async () => {
      await replace(id, fresh);
      const { syncStatus, pendingConfig } = await configOf(org, fresh);
      assert.deepEqual([syncStatus, pendingConfig], ['no_device_report', null]);
    });

    it('keeps the open targets of jobs for the new logger', async () => {
      await createProfile(org, FRIDGE);
      const jobId = await apply(org, 'vaccine-fridge', { serialNumbers: [serial] });
      await replace(id, fresh);
      const { items } = (await api.get(`/devices/config-jobs/${jobId}/targets`)).body;
      assert.deepEqual(
        items.map(({ serialNumber, state }: Record<string, string>) => [serialNumber, state]),
        [[fresh, 'waiting']],
      );
      await applyAnswer(org, fresh);
      assert.equal((await jobOf(org, jobId)).counts.applied, 1);
    });
  });
});
