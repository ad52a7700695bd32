/** Commands as README and docs print them, pasted into a shell beside a running service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startWebhookReceiver } from '../../dev/receiver/webhook-receiver.ts';
import { simOptions } from '../../dev/simulator/sim-options.ts';
import { commands } from '../../src/commands/commands.ts';
import { startService, type TestService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const RECEIVER = /^npm run receiver -- --port (\d+) --secret (\S+) --fail (\d+)$/m;
const LOCAL = { baseUrl: 'http://127.0.0.1', apiKey: 'k', deviceToken: 't', coapUrl: 'coap://127.0.0.1' };

/** What runs beside the shell, or takes long: other tests run these programs. */
const CHECKED: Array<[RegExp, (match: RegExpExecArray) => void]> = [
  [/^npm run sim -- --help$/, () => undefined],
  [/^npm run sim -- (.*)$/, ([, words = '']) => void simOptions(words.split(' '), LOCAL)],
  [RECEIVER, () => undefined],
  [/^npm run dms -- COMMAND$/, () => undefined],
  [/^npm run dms -- (.+)$/, ([, words = '']) => assert.ok(isCommand(words), `there is no command ${words}`)],
  [/^npm ci$/, () => undefined],
  [/^npm (?:run )?([\w:]+)/, ([, script = '']) => assert.ok(scripts[script], `there is no script ${script}`)],
  [/^socat OPENSSL-DTLS-SERVER:/, () => undefined],
];

const isCommand = (typed: string) =>
  typed.startsWith('--') || commands.some(({ words }) => `${typed} `.startsWith(`${words.join(' ')} `));

const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8');
const blocksOf = (document: string) =>
  [...textOf(document).matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].map(([, block]) => block as string);

/** What is typed in a terminal with the variables of the tour. */
const isTour = (block: string) => /^(?:api|device|from\(\))\b/m.test(block);

describe('The commands of README and docs', () => {
  let dms: TestService;
  let folder: string;

  before(async () => {
    dms = await startService();
    folder = mkdtempSync(join(tmpdir(), 'dms-commands-'));
    const [apiKey, deviceToken] = await Promise.all([
      dms.issueKey(dms.id, 'customer'),
      dms.issueKey(dms.id, 'device'),
    ]);
    mkdirSync(join(folder, '.data'));
    const local = { baseUrl: dms.baseUrl, apiKey: apiKey.token, deviceToken: deviceToken.token };
    writeFileSync(join(folder, '.data/local.json'), JSON.stringify(local));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await dms.stop();
  });

  it('are programs, scripts and options that exist', () => {
    for (const document of DOCUMENTS) {
      const outside = blocksOf(document).flatMap((block) =>
        isTour(block) ? [...(RECEIVER.exec(block) ?? [])].slice(0, 1) : block.split('\n'),
      );
      for (const line of outside) checkLine(line.replace(/\s+#.*$/, ''), document);
    }
  });

  it('are those of package.json and of the command line, in sentences too', () => {
    for (const document of DOCUMENTS) {
      for (const [, command = ''] of textOf(document).matchAll(/`(npm run [^`]+)`/g)) {
        checkLine(command.replace(/\s+/g, ' '), document);
      }
    }
  });

  it('are accepted by the service when the tour is pasted from its start to its end', async () => {
    const tour = DOCUMENTS.flatMap(blocksOf).filter(isTour).join('\n');
    const [line = '', port, secret = null, failFirst] = RECEIVER.exec(tour) ?? [];
    const receiver = await startWebhookReceiver({ port: 0, secret, failFirst: Number(failFirst) });
    const script = tour
      .replace(line, '')
      .replaceAll(`127.0.0.1:${port}`, new URL(receiver.url).host)
      .replace(/^.*# succeeded, within about a second.*$/m, 'sleep 1\n$&');
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder });
    await receiver.stop();
    assert.doesNotMatch(stdout, /"success":false/);
    const answers = stdout.split('\n').flatMap((each) => (each.startsWith('{') ? [JSON.parse(each)] : []));
    const [preview] = answers.find((answer) => answer.preview !== undefined).preview;
    assert.equal(preview.warnings.length, 1, String(preview.warnings));
    assert.match(preview.warnings[0], /until the device has shown its channels$/);
    const jobs = answers.filter(({ items }) => items?.[0]?.profileSlug === 'hot-water-guard');
    assert.deepEqual(
      jobs.map(({ items }) => items[0].status),
      ['running', 'succeeded'],
    );
    const configs = answers.flatMap(({ syncStatus }) => syncStatus ?? []);
    assert.equal(configs.at(-1), 'applied');
    assert.deepEqual(
      answers.flatMap(({ statusCode }) => statusCode ?? []),
      [503, 204],
    );
  }).timeout(20_000);
});

function checkLine(line: string, document: string): void {
  for (const command of line.split(' && ').filter((each) => each !== '')) {
    const [match, check] = CHECKED.map(([pattern, each]) => [pattern.exec(command), each] as const).find(
      ([found]) => found !== null,
    ) ?? [null];
    assert.ok(match && check, `${document}: no test runs \`${command}\``);
    check(match);
  }
}
