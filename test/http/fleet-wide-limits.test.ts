/**
 * Requests that hold a whole fleet in memory: an organization has two of a kind at once, and others continue.
 */
import assert from 'node:assert/strict';
import type { Answer, Client } from '../support/client.ts';
import { createProfile, HOT_WATER, register } from '../support/fleet.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const PDF = { headers: { accept: 'application/pdf' } };
const SPAN = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';

describe('Requests for a whole fleet', () => {
  let dms: TestService;
  let org: TestOrganization;

  before(async () => {
    dms = await startService({ withWorker: false });
    org = await dms.addOrganization();
  });
  after(() => dms.stop());

  /** Two more keys, so that the limit is that of the organization and not of a key. */
  async function keys(count: number): Promise<Client[]> {
    const clients: Client[] = [];
    while (clients.length < count) clients.push(dms.with((await dms.issueKey(org.id, 'customer')).token));
    return clients;
  }

  /** Blocks requests at a table, sends three of them with a key each, and returns the first answer. */
  async function thirdOf(table: string, send: (client: Client) => Promise<Answer>): Promise<Answer> {
    const [first, second, third] = (await keys(3)) as [Client, Client, Client];
    const { third: answer, rest } = await dms.service.sql.transaction(async (tx) => {
      await tx.raw(`lock table ${table} in access exclusive mode`);
      const waiting = [send(first), send(second)];
      await untilLockWaits(dms.service.sql, 2);
      return { third: await send(third), rest: waiting };
    });
    for (const { status, text } of await Promise.all(rest)) assert.equal(status, 200, text);
    assert.equal((await send(third)).status, 200);
    return answer;
  }

  function assertRefused({ status, headers, body }: Answer, what: RegExp): void {
    assert.equal(status, 429);
    assert.equal(headers['retry-after'], '5');
    assert.match(body.message, what);
  }

  it('allows an organization two dry runs and applies to all at once, and asks the third to wait', async () => {
    await register(org, 'FLEET-1');
    const slug = await createProfile(org, { slug: 'fleet-wide', ...HOT_WATER });
    const dryRun = (client: Client) =>
      client.put(`/devices/config-profiles/${slug}/apply?dryRun=true`, { applyToAll: true });
    assertRefused(await thirdOf('profiles', dryRun), /^At most 2 dry runs and applies to all at once/);
  });

  it('allows an organization two imports at once, and asks the third to wait', async () => {
    const rows = { raw: '[{"serialNumber":"IMPORT-1"}]' };
    const send = (client: Client) => client.post('/assets/import', undefined, rows);
    assertRefused(await thirdOf('assets', send), /^At most 2 imports at once/);
  });

  it('allows an organization two pages of statistics at once, and asks the third to wait', async () => {
    const assetId = await register(org, 'PAGE-1');
    const send = (client: Client) => client.get(`/assets/${assetId}/statistics?${SPAN}`, PDF);
    assertRefused(await thirdOf('assets', send), /^At most 2 PDF pages at once/);
  });
});
