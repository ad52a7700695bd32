/** Point-in-time recovery with the scripts of the compose file, on a PostgreSQL of its own; needs pg_basebackup of its version. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { findTestProgram, PROGRAMS_PATH } from '../runner/programs.ts';
import { eventually } from '../support/fleet.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { run } from '../support/standby.ts';

const script = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));

describe('Point-in-time recovery', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-archive-'));
  const dataDir = join(folder, 'postgres');
  const cluster = join(dataDir, 'cluster');
  const archive = join(folder, 'archive');
  let postgres: RunningPostgres;
  let database: string;

  before(async function () {
    if (findTestProgram('pg_basebackup') === null) return this.skip();
    chmodSync(folder, 0o755);
    mkdirSync(archive);
    // PostgreSQL runs as another user than root.
    chmodSync(archive, 0o777);
    await start();
    database = await migratedDatabase(postgres.url);
  });
  after(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    const archiving = {
      archive_mode: 'on',
      archive_command: `ARCHIVE=${archive} sh ${script('archive-wal.sh')} %p %f`,
    };
    const settings = { fsync: 'off', shared_buffers: '64MB', ...archiving };
    postgres = await startPostgres({ dataDir, log: () => {}, settings });
    database = withServer(database ?? postgres.url);
  }

  function withServer(url: string): string {
    const { port, password } = new URL(postgres.url);
    return Object.assign(new URL(url), { port, password }).href;
  }

  let kept = '2';

  function runScript(name: string, ...args: string[]) {
    const { hostname, port, username, password } = new URL(postgres.url);
    return promisify(execFile)('sh', [script(name), ...args], {
      env: {
        PATH: PROGRAMS_PATH,
        BASE_BACKUPS_KEPT: kept,
        ARCHIVE: archive,
        PGDATA: cluster,
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: password,
      },
    });
  }

  const baseBackups = () => readdirSync(archive).filter((name) => name.startsWith('base-'));

  async function namesOfOrganizations(): Promise<string[]> {
    const { rows } = await run(database, 'select name from organizations order by name');
    return rows.map(({ name }) => name);
  }

  const organization = (name: string) => run(database, `insert into organizations (name) values ('${name}')`);

  /** Closes the present segment of the log, and waits until the archive has it. */
  async function untilArchived(): Promise<void> {
    const { rows } = await run(postgres.url, 'select pg_walfile_name(pg_switch_wal()) as segment');
    await eventually(
      async () => readdirSync(archive),
      (names) => names.includes(rows[0].segment),
    );
  }

  const readMoment = async (): Promise<string> =>
    (await run(database, 'select clock_timestamp()::text as moment')).rows[0].moment;

  async function startAfterRecovery(): Promise<void> {
    await start();
    await eventually(
      () => run(postgres.url, 'select pg_is_in_recovery() as recovers'),
      ({ rows: [row] }) => row.recovers === false,
    );
  }

  let later: string;

  it('restores everything up to a moment, and nothing after it', async () => {
    await organization('before the copy');
    assert.match((await runScript('base-backup.sh')).stdout, /the log is kept from [0-9A-F]{24} on/);
    const [copy] = baseBackups();
    const earlier = new Date(Date.now() - HOUR_MS);
    utimesSync(join(archive, String(copy), 'backup_manifest'), earlier, earlier);
    renameSync(join(archive, String(copy)), join(archive, 'base-2026-01-02T000000Z'));
    await organization('after the copy');
    const moment = await readMoment();
    await organization('after the moment');
    later = await readMoment();
    await runScript('base-backup.sh');
    await run(database, 'delete from organizations');
    await untilArchived();
    await assert.rejects(runScript('restore-to-time.sh', moment), /PostgreSQL runs on this data/);
    await postgres.stop();

    await assert.rejects(
      runScript('restore-to-time.sh', '2026-01-01 00:00:00+00'),
      /no base backup is older/,
    );
    assert.match((await runScript('restore-to-time.sh', moment)).stdout, /is in place/);
    await startAfterRecovery();
    assert.deepEqual(await namesOfOrganizations(), ['after the copy', 'before the copy']);
  });

  it('restores everything that was archived after a recovery to a moment before the latest copy', async () => {
    await organization('after the first recovery');
    await untilArchived();
    await postgres.stop();
    await runScript('restore-to-time.sh');
    await startAfterRecovery();
    assert.deepEqual(await namesOfOrganizations(), [
      'after the copy',
      'after the first recovery',
      'before the copy',
    ]);
  });

  it('restores a later moment after a recovery that went back too far', async () => {
    await postgres.stop();
    await runScript('restore-to-time.sh', later);
    await startAfterRecovery();
    assert.deepEqual(await namesOfOrganizations(), ['after the copy', 'after the moment', 'before the copy']);
    // What was there before each recovery.
    assert.equal(readdirSync(dataDir).filter((name) => name.startsWith('cluster.before-')).length, 3);
  });

  it('restores everything that was archived when the data is lost, also after earlier recoveries', async () => {
    await runScript('base-backup.sh');
    await organization('after the second recovery');
    await untilArchived();
    const { uid, gid } = statSync(cluster);
    await postgres.stop();
    rmSync(cluster, { recursive: true });
    chownSync(archive, uid, gid);
    await runScript('restore-to-time.sh');
    await startAfterRecovery();
    assert.deepEqual(await namesOfOrganizations(), [
      'after the copy',
      'after the moment',
      'after the second recovery',
      'before the copy',
    ]);
  });

  it('keeps as many copies as wanted, and the log since the oldest of them', async () => {
    kept = '1';
    mkdirSync(join(archive, 'base-2026-01-02T000000Z.unfinished'));
    const first = baseBackups();
    await runScript('base-backup.sh');
    const { stdout } = await runScript('base-backup.sh');
    const [, begin = ''] = /kept from ([0-9A-F]{24})/.exec(stdout) ?? [];
    assert.equal(baseBackups().length, 1);
    assert.ok(!first.includes(baseBackups()[0] as string));
    const segments = readdirSync(archive).filter((name) => /^[0-9A-F]{24}$/.test(name));
    assert.deepEqual(
      segments.filter((name) => name < begin),
      [],
    );
  });

  it('archives a segment once, and refuses another one of the same name', async () => {
    const segment = join(folder, 'segment');
    writeFileSync(segment, 'first');
    const send = () => runScript('archive-wal.sh', segment, '0000000900000000000000FF');
    await send();
    await send();
    writeFileSync(segment, 'second');
    await assert.rejects(send(), /is in the archive with other contents/);
  });
});
