import assert from 'node:assert/strict';
import { runCommand } from '../support/command-line.ts';
import { useService } from '../support/service.ts';
import { tokenIn, visit } from './visitor.ts';

describe("Commands for the operators' page", () => {
  const dms = useService({ withWorker: false });
  let organization: string;

  before(async () => {
    process.env.OPERATOR_URL = dms.baseUrl;
    const { rows } = await dms.service.sql.raw('select name from organizations where id = ?', [dms.id]);
    organization = rows[0].name;
  });
  after(() => delete process.env.OPERATOR_URL);

  const link = (...more: string[]) => runCommand(dms.settings.databaseUrl, 'operator', 'link', ...more);

  it('prints a link that signs in, and leaves a row in the audit trail', async () => {
    const { code, stdout, stderr } = await link('--org', organization, '--name', 'Ada', '--role', 'read');
    assert.deepEqual([code, stderr], [0, '']);
    const { status } = await visit(`${dms.baseUrl}/operator/sign-in`, {
      form: { link: tokenIn(stdout.trim()) },
    });
    assert.equal(status, 303);
    const { body } = await dms.api.get('/audit');
    assert.deepEqual([body.items[0].action, body.items[0].after.role], ['createOperatorLink', 'read']);
    assert.doesNotMatch(JSON.stringify(body), new RegExp(tokenIn(stdout.trim())));
  });

  it('refuses organizations that do not exist, and invalid roles', async () => {
    assert.equal((await link('--org', 'nobody')).code, 4);
    assert.match(
      (await link('--org', organization, '--role', 'root')).stderr,
      /Allowed choices are admin, write, read/,
    );
  });

  it('refuses names by which the audit trail records changes without a person', async () => {
    const { code, stderr } = await link('--org', organization, '--name', 'Command line');
    assert.equal(code, 2);
    assert.match(stderr, /--name must be the name of a person/);
  });

  it('makes an organization whose key, device token and link work, with a row of the audit trail for each', async () => {
    const { stdout, stderr } = await runCommand(
      dms.settings.databaseUrl,
      ...['org', 'setup', 'Northside', '--name', 'Ada', '--json'],
    );
    assert.equal(stderr, '');
    const { apiKey, deviceToken, link } = JSON.parse(stdout);
    const signedIn = await visit(`${dms.baseUrl}/operator/sign-in`, { form: { link: tokenIn(link) } });
    assert.equal(signedIn.status, 303);
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const northside = dms.with(apiKey);
    assert.equal((await northside.post('/assets', { serialNumber: 'FIRST', name: 'Fridge' })).status, 201);
    const sent = await dms.with(deviceToken).post('/devices/FIRST/measurements', { readings });
    assert.equal(sent.status, 202);
    const { body } = await northside.get('/audit');
    const actions = body.items.map(({ action }: { action: string }) => action).reverse();
    assert.deepEqual(actions.slice(0, 4), [
      'createOrganization',
      'createKey',
      'createKey',
      'createOperatorLink',
    ]);
    for (const secret of [apiKey, deviceToken, tokenIn(link)])
      assert.ok(!JSON.stringify(body).includes(secret));
  });
});
