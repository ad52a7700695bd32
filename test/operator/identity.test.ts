/** Signing in to the operators' page with an identity provider. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '../../src/db/query.ts';
import { toIdentity } from '../../src/operator/identity.ts';
import { ATTEMPT_MS, createAttemptSigner } from '../../src/operator/sign-in-attempt.ts';
import { readSettings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { visit } from './visitor.ts';

const OPERATOR_URL = 'https://dms.example';
const CLIENT = { clientId: 'dms', clientSecret: 'a-secret-of-the-client' };
const RULES = { organizationClaim: 'organization', roleClaim: 'role' };
const RETURN = '/operator/sign-in/provider/callback';

describe('Signing in with an identity provider', () => {
  let dms: TestService;
  let provider: TestIdentityProvider;
  let organization: string;
  let logged = '';
  const log = createLog('debug', {
    write: (line) => {
      logged += line;
    },
  });

  before(async () => {
    provider = await startIdentityProvider({ ...CLIENT, redirectUrl: OPERATOR_URL + RETURN });
    const oidc = { issuer: provider.issuer, ...CLIENT, ...RULES };
    dms = await startService({ withWorker: false, log, settings: { operatorUrl: OPERATOR_URL, oidc } });
    organization = await organizationName(dms.id);
  });
  after(async () => {
    await dms?.stop();
    await provider?.stop();
  });

  async function organizationName(id: string): Promise<string> {
    const text = 'select name from organizations where id = ?';
    const [row] = await query<{ name: string }>(dms.service.sql, text, [id]);
    return row?.name as string;
  }

  const is = (claims: Record<string, unknown>) => {
    provider.person = { id: 'ada', claims: { organization, name: 'Ada Lovelace', ...claims } };
  };

  /** Returns the address that the provider sends the browser back to. */
  async function leave(path = '/operator/sign-in/provider'): Promise<{ address: URL; handoff: string }> {
    const { status, headers } = await visit(dms.baseUrl + path);
    assert.equal(status, 303);
    const [handoff = ''] = headers.getSetCookie();
    assert.match(handoff, /HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
    const address = new URL(await provider.visit(headers.get('location') as string));
    assert.equal(address.origin + address.pathname, OPERATOR_URL + RETURN);
    return { address, handoff: handoff.split(';')[0] as string };
  }
  const comeBack = ({ search }: URL, cookie?: string) => visit(dms.baseUrl + RETURN + search, { cookie });

  async function signIn(): Promise<string> {
    const { address, handoff } = await leave();
    const { status, headers, text } = await comeBack(address, handoff);
    assert.equal(status, 303, text);
    const cookies = headers.getSetCookie();
    assert.ok(
      cookies.some((each) => each.includes('handoff=;') && each.endsWith('Max-Age=0')),
      cookies.join(),
    );
    return cookies.find((each) => !each.includes('handoff'))?.split(';')[0] as string;
  }

  it('offers the provider on the sign-in page', async () => {
    const { text } = await visit(`${dms.baseUrl}/operator/sign-in`);
    assert.match(text, new RegExp(`Sign in with ${new URL(provider.issuer).host}`));
  });

  it('leads back to the page that asked for the sign-in, and to none of another site', async () => {
    const linkIn = async (path: string, pattern: RegExp) => {
      const [, href = ''] = (await visit(dms.baseUrl + path)).text.match(pattern) ?? [];
      return href.replaceAll('&amp;', '&');
    };
    const page = '/operator/fleet?q=K%C3%BChl+1&status=offline';
    const signInPage = await linkIn(page, /href="([^"]+)">How to sign in/);
    const begin = await linkIn(signInPage, /href="(\/operator\/sign-in\/provider[^"]*)"/);
    is({ role: 'read' });
    for (const [path, expected] of [
      [begin, page],
      ['/operator/sign-in/provider?return=//evil.example', '/operator'],
    ] as const) {
      const { address, handoff } = await leave(path);
      assert.equal((await comeBack(address, handoff)).headers.get('location'), expected);
    }
  });

  it('begins a session with the organization, role and person in the claims', async () => {
    is({ role: 'write' });
    const cookie = await signIn();
    const { status, text } = await visit(`${dms.baseUrl}/operator`, { cookie });
    assert.equal(status, 200);
    assert.match(text, /Ada Lovelace <span class="quiet">write<\/span>/);
    const [session] = await query<{ hours: number }>(
      dms.service.sql,
      `select extract(epoch from expires_at - started_at)::float8 / 3600 as hours from operator_sessions
       where organization_id = ? and name = 'Ada Lovelace'`,
      [dms.id],
    );
    assert.equal(session?.hours, 12);
  });

  it('lets people read if their claims name no role', async () => {
    is({ role: ['director', 'root'] });
    const cookie = await signIn();
    assert.match(
      (await visit(`${dms.baseUrl}/operator`, { cookie })).text,
      /<span class="quiet">read<\/span>/,
    );
    assert.equal((await visit(`${dms.baseUrl}/operator/import`, { cookie })).status, 403);
  });

  it('begins a session with the first organization in the claim, however many groups it names before', async () => {
    const other = await dms.addOrganization();
    const groups = Array.from({ length: 30 }, (_, number) => `group ${number}`);
    is({ name: 'Grace Hopper', organization: [...groups, await organizationName(other.id), organization] });
    await signIn();
    const sessions = await query<{ id: string }>(
      dms.service.sql,
      "select organization_id as id from operator_sessions where name = 'Grace Hopper'",
    );
    assert.deepEqual(sessions, [{ id: other.id }]);
  });

  it('refuses people whose claims name no organization of the service', async () => {
    for (const claims of [{ organization: 'another' }, { organization: undefined }, { organization: [] }]) {
      is(claims);
      const { address, handoff } = await leave();
      const { status, text, headers } = await comeBack(address, handoff);
      assert.equal(status, 403);
      assert.match(text, /names no organization/);
      assert.equal(headers.get('set-cookie'), null);
    }
  });

  it('accepts an answer only from the browser that started the sign-in, and once', async () => {
    is({});
    const { address, handoff } = await leave();
    const another = await leave();
    assert.equal((await comeBack(address)).status, 403);
    assert.equal((await comeBack(address, another.handoff)).status, 403);
    const forged = handoff.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'));
    assert.equal((await comeBack(address, forged)).status, 403);
    assert.equal((await comeBack(address, handoff)).status, 303);
    assert.equal((await comeBack(address, handoff)).status, 403);
    assert.equal((await comeBack(new URL(`${OPERATOR_URL}${RETURN}?code=x`), handoff)).status, 403);
  });

  it('reports that the person or the provider refused', async () => {
    provider.person = null;
    const { address, handoff } = await leave();
    const { status, text } = await comeBack(address, handoff);
    assert.equal(status, 403);
    assert.match(text, /has not signed you in/);
  });

  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = (idToken: string, header: object) => `${base64url(header)}.${idToken.split('.')[1]}`;
  const hmac = (text: string, key: string | Buffer) =>
    `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  /** Made before the requests: it takes long, and would be taken for a provider that does not answer. */
  const { privateKey: anotherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  type Forge = NonNullable<TestIdentityProvider['forge']>;
  const FORGERIES: Record<string, Forge> = {
    'signed by nobody': (token) => `${unsigned(token, { alg: 'none' })}.`,
    'signed with the secret of the client': (token) =>
      hmac(unsigned(token, { alg: 'HS256' }), CLIENT.clientSecret),
    'signed with the public key as a secret': (token, { publicKey }) =>
      hmac(
        unsigned(token, { alg: 'HS256', kid: 'test' }),
        publicKey.export({ type: 'spki', format: 'pem' }) as string,
      ),
    'signed with the key of another': (token) => {
      const text = unsigned(token, { alg: 'RS256', kid: 'test' });
      return `${text}.${sign('sha256', Buffer.from(text), anotherKey).toString('base64url')}`;
    },
    'that demands an extension': (token, { privateKey }) => {
      const text = unsigned(token, { alg: 'RS256', kid: 'test', crit: ['b64'], b64: true });
      return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
    'that is none': () => 'not-a-token',
  };
  for (const [which, forge] of Object.entries(FORGERIES)) {
    it(`refuses a token ${which}, and links to a new start`, async () => {
      is({ role: 'admin' });
      const { address, handoff } = await leave();
      provider.forge = forge;
      const { status, text, headers } = await comeBack(address, handoff).finally(() => {
        provider.forge = null;
      });
      assert.equal(status, 403);
      assert.match(text, /has not signed you in: begin again/);
      assert.match(text, /href="\/operator\/sign-in"/);
      assert.equal(headers.get('set-cookie'), null);
    });
  }

  it('leaves no token, code or secret in the log and the database', async () => {
    is({ role: 'admin' });
    const { address, handoff } = await leave();
    const code = address.searchParams.get('code') as string;
    assert.equal((await comeBack(address, handoff)).status, 303);
    assert.equal((await comeBack(address, handoff)).status, 403);
    const next = await leave();
    next.address.searchParams.set('code', code);
    assert.equal((await comeBack(next.address, next.handoff)).status, 403);
    const rows = JSON.stringify(await query(dms.service.sql, 'select * from operator_sessions'));
    for (const secret of [code, CLIENT.clientSecret, handoff.split('.')[3] as string, 'eyJ'])
      assert.ok(!logged.includes(secret) && !rows.includes(secret), secret);
    assert.match(logged, /"step":"code".*"answer":"invalid_grant"/);
  });

  it('answers with a page while the provider is away, and works as soon as it is back', async () => {
    const gone = await startIdentityProvider({ ...CLIENT, redirectUrl: OPERATOR_URL + RETURN });
    await gone.stop();
    const settings = { operatorUrl: OPERATOR_URL, oidc: { issuer: gone.issuer, ...CLIENT, ...RULES } };
    const other = await startService({ withWorker: false, databaseUrl: dms.settings.databaseUrl, settings });
    try {
      for (const path of ['/operator/sign-in/provider', '/operator/sign-in/provider']) {
        const { status, text, headers } = await visit(other.baseUrl + path);
        assert.equal(status, 503);
        assert.equal(headers.get('retry-after'), '10');
        assert.match(text, /identity provider cannot be reached/);
      }
      const port = Number(new URL(gone.issuer).port);
      const back = await startIdentityProvider({ ...CLIENT, redirectUrl: OPERATOR_URL + RETURN, port });
      assert.equal((await visit(`${other.baseUrl}/operator/sign-in/provider`)).status, 303);
      await back.stop();
    } finally {
      await other.stop();
    }
  });

  it('shows no pages without a configured provider', async () => {
    const other = await startService({ withWorker: false, databaseUrl: dms.settings.databaseUrl });
    try {
      assert.equal((await visit(`${other.baseUrl}/operator/sign-in/provider`)).status, 404);
      assert.doesNotMatch((await visit(`${other.baseUrl}/operator/sign-in`)).text, /Sign in with/);
    } finally {
      await other.stop();
    }
  });
});

describe('What a browser keeps during a sign-in', () => {
  const key = (byte: number) => Buffer.alloc(32, byte);
  const attempt = { state: 's-t_A', nonce: 'n', verifier: 'v', back: '/operator/alerts?status=all' };
  const now = new Date('2026-03-02T12:00:00Z');
  const later = (ms: number) => new Date(now.getTime() + ms);

  it('stays valid for 10 minutes, as it was signed, even after the key was replaced', () => {
    const sealed = createAttemptSigner({ 1: key(1) }).seal(attempt, now);
    const both = createAttemptSigner({ 1: key(1), 2: key(2) });
    assert.deepEqual(both.open(sealed, later(ATTEMPT_MS - 1)), attempt);
    assert.equal(both.open(sealed, later(ATTEMPT_MS)), null);
    assert.equal(createAttemptSigner({ 2: key(2) }).open(sealed, now), null);
    for (const other of [
      '',
      '.',
      sealed.replace('s-t_A', 's-t_B'),
      `${sealed}.x`,
      sealed.slice(0, -2),
      sealed.replace(/^\d/, '9'),
    ])
      assert.equal(both.open(other, now), null, other);
  });
});

describe('The settings of an identity provider', () => {
  const required = {
    DATABASE_URL: 'postgres://localhost/dms',
    TEMPORAL_ADDRESS: 'localhost:7233',
    SECRETS_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
    OPERATOR_URL: OPERATOR_URL,
  };
  const oidcOf = (env: Record<string, string>) => readSettings({ ...required, ...env }).oidc;

  it('requires an issuer over HTTPS and a client, with an optional secret from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'dms-oidc-')), 'secret');
    writeFileSync(file, 'from a file\n');
    const client = { OIDC_ISSUER: 'https://login.example.com/realm', OIDC_CLIENT_ID: 'dms' };
    assert.equal(oidcOf({}), null);
    assert.equal(oidcOf(client)?.clientSecret, null);
    assert.equal(oidcOf({ ...client, OIDC_CLIENT_SECRET_FILE: file })?.clientSecret, 'from a file');
    assert.throws(
      () => oidcOf({ ...client, OIDC_CLIENT_SECRET: 'x', OIDC_CLIENT_SECRET_FILE: file }),
      /OIDC_CLIENT_SECRET/,
    );
    assert.throws(() => oidcOf({ OIDC_ISSUER: client.OIDC_ISSUER }), /OIDC_CLIENT_ID/);
    assert.throws(() => oidcOf({ ...client, OIDC_ISSUER: 'http://login.example.com' }), /must be an https:/);
    assert.throws(() => oidcOf({ ...client, OPERATOR_URL: '' }), /OPERATOR_URL/);
    assert.equal(oidcOf({ ...client, OIDC_ISSUER: 'http://127.0.0.1:1' })?.roleClaim, 'role');
  });
});

describe('What an identity provider says of somebody', () => {
  const identityOf = (claims: Record<string, unknown>, rules = RULES) => toIdentity(claims, rules);

  it('gives the greatest role in the claim, also in a list and within another claim', () => {
    assert.equal(identityOf({ role: 'admin' }).role, 'admin');
    assert.equal(identityOf({ role: ['read', 'write', 'x'] }).role, 'write');
    const nested = { organizationClaim: 'o', roleClaim: 'realm_access.roles' };
    assert.equal(identityOf({ realm_access: { roles: ['admin'] } }, nested).role, 'admin');
    assert.equal(identityOf({ 'realm_access.roles': 'write', realm_access: 5 }, nested).role, 'write');
  });

  it('falls back to read without a usable claim', () => {
    for (const role of [undefined, null, 5, {}, 'ADMIN', 'Admin ', [['admin']], { admin: true }, '__proto__'])
      assert.equal(identityOf({ role }).role, 'read', JSON.stringify(role));
    assert.equal(identityOf({}, { organizationClaim: 'o', roleClaim: '__proto__.constructor' }).role, 'read');
  });

  it('names the person by the available claims', () => {
    assert.equal(identityOf({ name: ' ', email: 'ada@example.com', sub: '1' }).name, 'ada@example.com');
    assert.equal(identityOf({ name: 'x'.repeat(500) }).name.length, 128);
    assert.equal(identityOf({ name: ' Zoe\u0308 ' }).name, 'Zo\u00eb', 'as the audit trail is searched');
    assert.equal(identityOf({ name: `${'x'.repeat(127)} x` }).name, 'x'.repeat(127));
    assert.equal(identityOf({ name: 'Ada\r\nBcc: eve@example.com', sub: '1' }).name, '1');
    assert.equal(identityOf({}).name, 'unknown');
  });
});
