/** The nightly backup of the compose file, by its script; needs pg_dump of the version of the server, and psql. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS } from '../../src/process/durations.ts';
import { findTestProgram, PROGRAMS_PATH } from '../runner/programs.ts';
import { eventually, register } from '../support/fleet.ts';
import { processBundle } from '../support/process-bundle.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { run } from '../support/standby.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/backup.sh', import.meta.url));

describe('The backup of the compose file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-backups-'));
  const programs = mkdtempSync(join(tmpdir(), 'dms-programs-'));
  let dms: TestService;
  let drillUrl: string;
  let bundle: string;

  before(async function () {
    if (findTestProgram('pg_dump') === null || findTestProgram('psql') === null) return this.skip();
    bundle = await processBundle();
    installCommand();
    dms = await startService({ withWorker: false });
    drillUrl = await newDatabase();
    await register(dms, 'BACKED-UP');
  });
  after(async () => {
    await dms?.stop();
    for (const each of [folder, programs]) rmSync(each, { recursive: true, force: true });
  });

  /** The command line, which the image has on its path; afterwards, the shell runs the rest. */
  const installCommand = (afterwards = 'true') =>
    writeFileSync(
      join(programs, 'dms'),
      `#!/bin/sh\nnode ${join(bundle, 'src/bin/cli.mjs')} "$@" && ${afterwards}\n`,
      { mode: 0o755 },
    );

  const backup = (command: string, more: Record<string, string> = {}) =>
    promisify(execFile)('sh', [SCRIPT, command], { env: { ...environment(), ...more } });

  function environment(): NodeJS.ProcessEnv {
    const { hostname, port, username, password, pathname } = new URL(dms.settings.databaseUrl);
    return {
      ...process.env,
      PATH: `${programs}:${PROGRAMS_PATH}`,
      BACKUP_DIRECTORY: folder,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
      DRILL_DATABASE: new URL(drillUrl).pathname.slice(1),
    };
  }

  const dumps = () => readdirSync(folder).filter((name) => name.endsWith('.dump'));

  it('restores each backup into a database of its own, which it empties, and keeps the newest', async () => {
    for (const day of ['2026-01-01', '2026-01-02']) writeFileSync(join(folder, `dms-${day}.dump`), '');
    await assert.rejects(backup('check'), { code: 1, stdout: '', stderr: '' });
    const { stdout } = await backup('once', { BACKUPS_KEPT: '2' });
    assert.match(
      stdout,
      /was restored: organizations 1, devices 1, .*; the database has organizations 1, devices 1,/,
    );
    await backup('check');
    assert.equal(dumps().length, 2);
    assert.ok(!dumps().includes('dms-2026-01-01.dump'));
    const { rows } = await run(drillUrl, `select from pg_class where relnamespace = 'public'::regnamespace`);
    assert.deepEqual(rows, []);
  });

  it('removes no earlier backup after the database has lost its organizations', async () => {
    const earlier = dumps();
    const PGDATABASE = new URL(await newDatabase()).pathname.slice(1);
    await assert.rejects(
      backup('once', { PGDATABASE, BACKUPS_KEPT: '1' }),
      /has no organization, the one before had: organizations 1,/,
    );
    for (const name of earlier) assert.ok(dumps().includes(name), name);
  });

  it('fails when a backup cannot be restored, and its check once the last good one is older than a day', async () => {
    const before = readFileSync(join(folder, 'last-restored'), 'utf8');
    writeFileSync(join(programs, 'pg_restore'), '#!/bin/sh\necho pg_restore 18.0\ntest "$1" = --version\n', {
      mode: 0o755,
    });
    await assert.rejects(backup('once'), /pg_restore failed/);
    rmSync(join(programs, 'pg_restore'));
    assert.equal(readFileSync(join(folder, 'last-restored'), 'utf8'), before);
    const earlier = new Date(Date.now() - 2 * DAY_MS);
    utimesSync(join(folder, 'last-restored'), earlier, earlier);
    await assert.rejects(backup('check'), { code: 1, stdout: '', stderr: '' });
  });

  it('fails when a restored backup lacks all devices', async () => {
    installCommand(`case "$1" in restore) psql -q "$DATABASE_URL" -c 'truncate assets cascade' ;; esac`);
    await assert.rejects(
      backup('once'),
      /is not whole: organizations 1, devices 0,.* has organizations 1, devices 1,/,
    );
    installCommand();
  });

  it('lets one backup at a time use the database for restores', async () => {
    const [reached, released] = [join(programs, 'reached'), join(programs, 'released')];
    installCommand(
      `case "$1" in restore) touch ${reached}; until [ -e ${released} ]; do sleep 0.05; done ;; esac`,
    );
    const first = backup('once');
    await eventually(async () => existsSync(reached), Boolean);
    const second = backup('once');
    let waits = '';
    second.child.stderr?.on('data', (chunk) => (waits += chunk));
    try {
      await eventually(
        async () => waits,
        (text) => text.includes('waits for another backup'),
      );
    } finally {
      writeFileSync(released, '');
    }
    for (const { stdout } of await Promise.all([first, second])) assert.match(stdout, /was restored/);
    installCommand();
  });

  it('removes an interrupted backup before the next one begins', async () => {
    const interrupted = ['unfinished', '3fa85f64.unfinished'].map((end) =>
      join(folder, `dms-2026-01-03T090000Z.dump.${end}`),
    );
    for (const each of interrupted) writeFileSync(each, '');
    writeFileSync(join(programs, 'dms'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await assert.rejects(backup('once'), { code: 1 });
    installCommand();
    assert.deepEqual(interrupted.filter(existsSync), []);
  });

  it('rests for ten minutes after a backup that failed', async () => {
    const fakes = mkdtempSync(join(tmpdir(), 'dms-fakes-'));
    const calls = join(programs, 'calls');
    writeFileSync(calls, '');
    const write = (name: string, text: string) => writeFileSync(join(fakes, name), text, { mode: 0o755 });
    write('dms', `#!/bin/sh\necho backup >> ${calls}\nexit 1\n`);
    write('sleep', `#!/bin/sh\necho "$1" >> ${calls}\nexec /bin/sleep 0.05\n`);
    const env = { ...environment(), PATH: `${fakes}:${PROGRAMS_PATH}`, BACKUP_DIRECTORY: fakes };
    const nightly = spawn('sh', [SCRIPT, 'nightly'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const lines = await eventually(
        async () => readFileSync(calls, 'utf8').split('\n'),
        ({ length }) => length > 4,
      );
      assert.deepEqual(lines.slice(0, 4), ['backup', '540', '60', 'backup']);
    } finally {
      nightly.kill('SIGTERM');
      await once(nightly, 'exit');
      rmSync(fakes, { recursive: true });
    }
  });

  it('makes and restores a backup of each day by itself, from its hour on, also past midnight', async () => {
    const clock = mkdtempSync(join(tmpdir(), 'dms-clock-'));
    const write = (name: string, text: string) => writeFileSync(join(clock, name), text, { mode: 0o755 });
    // `date -u -d "23 hours ago" +%Y-%m-%d`
    write('date', `#!/bin/sh\necho >> ${clock}/asked\nexec /bin/date -u -d "$(cat ${clock}/now) $3" "$4"\n`);
    write('sleep', '#!/bin/sh\nexec /bin/sleep 0.05\n');
    write('asked', '');
    const setClock = (time: string) => {
      write('now.next', time);
      renameSync(join(clock, 'now.next'), join(clock, 'now'));
    };
    setClock('2027-01-05 22:50Z');
    const [yesterday, today] = [join(folder, 'dms-2027-01-04.dump'), join(folder, 'dms-2027-01-05.dump')];
    writeFileSync(yesterday, '');
    utimesSync(yesterday, new Date(0), new Date(0));
    const env = { ...environment(), PATH: `${clock}:${programs}:${PROGRAMS_PATH}`, BACKUP_HOUR: '23' };
    const nightly = spawn('sh', [SCRIPT, 'nightly'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    nightly.stdout.on('data', (chunk) => (printed += chunk));
    try {
      const rounds = () => readFileSync(join(clock, 'asked'), 'utf8').length;
      await eventually(
        async () => rounds(),
        (count) => count >= 3,
      );
      assert.ok(!existsSync(today));
      setClock('2027-01-06 00:10Z');
      await eventually(
        async () => printed,
        (text) => text.includes(`${today} was restored`),
      );
      await backup('check');
      const restoredAt = rounds();
      await eventually(
        async () => rounds(),
        (count) => count >= restoredAt + 3,
      );
      assert.equal(printed.match(/was restored/g)?.length, 1);
    } finally {
      nightly.kill('SIGTERM');
      await once(nightly, 'exit');
      rmSync(clock, { recursive: true });
    }
  });

  it('refuses to empty the database that it backs up', async () => {
    const present = new URL(dms.settings.databaseUrl).pathname.slice(1);
    await assert.rejects(backup('once', { DRILL_DATABASE: present }), /must be another one/);
  });
});
