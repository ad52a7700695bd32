/** The fleet in orders with an index. */
import assert from 'node:assert/strict';
import { register, sendTemperature } from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const DEVICES = 60;
const HOUR_MS = 3_600_000;

describe('The order of the fleet', () => {
  let dms: TestService;
  let cookie: string;

  before(async () => {
    dms = await startService({ withWorker: false });
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
  after(() => dms.stop());

  /** Over all pages, each once. */
  async function listBy(order: string): Promise<Array<{ name: string; serial: string }>> {
    const listed = [];
    let path = `/operator?order=${order}`;
    for (let page = 0; page < 5 && path !== ''; page++) {
      const { status, text } = await visit(dms.baseUrl + path, { cookie });
      assert.equal(status, 200, text);
      const rows = text.matchAll(/<a class="name" href="[^"]+">([^<]*)<\/a> <code>([^<]*)<\/code>/g);
      for (const [, name = '', serial = ''] of rows) listed.push({ name, serial });
      path = (text.match(/<a href="([^"]+)" rel="next">/)?.[1] ?? '').replaceAll('&amp;', '&');
    }
    return listed;
  }

  it('is that of names, without case', async () => {
    const names = (await listBy('name')).map(({ name }) => name);
    assert.equal(names.length, DEVICES);
    assert.deepEqual(
      names,
      [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
  });

  it('is that of serial numbers', async () => {
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

  it('refuses a cursor of another list, and keeps a filtered list in the order of registration', async () => {
    for (const cursor of [
      'x',
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('[1').toString('base64url'),
    ])
      assert.equal(
        (await visit(`${dms.baseUrl}/operator?order=oldest-reading&cursor=${cursor}`, { cookie })).status,
        400,
      );
    const { text } = await visit(`${dms.baseUrl}/operator?order=name&q=SERIAL`, { cookie });
    assert.match(text, /Fridge 90.*fridge 89.*Fridge 88/s);
    assert.doesNotMatch(text, /aria-label="Order"/);
  });
});
