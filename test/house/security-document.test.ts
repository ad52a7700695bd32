/** SECURITY.md and docs/guarantees.md match the code, in both directions. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CERTIFICATE_BYTES_MAX } from '../../src/certificates/certificate.ts';
import { commands } from '../../src/commands/commands.ts';
import { createCookies } from '../../src/http/pages.ts';
import { ROLES } from '../../src/http/role.ts';
import { KEYS_MAX } from '../../src/keys/keys.service.ts';
import { LINK_MS, SESSION_MS } from '../../src/operator/session.ts';
import { SETTING_NAMES, validateEnvironment } from '../../src/process/environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const text = read('SECURITY.md');
const names = new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name as string));
const matching = (pattern: RegExp) => [...names].filter((name) => pattern.test(name));

/** Settings without an effect on the promises of SECURITY.md. A new setting belongs here or there. */
const WITHOUT_MEANING_FOR_SECURITY = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_UI_URL',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_TASK_QUEUE',
  'WORKFLOW_BUNDLE',
  'PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER_ARG',
  'DATABASE_POOLER',
  'DATABASE_REPLICA_LAG_SECONDS',
  'DATABASE_DISTRIBUTED',
  'DATABASE_POOL_SIZE',
  'DATABASE_TRANSFER_POOL_SIZE',
  'STATEMENT_TIMEOUT_SECONDS',
  'APPLY_CHUNK_SIZE',
  'LARGE_JOB_DEVICES',
  'WEBHOOK_DRAIN_PER_SECOND',
  'SMTP_TIMEOUT_SECONDS',
  'NOTIFICATION_INTERVAL_SECONDS',
  'WEBHOOK_RETENTION_DAYS',
  'MEASUREMENTS_RETENTION_DAYS',
  'JOB_RETENTION_DAYS',
  'ALERT_RETENTION_DAYS',
  'LAME_DUCK_SECONDS',
  'LOG_LEVEL',
  'PDF_FONTS',
];
/** Read by Temporal's package. */
const OF_TEMPORAL = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS'];

describe('SECURITY.md', () => {
  it('names every setting that concerns security, and none that does not exist', () => {
    const named = matching(/^[A-Z]+(_[A-Z]+)+$|^HOST$/);
    const expected = SETTING_NAMES.filter((name) => !WITHOUT_MEANING_FOR_SECURITY.includes(name));
    assert.deepEqual(named.sort(), [...expected, ...OF_TEMPORAL].sort());
    assert.deepEqual(
      WITHOUT_MEANING_FOR_SECURITY.filter((name) => !SETTING_NAMES.includes(name)),
      [],
    );
  });

  it('names every role and every cookie', () => {
    const { visitor, handoff } = createCookies({ baseUrl: 'https://dms.example', visitSeconds: 60 });
    const set: string[] = [];
    const ctx = { append: (_: string, value: string) => set.push(value) } as never;
    for (const cookie of [visitor, handoff]) cookie.set(ctx, 'value');
    for (const line of set) {
      const [, prefix = '', name = '', attributes = ''] = /^(__Host-)?(\w+)=value; (.+)$/.exec(line) ?? [];
      assert.ok(names.has(prefix) && names.has(name), line);
      for (const each of ['HttpOnly', 'SameSite=Lax', 'Secure'])
        assert.ok(names.has(each) && attributes.includes(each), each);
    }
    assert.deepEqual(
      ROLES.filter((role) => !names.has(role)),
      [],
    );
  });

  it('states for every column of bytes in the schema how it is stored', () => {
    const columns = [
      ...read('docs/schema.sql').matchAll(/^CREATE TABLE (?:\w+\.)?(\w+) \(([^;]*)/gm),
    ].flatMap(([, table, body = '']) =>
      [...body.matchAll(/^ {2}(\w+) bytea\b/gm)].map(([, column]) => `${table}.${column}`),
    );
    assert.ok(columns.includes('api_keys.hash'));
    assert.deepEqual(matching(/^[a-z_]+\.[a-z0-9_]+$/).sort(), columns.sort());
  });

  it('names commands that exist', () => {
    const known = commands.map(({ words, args }) => `${words.join(' ')} ${args}`);
    for (const command of matching(/^(dms )?(key|org|login|operator|device) ?\b/)) {
      const [words = '', option = ''] = command.replace(/^dms /, '').split(/ (?:NAME )?(?=--|$)/);
      assert.ok(
        known.some((each) => each.startsWith(words) && each.includes(option)),
        command,
      );
    }
  });

  it('contains the numbers of the code', () => {
    const { FAILED_KEYS_PER_MINUTE, MAILS_PER_ADDRESS_PER_HOUR, MAILS_PER_ORGANIZATION_PER_HOUR } =
      validateEnvironment({});
    for (const sentence of [
      `at most ${KEYS_MAX} keys and 200 sessions`,
      `${FAILED_KEYS_PER_MINUTE} failures a minute`,
      `at most ${MAILS_PER_ADDRESS_PER_HOUR} e-mails an hour and address, ${MAILS_PER_ORGANIZATION_PER_HOUR} an hour in all`,
      `${CERTIFICATE_BYTES_MAX / 1024 ** 2} MiB`,
      `once within ${LINK_MS / 60_000} minutes, sessions of ${SESSION_MS / 3_600_000} hours`,
    ])
      assert.ok(text.includes(sentence), sentence);
  });

  it('names tests that exist', () => assert.deepEqual(missingTests(text), []));
});

for (const document of ['SECURITY.md', 'CHANGELOG.md', 'docs/errors.md']) {
  describe(`The names in ${document}`, () => {
    it('names only operations and settings that exist', () => {
      const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, object> };
      for (const [, method = '', path = ''] of read(document).matchAll(/`([A-Z]+)\s(\/[^`\s]*)`/g))
        assert.ok(path === '/readyz' || method.toLowerCase() in (paths[path] ?? {}), `${method} ${path}`);
      for (const [, name = ''] of read(document).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g))
        assert.ok([...SETTING_NAMES, ...OF_TEMPORAL].includes(name), name);
    });
  });
}

describe('docs/guarantees.md', () => {
  const rows = read('docs/guarantees.md')
    .split('\n')
    .filter((line) => /^\| (?!Guarantee \|)/.test(line));

  it('names for each guarantee a test, or a program that proves it', () => {
    const unproved = rows.filter(
      (row) => !/`[^`]*\.test\.ts`|`test\/\w+\/`|`npm run |in every test/.test(row),
    );
    assert.deepEqual(unproved, []);
    assert.ok(rows.length > 100);
  });

  it('names tests that exist', () => assert.deepEqual(rows.flatMap(missingTests), []));
});

/**
 * Test files and folders in the text; a name without a folder belongs to the folder of the name before it.
 */
function missingTests(text: string): string[] {
  let folder = 'test';
  return [...text.matchAll(/`([\w/.-]+\.test\.ts|test\/[\w/]+\/)`/g)].flatMap(([, name = '']) => {
    const path = name.includes('/') ? name : `${folder}/${name}`;
    folder = name.endsWith('/') ? name.slice(0, -1) : dirname(path);
    return existsSync(join(ROOT, path)) && hasTests(path) ? [] : [path];
  });
}

const hasTests = (path: string): boolean =>
  !path.endsWith('/') || readdirSync(join(ROOT, path)).some((name) => name.endsWith('.test.ts'));
