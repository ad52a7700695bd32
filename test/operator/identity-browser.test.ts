/** Signing in with an identity provider in a real browser, with its own cookies, redirects and policies. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { freePort } from '../../dev/embedded/free-port.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { findChromium, startBrowser } from '../support/browser.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startService, type TestService } from '../support/service.ts';

const CLIENT = { clientId: 'dms', clientSecret: 'a-secret-of-the-client' };
const RULES = { organizationClaim: 'organization', roleClaim: 'role' };
const RETURN = '/operator/sign-in/provider/callback';

describe('Signing in with an identity provider in a browser', () => {
  const executable = findChromium();
  let dms: TestService;
  let provider: TestIdentityProvider;
  let browser: Browser;

  before(async function () {
    if (executable === null) {
      console.log('      no Chromium: set CHROMIUM_PATH, or install the package chromium');
      this.skip();
    }
    const port = await freePort();
    // On another site than the provider's, so that cookies of one are not sent with requests from the other.
    const operatorUrl = `http://localhost:${port}`;
    provider = await startIdentityProvider({ ...CLIENT, redirectUrl: operatorUrl + RETURN });
    const oidc = { issuer: provider.issuer, ...CLIENT, ...RULES };
    [dms, browser] = await Promise.all([
      startService({ withWorker: false, settings: { port, operatorUrl, oidc } }),
      startBrowser(executable),
    ]);
  });
  after(async () => {
    await browser?.close();
    await dms?.stop();
    await provider?.stop();
  });

  it('leads to the provider and back to the fleet, and to the sign-in page after signing out, without messages in the console', async () => {
    const organization = (await createOrganizationsRepository(dms.service.sql).list()).find(
      ({ id }) => id === dms.id,
    );
    provider.person = { id: 'ada', claims: { organization: organization?.name, name: 'Ada', role: 'write' } };
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    const { operatorUrl } = dms.settings;
    const start = `${operatorUrl}/operator/sign-in`;
    await page.goto(start);
    await page.click('text=Sign in with');
    await page.waitForURL(`${operatorUrl}/operator`);
    assert.equal(await page.textContent('h1'), 'Begin here');
    assert.match((await page.textContent('.who')) ?? '', /Ada\s*write/);
    const [cookie, ...others] = (await page.context().cookies(`${operatorUrl}/operator`)).filter(({ name }) =>
      name.startsWith('dms_'),
    );
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.sameSite, others],
      ['dms_operator', true, 'Lax', []],
    );
    const policy = (await page.reload())?.headers()['content-security-policy'];
    assert.match(policy ?? '', /default-src 'none'; script-src 'self';.* form-action 'self'(?:;|$)/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(start);
    assert.deepEqual(complaints, []);
    assert.deepEqual([...hosts].sort(), [new URL(provider.issuer).host, new URL(start).host].sort());
  });
});
