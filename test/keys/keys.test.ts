/** Keys: their format, the commands that issue and revoke them, and the requests that they allow. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import type { KeyKind } from '../../src/http/route.ts';
import { formatKey, looksLikeKey, parseKeyKind } from '../../src/keys/api-key.ts';
import { DAY_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { maskKeys } from '../../src/process/mask-keys.ts';
import { type Run, runCommand } from '../support/command-line.ts';
import { argumentsFor, processBundle } from '../support/process-bundle.ts';
import { useService } from '../support/service.ts';

const ROOT = new URL('../../', import.meta.url);
const CLI = argumentsFor(await processBundle(), 'src/bin/cli.ts');
const UUID = /^[0-9a-f-]{36}$/;

const generateKey = (kind: KeyKind) => formatKey(kind, randomBytes(32));

describe('The text of a key', () => {
  const formats: Record<KeyKind, RegExp> = {
    customer: /^dms_live_[0-9A-Za-z]{49}$/,
    // The 36 characters that a logger can hold.
    device: /^dev_[0-9A-Za-z]{32}$/,
  };

  for (const kind of ['customer', 'device'] as const) {
    it(`formats a ${kind} key as prefix and base62 characters of fixed length`, () => {
      assert.match(generateKey(kind), formats[kind]);
    });

    it(`recognises the kind of a ${kind} key`, () => {
      assert.equal(parseKeyKind(generateKey(kind)), kind);
    });

    it(`rejects a ${kind} key with one character changed, lost or added`, () => {
      const token = generateKey(kind);
      for (let at = 0; at < token.length; at++) {
        const other = token[at] === 'a' ? 'b' : 'a';
        assert.equal(
          parseKeyKind(token.slice(0, at) + other + token.slice(at + 1)),
          null,
          `changed at ${at}`,
        );
        assert.equal(parseKeyKind(token.slice(0, at) + token.slice(at + 1)), null, `lost at ${at}`);
      }
      assert.equal(parseKeyKind(`${token}0`), null);
    });

    it(`issues a different ${kind} key each time`, () => {
      const keys = new Set(Array.from({ length: 1_000 }, () => generateKey(kind).slice(0, -6)));
      assert.equal(keys.size, 1_000);
    });
  }

  it('recognises the form of a key, even a mistyped one, and never in a serial number', () => {
    for (const kind of ['customer', 'device'] as const) {
      const token = generateKey(kind);
      assert.deepEqual([token, `${token.slice(0, -1)}_`].map(looksLikeKey), [true, true]);
      assert.deepEqual([token.slice(0, -1), `${token}0`].map(looksLikeKey), [false, false]);
    }
    for (const serial of ['282C02424EED', 'dev_1', 'DEVICE-123456789012', 'x'.repeat(36)])
      assert.equal(looksLikeKey(serial), false, serial);
  });

  it('masks a key in text, and leaves the text around it unchanged', () => {
    const text = (one: string, other: string) => `login with ${one} failed (was ${other})`;
    const [customer, device] = [generateKey('customer'), generateKey('device')];
    assert.equal(maskKeys(text(customer, device)), text('dms_live_…', 'dev_…'));
    assert.equal(maskKeys('dev_1 has no sensor'), 'dev_1 has no sensor');
  });

  it('ends a key with the CRC-32 of its other characters', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const body = `dev_${'0'.repeat(26)}`;
    let rest = crc32(body);
    let checksum = '';
    for (let index = 0; index < 6; index++) {
      checksum = digits[rest % 62] + checksum;
      rest = Math.floor(rest / 62);
    }
    assert.equal(parseKeyKind(body + checksum), 'device');
  });
});

/** Bit by bit, with the polynomial of ISO 3309. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('Commands for keys', () => {
  const dms = useService({ withWorker: false, now: () => new Date(Date.now() + aheadMs) });
  let aheadMs = 0;
  let organization: string;

  beforeEach(() => {
    aheadMs = 0;
    organization = `Fridges & Söhne ${randomUUID()}`;
  });

  const run = (...typed: string[]) => runCommand(dms.settings.databaseUrl, ...typed);

  async function succeed(...typed: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await run(...typed);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  }

  async function createKey(...more: string[]): Promise<{ id: string; token: string }> {
    const [id, token, ...rest] = await succeed('key', 'create', '--org', organization, ...more);
    assert.deepEqual(rest, []);
    return { id: id as string, token: token as string };
  }

  const statusOf = async (token: string) => (await dms.with(token).get('/assets')).status;

  it('creates no token for all devices where the organization requires one of each', async () => {
    await succeed('org', 'create', organization);
    const { id } = await createKey('--kind', 'device');
    await succeed('org', 'set', organization, '--require-device-tokens');
    for (const typed of [
      ['key', 'create', '--org', organization, '--kind', 'device'],
      ['key', 'rotate', id],
    ]) {
      const { code, stdout, stderr } = await run(...typed);
      assert.deepEqual([code === 0, stdout], [false, '']);
      assert.match(stderr, /needs a token of its own/);
    }
    await createKey();
  });

  describe('typed at a terminal', () => {
    const { isTTY } = process.stdin;
    beforeEach(() => {
      process.stdin.isTTY = true;
    });
    afterEach(() => {
      process.stdin.isTTY = isTTY;
    });

    it('refuses an unknown organization, names where to find the existing ones, and creates it on request', async () => {
      await succeed('org', 'create', organization);
      const typo = `${organization}s`;
      const { code, stdout, stderr } = await run('key', 'create', '--org', typo);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        new RegExp(`^There is no organization "${typo}"; there are \\d+ others, see org list`),
      );
      assert.match(stderr, /To make it, add --create\n$/);
      const known = await query(dms.service.sql, 'select from organizations where name = ?', [typo]);
      assert.equal(known.length, 0);
      assert.equal((await createKey()).id.length, 36);
      assert.equal((await succeed('key', 'create', '--org', typo, '--create')).length, 2);
    });
  });

  it('creates the organization with its first key, and prints the id and the key', async () => {
    const { id, token } = await createKey();
    assert.match(id, UUID);
    assert.equal(parseKeyKind(token), 'customer');
    assert.equal(await statusOf(token), 200);
    const [first] = await succeed('org', 'create', organization);
    const [same] = await succeed('org', 'create', ` ${organization.normalize('NFD')}\u00a0`);
    assert.equal(same, first);
    const [again] = await succeed('org', 'create', organization);
    const [row] = await query<{ organization_id: string }>(
      dms.service.sql,
      'select organization_id from api_keys where id = ?',
      [id],
    );
    assert.deepEqual([first, again], [row?.organization_id, row?.organization_id]);
  });

  it('creates device keys that work for device operations only', async () => {
    const { token } = await createKey('--kind', 'device');
    assert.equal(parseKeyKind(token), 'device');
    const refused = await dms.with(token).get('/assets');
    assert.equal(refused.status, 401);
    assert.match(
      String(refused.headers['www-authenticate']),
      /insufficient_scope.*valid, but for other operations/,
    );
    assert.equal((await dms.with(token).get('/devices/NONE/pending-config')).status, 404);
  });

  it('creates customer keys with a role and a name, and admins without a name by default', async () => {
    const reader = await createKey('--role', 'read', '--name', 'Auditor');
    assert.equal(await statusOf(reader.token), 200);
    assert.equal((await dms.with(reader.token).post('/assets', {})).status, 403);
    const { token } = await createKey();
    const { body } = await dms.with(token).get('/keys');
    const shown = body.items.map(({ role, name }: Record<string, string>) => [role, name]);
    assert.deepEqual(shown, [
      ['admin', `${token.slice(0, 'dms_live_'.length + 4)}…`],
      ['read', 'Auditor'],
    ]);
  });

  it('shows a key once and stores its hash', async () => {
    const { id, token } = await createKey();
    const [row] = await query<{ hash: Buffer; token_preview: string }>(
      dms.service.sql,
      'select hash, token_preview from api_keys where id = ?',
      [id],
    );
    assert.deepEqual(row?.hash, createHash('sha256').update(token).digest());
    assert.equal(row?.token_preview, `${token.slice(0, 'dms_live_'.length + 4)}…`);
    const lines = await succeed('key', 'list', '--org', organization);
    assert.ok(!lines.join().includes(token));
    assert.ok(!(await everythingStored()).includes(token.slice('dms_live_'.length + 4)));
  });

  async function everythingStored(): Promise<string> {
    const tables = await query<{ name: string }>(
      dms.service.sql,
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const texts = tables.map(async ({ name }) => {
      const rows = await query<{ text: string }>(dms.service.sql, `select t::text as text from ${name} t`);
      return rows.map(({ text }) => text).join('\n');
    });
    return (await Promise.all(texts)).join('\n');
  }

  it('lists keys with their state, of all organizations or of one', async () => {
    const active = await createKey();
    const revoked = await createKey();
    const expiring = await createKey('--expires', '1h');
    await query(dms.service.sql, 'update api_keys set expires_at = now() where id = ?', [expiring.id]);
    await succeed('key', 'revoke', revoked.id);
    const other = await dms.issueKey(dms.id, 'device');
    const [headings, ...lines] = await succeed('key', 'list', '--org', organization);
    assert.match(String(headings), /^ID +ORGANIZATION +KIND +KEY +STATE +CREATED +EXPIRES +ROLE +NAME$/);
    const stateOf = (id: string) =>
      lines.find((line) => line.startsWith(id))?.match(/ (active|revoked|expired) /)?.[1];
    assert.deepEqual(
      [active, revoked, expiring].map(({ id }) => stateOf(id)),
      ['active', 'revoked', 'expired'],
    );
    assert.equal(lines.length, 3);
    const all = await succeed('key', 'list');
    assert.ok(all.some((line) => line.startsWith(other.id) && / device +dev_.{4}… +active /.test(line)));
  });

  it('refuses a key as soon as it expires, even if it was just used', async () => {
    const { token } = await createKey('--expires', '90d');
    aheadMs = 90 * DAY_MS - MINUTE_MS;
    assert.equal(await statusOf(token), 200);
    aheadMs = 90 * DAY_MS - 1_000;
    assert.equal(await statusOf(token), 200);
    aheadMs = 90 * DAY_MS + 1;
    assert.equal(await statusOf(token), 401);
  });

  it('rotates a key: the new one works at once, the old one until the overlap ends', async () => {
    const old = await createKey();
    const [id, token, ...rest] = await succeed('key', 'rotate', old.id, '--overlap', '1h');
    assert.deepEqual(rest, []);
    assert.notEqual(id, old.id);
    assert.deepEqual(await Promise.all([old.token, String(token)].map(statusOf)), [200, 200]);
    aheadMs = 59 * MINUTE_MS;
    assert.deepEqual(await Promise.all([old.token, String(token)].map(statusOf)), [200, 200]);
    aheadMs = 61 * MINUTE_MS;
    assert.deepEqual(await Promise.all([old.token, String(token)].map(statusOf)), [401, 200]);
  });

  it('rotates a key with an overlap of a day by default, and keeps kind, organization and expiry', async () => {
    const old = await createKey('--kind', 'device', '--expires', '2h');
    const [id] = await succeed('key', 'rotate', old.id);
    const rows = await query<{ kind: string; organization_id: string; expires_at: Date }>(
      dms.service.sql,
      'select kind, organization_id, expires_at from api_keys where id in (?, ?)',
      [old.id, id],
    );
    assert.deepEqual(rows[1], rows[0], 'neither outlives the expiry of the old one');
    const forever = await createKey();
    await succeed('key', 'rotate', forever.id);
    aheadMs = DAY_MS - MINUTE_MS;
    assert.equal(await statusOf(forever.token), 200);
    aheadMs = DAY_MS + MINUTE_MS;
    assert.equal(await statusOf(forever.token), 401);
  });

  it('refuses to rotate or revoke a revoked or unknown key, with exit code 4 and one sentence', async () => {
    const { id } = await createKey();
    assert.deepEqual(await succeed('key', 'revoke', id), [`revoked ${id}`]);
    for (const [verb, gone] of [
      ['revoke', id],
      ['rotate', id],
      ['rotate', randomUUID()],
    ] as const) {
      const { code, stdout, stderr } = await run('key', verb, gone);
      assert.deepEqual({ code, stdout }, { code: 4, stdout: '' });
      assert.match(stderr, /^No active key has .+\n$/);
    }
  });

  it('returns exit code 4 for an organization that does not exist, whatever the command', async () => {
    for (const typed of [
      ['key', 'list', '--org', 'NOPE'],
      ['org', 'set', 'NOPE', '--allow-fleet-token'],
      ['fleet', 'confirm', '--org', 'NOPE'],
      ['certificate', 'upload', '--org', 'NOPE', 'A', 'package.json'],
    ]) {
      const { code, stdout, stderr } = await run(...typed);
      assert.deepEqual({ code, stdout }, { code: 4, stdout: '' }, `${typed.join(' ')}: ${stderr}`);
    }
  });

  describe('with wrong arguments', () => {
    const wrong: Array<[string[], RegExp]> = [
      [['key', 'create'], /^Required option '--org <NAME>' not specified\n$/],
      [['key', 'create', '--org'], /^Option '--org <NAME>' argument missing\n$/],
      [['key', 'create', '--org', ' '], /^NAME must have 1 to 128 characters, in one line\n$/],
      [['key', 'create', '--org', 'x'.repeat(129)], /^NAME must have 1 to 128 characters, in one line\n$/],
      [
        ['key', 'create', '--org', 'A', '--kind', 'admin'],
        /^Option '--kind <customer\|device>' argument 'admin' is invalid\. Allowed choices are customer, device\.\n$/,
      ],
      [['key', 'create', '--org', 'A', '--expires', 'soon'], /^--expires must be a number with d, h, m or s/],
      [['key', 'create', '--org', 'A', '--expires', '0d'], /^--expires must be longer than 0/],
      [['key', 'revoke', 'dms_live_x'], /^ID must be the id of a key: see key list\n$/],
      [['key', 'revoke', 'abcdef'.repeat(6)], /^ID must be the id of a key: see key list\n$/],
    ];

    it('exits with code 2 and one sentence on wrong arguments, and creates nothing', async () => {
      const before = await query(
        dms.service.sql,
        'select id from api_keys union select id from organizations',
      );
      for (const [typed, says] of wrong) {
        const { code, stdout, stderr } = await run(...typed);
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, typed.join(' '));
        assert.match(stderr, says);
        assert.doesNotMatch(stderr, /\n {4}at /);
      }
      const after = await query(
        dms.service.sql,
        'select id from api_keys union select id from organizations',
      );
      assert.equal(after.length, before.length);
    });
  });

  describe('as a process', () => {
    function spawn(databaseUrl: string, ...typed: string[]): Promise<Run> {
      const env = { ...process.env, DATABASE_URL: databaseUrl };
      return new Promise((resolve) => {
        execFile(process.execPath, [...CLI, ...typed], { cwd: ROOT, env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      });
    }

    it('prints nothing but the id and the key of a new key', async () => {
      const { code, stdout, stderr } = await spawn(
        dms.settings.databaseUrl,
        'key',
        'create',
        '--org',
        organization,
      );
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      assert.match(stdout, /^[0-9a-f-]{36}\ndms_live_[0-9A-Za-z]{49}\n$/);
    });

    it('exits with code 6 and one sentence without the password when there is no database', async () => {
      const nowhere = 'postgres://dms:hunter2hunter2@127.0.0.1:1/dms';
      const { code, stdout, stderr } = await spawn(nowhere, 'key', 'list');
      assert.deepEqual({ code, stdout }, { code: 6, stdout: '' });
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      assert.doesNotMatch(stderr, /hunter2/);
    });
  });
});
