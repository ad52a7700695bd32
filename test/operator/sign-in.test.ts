/** Signing in to the operators' page, and its refusals. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { formatKey } from '../../src/keys/api-key.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { startService, useService } from '../support/service.ts';
import { newLink, OPERATOR_ORIGIN, type PageAnswer, signIn, tokenIn, visit } from './visitor.ts';

describe("The operators' page", () => {
  const dms = useService({ withWorker: false, settings: { operatorUrl: OPERATOR_ORIGIN } });
  let url: string;

  before(() => {
    url = `${dms.baseUrl}/operator`;
  });

  const useLink = (link: string, headers?: Record<string, string>) =>
    visit(`${url}/sign-in`, { form: { link: tokenIn(link) }, headers });

  describe('signs in', () => {
    it('signs in by a link that works once', async () => {
      const link = await newLink(dms);
      const [first, second] = await Promise.all([useLink(link), useLink(link)]);
      assert.deepEqual([first.status, second.status].sort(), [303, 404]);
      assert.equal((await useLink(link)).status, 404);
      assert.equal((await visit(link)).status, 404);
    });

    it('answers 400 to a query with a NUL character or bytes that are no UTF-8', async () => {
      const cookie = await signIn(dms);
      for (const q of ['%00', '%FF'])
        assert.equal((await visit(`${url}/archived?q=${q}`, { cookie })).status, 400, q);
    });

    it('ends links and sessions of a person without a key with the session of that person', async () => {
      const org = await dms.addOrganization();
      const organizationId = org.id;
      const invite = async (cookie: string, name: string): Promise<string> => {
        const form = { name, role: 'admin' };
        const { text } = await visit(`${url}/forms/createOperatorLink`, { cookie, form });
        return (text.match(/>(https:[^<]+)<\/textarea>/)?.[1] ?? '').replaceAll('&amp;', '&');
      };
      const cookieOf = async (link: string) =>
        (await useLink(link)).headers.get('set-cookie')?.split(';')[0] as string;
      const ada = await signIn(dms, { organizationId });
      const bo = await cookieOf(await invite(ada, 'Bo'));
      const cy = await cookieOf(await invite(bo, 'Cy'));
      const unused = await invite(ada, 'Di');
      const { items } = (await org.api.get('/operator-sessions')).body;
      const [first] = items.slice(-1);
      assert.ok(items.every(({ expiresAt }: { expiresAt: string }) => expiresAt <= first.expiresAt));
      assert.equal((await visit(url, { cookie: cy })).status, 200);
      await org.api.delete(`/operator-sessions/${first.id}`);
      for (const cookie of [ada, bo, cy]) assert.equal((await visit(url, { cookie })).status, 401);
      assert.equal((await useLink(unused)).status, 404);
    });

    it('accepts a link in the browser of the person without a key who made it', async () => {
      const { id: organizationId } = await dms.addOrganization();
      const ada = await signIn(dms, { organizationId });
      const form = { name: 'Bo', role: 'read' };
      const { text } = await visit(`${url}/forms/createOperatorLink`, { cookie: ada, form });
      const link = (text.match(/>(https:[^<]+)<\/textarea>/)?.[1] ?? '').replaceAll('&amp;', '&');
      const { headers } = await useLink(link, { cookie: ada });
      const cookie = headers.get('set-cookie')?.split(';')[0] as string;
      assert.equal((await visit(url, { cookie })).status, 200);
    });

    it('leads to the page that asked for the sign-in, and to none of another site', async () => {
      const page = '/operator/fleet?q=K%C3%BChl+1&status=offline';
      const asked = `${url}/sign-in?${new URLSearchParams({ return: page })}`;
      const [kept = ''] = (await visit(asked)).headers.getSetCookie();
      const [handoff = ''] = kept.split(';');
      assert.match(kept, /; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
      const follow = async (cookie: string) => (await useLink(await newLink(dms), { cookie })).headers;
      const headers = await follow(handoff);
      assert.equal(headers.get('location'), page);
      assert.match(headers.getSetCookie().join(), /handoff=;[^,]* Max-Age=0/);
      const [name] = handoff.split('=');
      for (const other of ['//evil.example', 'https://evil.example/operator', '/operator/sign-in', ''])
        assert.equal((await follow(`${name}=${other}`)).get('location'), '/operator', other);
      for (const other of ['//evil.example', '/operator/fleet?q=a;Domain=evil.example']) {
        const asked = await visit(`${url}/sign-in?${new URLSearchParams({ return: other })}`);
        assert.deepEqual(asked.headers.getSetCookie(), [], other);
      }
      const long = new URLSearchParams({ q: '冷'.repeat(128) });
      for (const searched of ['/operator/fleet?q=A*', '/operator/fleet?q=(1)!', `/operator/fleet?${long}`]) {
        const sent = await visit(`${url}/sign-in?${new URLSearchParams({ return: searched })}`);
        const [cookie = ''] = sent.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
        assert.equal((await follow(cookie)).get('location'), searched);
      }
    });

    it('requires more than opening the link, because programs that show previews open links as well', async () => {
      const link = await newLink(dms, { name: 'Grace' });
      const { status, text, headers } = await visit(link);
      assert.equal(status, 200);
      assert.match(text, /Grace/);
      assert.equal(headers.get('set-cookie'), null);
      assert.equal((await useLink(link)).status, 303);
    });

    it('accepts a link for 10 minutes after it was made', async () => {
      const agoMinutes = (minutes: number) => () => new Date(Date.now() - minutes * MINUTE_MS);
      assert.equal((await useLink(await newLink(dms, { now: agoMinutes(9) }))).status, 303);
      assert.equal((await useLink(await newLink(dms, { now: agoMinutes(10) }))).status, 404);
    });

    it('refuses a made-up link or cookie', async () => {
      const cookie = await signIn(dms);
      const [name, value = ''] = cookie.split('=');
      const [organization, id, proof = ''] = value.split('.');
      const forged = [
        `${organization}.${id}.${'A'.repeat(43)}`,
        `${organization}.${randomUUID()}.${proof}`,
        `${randomUUID()}.${id}.${proof}`,
        'nonsense',
        '',
      ];
      for (const each of forged) {
        assert.equal((await visit(url, { cookie: `${name}=${each}` })).status, 401, each);
        assert.equal((await visit(`${url}/sign-in`, { form: { link: each } })).status, 404, each);
      }
      assert.equal((await visit(url, { cookie })).status, 200);
    });

    it('sets a cookie that scripts cannot read and other sites do not send, for as long as the session', async () => {
      const { headers } = await useLink(await newLink(dms));
      const cookie = headers.get('set-cookie') ?? '';
      for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/;'])
        assert.ok(cookie.includes(attribute), cookie);
      assert.match(cookie, /^__Host-dms_operator=/);
      // As long as the session, also while the browser or the installed page is closed.
      assert.match(cookie, /; Max-Age=43200$/);
      assert.doesNotMatch(cookie, /Domain/);
    });

    it('accepts one cookie, and asks to delete both when another one was planted', async () => {
      const [own, planted] = [await signIn(dms), await signIn(dms, { name: 'Mallory' })];
      for (const cookie of [`${own}; ${planted}`, `${planted}; ${own}`]) {
        const { status, text } = await visit(url, { cookie });
        assert.equal(status, 400);
        assert.match(text, /two cookies/);
      }
    });

    it('replaces the earlier session of the browser', async () => {
      const before = await signIn(dms);
      const { status } = await visit(`${url}/sign-in`, {
        cookie: before,
        form: { link: tokenIn(await newLink(dms)) },
      });
      assert.equal(status, 303);
      assert.equal((await visit(url, { cookie: before })).status, 401);
    });

    it('ends when an admin ends the session; admins see all sessions, however these began', async () => {
      const { id: organizationId, api } = await dms.addOrganization();
      const cookie = await signIn(dms, { organizationId, name: 'Grace' });
      const { items } = (await api.get('/operator-sessions')).body;
      assert.deepEqual(
        items.map(({ name, keyId }: Record<string, unknown>) => [name, keyId]),
        [['Grace', null]],
      );
      assert.equal((await dms.api.delete(`/operator-sessions/${items[0].id}`)).status, 404);
      assert.equal((await api.delete(`/operator-sessions/${items[0].id}`)).status, 204);
      assert.equal((await visit(url, { cookie })).status, 401);
      assert.equal((await api.delete(`/operator-sessions/${items[0].id}`)).status, 404);
      assert.deepEqual((await api.get('/operator-sessions')).body.items, []);
    });

    it('ends by signing out', async () => {
      const cookie = await signIn(dms);
      const { status, headers } = await visit(`${url}/sign-out`, { cookie, form: {} });
      assert.equal(status, 303);
      assert.match(headers.get('set-cookie') ?? '', /Max-Age=0/);
      assert.equal((await visit(url, { cookie })).status, 401);
    });

    it('signs in by a link that a key requests, with at most the role of the key', async () => {
      const writer = dms.with((await dms.issueKey(dms.id, 'customer', 'write')).token);
      const { status, body } = await writer.post('/operator-links', { name: 'Ada', role: 'read' });
      assert.equal(status, 201);
      assert.match(body.url, /^https:\/\/operators\.example\/operator\/sign-in\?link=/);
      assert.equal((await useLink(body.url)).status, 303);
      assert.equal((await writer.post('/operator-links', { name: 'Ada' })).body.role, 'write');
      assert.equal((await writer.post('/operator-links', { name: 'Ada', role: 'admin' })).status, 403);
      assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      const { body: audit } = await dms.api.get(`/audit?subject=${body.id}`);
      assert.equal(audit.items[0].action, 'createOperatorLink');
      assert.ok(!JSON.stringify(audit).includes(tokenIn(body.url)));
    });

    it('allows 200 sessions per organization: the oldest one ends with the next', async () => {
      const { id: organizationId } = await dms.addOrganization();
      const oldest = await signIn(dms, { organizationId });
      await dms.service.sql.raw(
        `insert into operator_sessions (organization_id, id, link_hash, name, role, link_expires_at, started_at, expires_at)
         select ?, uuidv7(), '', 'Somebody', 'read', now(), now(), now() + interval '1 hour' from generate_series(1, 199)`,
        [organizationId],
      );
      assert.equal((await visit(url, { cookie: oldest })).status, 200);
      const newest = await signIn(dms, { organizationId });
      assert.equal((await visit(url, { cookie: oldest })).status, 401);
      assert.equal((await visit(url, { cookie: newest })).status, 200);
    });

    for (const [how, end] of Object.entries({
      'is deleted': (id: string) => dms.api.delete(`/keys/${id}`),
      expires: (id: string) =>
        dms.service
          .sql('api_keys')
          .where({ id })
          .update({ expires_at: new Date(0) }),
    }))
      it(`ends sessions and links when the key ${how} that requested the link`, async () => {
        const { id: keyId } = await dms.issueKey(dms.id, 'customer');
        const unused = await newLink(dms, { keyId });
        const cookie = await signIn(dms, { keyId });
        assert.equal((await visit(url, { cookie })).status, 200);
        await end(keyId);
        assert.equal((await visit(url, { cookie })).status, 401);
        assert.equal((await useLink(unused)).status, 404);
      });

    it('accepts a valid link whatever else the address has sent, while wrong ones are limited', async () => {
      const { databaseUrl } = dms.settings;
      const settings = { failedKeysPerMinute: 3 };
      const limited = await startService({ withWorker: false, databaseUrl, settings });
      const at = `${limited.baseUrl}/operator/sign-in`;
      try {
        const wrongKey = () => limited.with(formatKey('customer', randomBytes(32))).get('/assets');
        for (let count = 0; count < 4; count++) await wrongKey();
        assert.equal((await wrongKey()).status, 429);
        const wrong = (await newLink(dms)).replace(/.{43}$/, 'A'.repeat(43));
        assert.equal((await visit(`${at}?link=${tokenIn(wrong)}`)).status, 429);
        assert.equal((await visit(at, { form: { link: tokenIn(wrong) } })).status, 429);
        assert.equal((await visit(at)).status, 200);
        const token = tokenIn(await newLink(dms));
        assert.equal((await visit(`${at}?link=${token}`)).status, 200);
        assert.equal((await visit(at, { form: { link: token } })).status, 303);
      } finally {
        await limited.stop();
      }
    });

    describe('with a limit of 3 requests', () => {
      let at: string;
      const limited = useService(() => {
        const nowMs = Date.now();
        return {
          withWorker: false,
          databaseUrl: dms.settings.databaseUrl,
          settings: { operatorUrl: OPERATOR_ORIGIN, customerLimit: { perSecond: 1, burst: 3 } },
          now: () => new Date(nowMs),
          monotonicMs: () => nowMs,
        };
      });
      before(() => {
        at = `${limited.baseUrl}/operator`;
      });

      async function visitFourTimes(cookie: string): Promise<PageAnswer[]> {
        const answers: PageAnswer[] = [];
        for (let count = 0; count < 4; count++) answers.push(await visit(`${at}/groups`, { cookie }));
        return answers;
      }
      const statusesOf = (answers: PageAnswer[]) => answers.map(({ status }) => status);

      it('limits a session as a key, and asks nobody to sign in for that', async () => {
        const answers = await visitFourTimes(await signIn(limited));
        assert.deepEqual(statusesOf(answers), [200, 200, 200, 429]);
        assert.doesNotMatch(answers[3]?.text ?? '', /How to sign in/);
      });

      it('limits the cookie of an ended session before the database is asked', async () => {
        const cookie = await signIn(limited);
        assert.equal((await visit(`${at}/sign-out`, { cookie, form: {} })).status, 303);
        let lookUps = 0;
        const note = ({ sql: text }: { sql: string }) => {
          if (text.includes('operator_sessions')) lookUps++;
        };
        limited.service.sql.on('query', note);
        const answers = await visitFourTimes(cookie).finally(() =>
          limited.service.sql.removeListener('query', note),
        );
        assert.deepEqual(statusesOf(answers), [401, 401, 429, 429]);
        assert.equal(lookUps, 2);
      });
    });

    it('accepts a session at every process with the same SECRETS_KEYS', async () => {
      const { databaseUrl, secretsKeys } = dms.settings;
      const settings = { operatorUrl: OPERATOR_ORIGIN, secretsKeys };
      const other = await startService({ withWorker: false, databaseUrl, settings });
      try {
        const cookie = await signIn(dms);
        assert.equal((await visit(`${other.baseUrl}/operator`, { cookie })).status, 200);
      } finally {
        await other.stop();
      }
    });
  });

  describe('refuses', () => {
    it('everything to those who are not signed in', async () => {
      for (const path of [
        '',
        '/jobs',
        '/alerts',
        '/webhooks',
        '/channels',
        '/fleet',
        '/groups',
        '/profiles',
        '/keys',
        '/sessions',
        '/audit',
        '/apply',
        '/forms/createKey',
        '/changes?page=/operator',
      ])
        assert.equal((await visit(url + path)).status, 401, path);
      const { status } = await visit(`${url}/forms/acknowledgeAlert?alertId=${randomUUID()}`, { form: {} });
      assert.equal(status, 401);
    });

    it('refuses forms of other sites, and those without an origin', async () => {
      const cookie = await signIn(dms);
      const post = `${url}/forms/cancelConfigJob?jobId=${randomUUID()}`;
      // The header Host is no proof: whoever has a name for this address decides what it says.
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', '', dms.baseUrl])
        assert.equal((await visit(post, { cookie, form: {}, headers: { origin } })).status, 403, origin);
      assert.equal((await visit(post, { cookie, form: {} })).status, 404);
      assert.equal((await useLink(await newLink(dms), { origin: 'https://evil.example' })).status, 403);
    });

    it('refuses forms of strangers that are longer than 4 KiB', async () => {
      const post = async (path: string, bytes: number) =>
        (await visit(url + path, { form: { token: 'x'.repeat(bytes - 'token='.length) } })).status;
      for (const path of ['/sign-in', '/confirm-address', '/alert-link', '/alerts-link']) {
        assert.equal(await post(path, 4_097), 413, path);
        assert.equal(await post(path, 4_096), 404, path);
      }
    });

    it('refuses names of people by which the audit trail records changes without a person', async () => {
      for (const name of [
        'command line',
        'Temporal\u200b ui',
        'Owner  of the address',
        'quality@example.com (link in an e-mail)',
      ]) {
        const { status, body } = await dms.api.post('/operator-links', { name });
        assert.equal(status, 400, name);
        assert.match(body.message, /must be the name of a person/);
      }
    });

    it('refuses bodies other than forms', async () => {
      const cookie = await signIn(dms);
      const headers = { cookie, origin: OPERATOR_ORIGIN, 'content-type': 'application/json' };
      const { status } = await fetch(`${url}/sign-out`, { method: 'POST', headers, body: '{}' });
      assert.equal(status, 415);
    });

    it('refuses unknown addresses, and other methods', async () => {
      const cookie = await signIn(dms);
      assert.equal((await visit(`${url}/nothing`, { cookie })).status, 404);
      assert.equal((await visit(`${url}/devices/%ff`, { cookie })).status, 404);
      assert.equal((await visit(`${url}/devices/${randomUUID()}`, { cookie })).status, 404);
      const { status, headers } = await fetch(url, { method: 'DELETE', headers: { cookie } });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
    });
  });

  it('allows no content of another origin, and no script or style within a page', async () => {
    const cookie = await signIn(dms);
    for (const path of ['', '/jobs', '/nothing', '/sign-in']) {
      const { headers } = await visit(url + path, { cookie });
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /script-src 'self';/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  it('pauses and resumes a webhook, and names the person in the audit trail', async () => {
    const cookie = await signIn(dms, { name: 'Ada Lovelace' });
    const { body: channel } = await dms.api.post('/webhooks', { url: 'http://127.0.0.1:9/hooks' });
    const pause = `${url}/forms/pauseWebhook?webhookId=${channel.id}`;
    const { status } = await visit(pause, { cookie, form: {} });
    assert.equal(status, 303);
    const { body } = await dms.api.get(`/audit?subject=${channel.id}`);
    const [entry] = body.items;
    assert.deepEqual(
      [entry.action, entry.actor, entry.before.status, entry.after.status],
      ['updateWebhook', { keyId: null, name: 'Ada Lovelace' }, 'active', 'disabled'],
    );
    await visit(pause.replace('pauseWebhook', 'resumeWebhook'), { cookie, form: {} });
    assert.equal((await dms.api.get(`/webhooks/${channel.id}`)).body.status, 'active');
  });

  it('serves cacheable files under paths that change with their content', async () => {
    const { text } = await visit(`${url}/sign-in`);
    const paths = [...text.matchAll(/(?:src|href)="(\/operator\/static\/[^"]+)"/g)].map(([, path]) => path);
    assert.ok(paths.length >= 3);
    for (const path of paths) {
      const { status, headers } = await visit(dms.baseUrl + path);
      assert.equal(status, 200);
      assert.match(headers.get('cache-control') ?? '', /immutable/);
    }
    assert.equal((await visit(`${url}/static/000000000000/operator.mjs`)).status, 404);
  });

  it('does not exist unless its address is configured', async () => {
    const off = await startService({ withWorker: false, settings: { operatorUrl: null } });
    try {
      for (const path of ['/operator', '/operator/sign-in'])
        assert.equal((await visit(off.baseUrl + path)).status, 404);
      assert.equal((await off.api.post('/operator-links', { name: 'Ada' })).status, 404);
    } finally {
      await off.stop();
    }
  });
});
