/** The fleet in orders with an index. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  refuse,
  register,
  sendLowBattery,
  sendTemperature,
} from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const DEVICES = 60;

describe('The order of the fleet', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms);
    for (let number = 0; number < DEVICES; number++) {
      const name = number % 2 === 0 ? `Fridge ${String(90 - number)}` : `fridge ${String(90 - number)}`;
      await register(dms, `SERIAL-${String((number * 7) % DEVICES).padStart(2, '0')}`, { name });
    }
    await register(dms, 'ARCHIVED', { name: 'A' });
    const { body } = await dms.api.get('/assets?serialNumber=ARCHIVED');
    await dms.api.delete(`/assets/${body.items[0].id}`);
    const other = await dms.addOrganization();
    await register(other, 'OF-ANOTHER', { name: 'A' });
  });

  /** Over all pages, each once. */
  async function listBy(order: string): Promise<Array<{ name: string; serial: string }>> {
    const listed = [];
    let path = `/operator/fleet?order=${order}`;
    for (let page = 0; page < 5 && path !== ''; page++) {
      const { status, text } = await visit(dms.baseUrl + path, { cookie });
      assert.equal(status, 200, text);
      const rows = text.matchAll(/<a class="name" href="[^"]+">([^<]*)<\/a> <code>([^<]*)<\/code>/g);
      for (const [, name = '', serial = ''] of rows) listed.push({ name, serial });
      path = (text.match(/<a href="([^"]+)" rel="next">/)?.[1] ?? '').replaceAll('&amp;', '&');
    }
    return listed;
  }

  it('lists by name, without case', async () => {
    const names = (await listBy('name')).map(({ name }) => name);
    assert.equal(names.length, DEVICES);
    assert.deepEqual(
      names,
      [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
  });

  it('lists by serial number', async () => {
    const serials = (await listBy('serial')).map(({ serial }) => serial);
    assert.equal(serials.length, DEVICES);
    assert.deepEqual(serials, [...serials].sort());
  });

  it('orders the newest first', async () => {
    const names = (await listBy('newest')).map(({ name }) => Number(name.slice(-2)));
    assert.equal(names.length, DEVICES);
    assert.deepEqual(
      names,
      [...names].sort((a, b) => a - b),
    );
  });

  it('orders the oldest last reading first, with devices without readings', async () => {
    await sendTemperature(dms, 'SERIAL-30', 5, new Date(Date.now() - 72 * HOUR_MS));
    await sendTemperature(dms, 'SERIAL-10', 5);
    const serials = (await listBy('oldest-reading')).map(({ serial }) => serial);
    assert.equal(serials.length, DEVICES);
    assert.deepEqual(serials.slice(-2), ['SERIAL-30', 'SERIAL-10']);
  });

  it('orders by urgency: a temperature alert, missing contact, a failed change, a low battery, and others', async () => {
    const org = await dms.addOrganization();
    const visitor = await signIn(dms, { organizationId: org.id });
    const fridge = { temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 8 }] };
    await createProfile(org, { slug: 'fridge', ...fridge });
    const ids = new Map<string, string>();
    for (const name of ['calm', 'low', 'failed', 'away', 'warm', 'both'])
      ids.set(name, await register(org, `U-${name.toUpperCase()}`, { name }));
    const { body: group } = await org.api.post('/groups', { name: 'Some' });
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['U-CALM', 'U-WARM', 'U-AWAY'] });
    await apply(org, 'fridge', { serialNumbers: ['U-WARM', 'U-FAILED', 'U-BOTH'] });
    await applyAnswer(org, 'U-WARM');
    await sendTemperature(org, 'U-WARM', 19);
    for (const name of ['FAILED', 'BOTH']) await refuse(org, `U-${name}`);
    await sendLowBattery(org, 'U-LOW');
    await query(
      dms.service.sql,
      `update device_states set status = 'offline' where organization_id = ? and asset_id = any(?::uuid[])`,
      [org.id, [ids.get('away') as string, ids.get('both') as string]],
    );
    const list = async (address: string) => {
      const { status, text } = await visit(`${dms.baseUrl}/operator/fleet${address}`, { cookie: visitor });
      assert.equal(status, 200, text);
      return [...text.matchAll(/<a class="name" href="[^"]+">([^<]*)<\/a> <code>/g)].map(([, name]) => name);
    };
    assert.deepEqual(await list(''), ['warm', 'away', 'both', 'failed', 'low', 'calm']);
    assert.deepEqual(await list(`?groupId=${group.id}`), ['warm', 'away', 'calm']);
    assert.deepEqual(await list(`?groupId=${ids.get('warm')}`), []);
  });

  it('lists each device once over all pages of the order by urgency', async () => {
    const serials = (await listBy('urgency')).map(({ serial }) => serial);
    assert.deepEqual([serials.length, new Set(serials).size], [DEVICES, DEVICES]);
  });

  it('refuses a cursor of another list, and keeps a filtered list in the order of registration', async () => {
    for (const cursor of [
      'x',
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('[1').toString('base64url'),
    ])
      assert.equal(
        (await visit(`${dms.baseUrl}/operator/fleet?order=oldest-reading&cursor=${cursor}`, { cookie }))
          .status,
        400,
      );
    const { text } = await visit(`${dms.baseUrl}/operator/fleet?order=name&q=SERIAL`, { cookie });
    assert.match(text, /Fridge 90.*fridge 89.*Fridge 88/s);
    assert.doesNotMatch(text, /aria-label="Order"/);
  });
});
