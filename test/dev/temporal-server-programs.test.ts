import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pinned } from '../../dev/embedded/temporal-cli-version.ts';
import { type FindTemporalServer, findTemporalServer } from '../../dev/embedded/temporal-server-programs.ts';

describe('Finding the Temporal server', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'temporal-server-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const cacheDir = () => join(root, 'cache');
  const cached = () => join(cacheDir(), `temporal-server-${pinned.server}`);
  const noBuild = () => Promise.reject(new Error('there is no Go on the PATH'));

  /** Programs that report this version. */
  function putPrograms(
    folder: string,
    version: string,
    names = ['temporal-server', 'temporal-sql-tool'],
  ): void {
    mkdirSync(folder, { recursive: true });
    for (const name of names) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "temporal version ${version}"\n`);
      chmodSync(join(folder, name), 0o755);
    }
  }

  const find = (
    env: Record<string, string> = {},
    build: FindTemporalServer['build'] = noBuild,
    print: FindTemporalServer['print'] = () => {},
  ) =>
    findTemporalServer({
      env: { PATH: join(root, 'path'), ...env },
      cacheDir: cacheDir(),
      print,
      build,
    });
  const folderOf = async (found: ReturnType<typeof find>) => join((await found).server, '..');

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await delay(20);
  }

  it('prefers the folder of TEMPORAL_SERVER_PATH, and reports one without a server', async () => {
    putPrograms(join(root, 'mine'), '1.30.0');
    putPrograms(cached(), pinned.server);
    assert.equal(await folderOf(find({ TEMPORAL_SERVER_PATH: join(root, 'mine') })), join(root, 'mine'));
    await assert.rejects(find({ TEMPORAL_SERVER_PATH: '/no/such' }), /TEMPORAL_SERVER_PATH is \/no\/such/);
  });

  it('uses the programs on the PATH if they are new enough and complete, else those in the cache', async () => {
    putPrograms(cached(), pinned.server);
    for (const [version, names, expected] of [
      [pinned.server, undefined, join(root, 'path')],
      ['2.0.0', undefined, join(root, 'path')],
      ['1.31.9', undefined, cached()],
      [pinned.server, ['temporal-server'], cached()],
    ] as const) {
      rmSync(join(root, 'path'), { recursive: true, force: true });
      putPrograms(join(root, 'path'), version, names && [...names]);
      assert.equal(await folderOf(find()), expected, `${version} ${names}`);
    }
  });

  it('builds both programs if there are none, and keeps them in the cache', async () => {
    let builds = 0;
    const build = async (folder: string) => {
      builds += 1;
      putPrograms(folder, pinned.server);
    };
    assert.equal(await folderOf(find({}, build)), cached());
    assert.equal(await folderOf(find({}, build)), cached());
    assert.equal(builds, 1);
    assert.deepEqual(readdirSync(cacheDir()), [`temporal-server-${pinned.server}`]);
  });

  describe('while another process builds them', () => {
    let other: ChildProcess;
    let unfinished: string;
    beforeEach(() => {
      other = spawn('sleep', ['30']);
      unfinished = join(cacheDir(), `unfinished-server-${other.pid}`);
      mkdirSync(unfinished, { recursive: true });
    });
    afterEach(() => other.kill());

    it('waits, names the other process, and uses its build', async () => {
      const lines: string[] = [];
      const found = find({}, noBuild, (line) => lines.push(line));
      await until(() => lines.length > 0);
      assert.match(lines[0] ?? '', new RegExp(`process ${other.pid}`));
      putPrograms(cached(), pinned.server);
      rmSync(unfinished, { recursive: true });
      assert.equal(await folderOf(found), cached());
    });

    it('ignores a process that reuses the pid of a killed one', async () => {
      const longAgo = new Date(Date.now() - 60_000);
      utimesSync(unfinished, longAgo, longAgo);
      const build = async (folder: string) => putPrograms(folder, pinned.server);
      assert.equal(await folderOf(find({}, build)), cached());
      assert.equal(other.exitCode, null);
    });

    it('builds the programs when the other process ends without them', async () => {
      const found = find({}, async (folder) => putPrograms(folder, pinned.server));
      other.kill();
      assert.equal(await folderOf(found), cached());
      assert.deepEqual(readdirSync(cacheDir()), [`temporal-server-${pinned.server}`]);
    });
  });

  it('signals continuously to others that it builds', async () => {
    const build = async (folder: string) => {
      utimesSync(folder, 0, 0);
      await until(() => statSync(folder).mtimeMs > 0);
      putPrograms(folder, pinned.server);
    };
    assert.equal(await folderOf(find({}, build)), cached());
  });

  it('keeps nothing of an incomplete build', async () => {
    const build = async (folder: string) => putPrograms(folder, pinned.server, ['temporal-server']);
    await assert.rejects(find({}, build), /There is no Temporal server/);
    assert.deepEqual(readdirSync(cacheDir()), []);
  });

  it('lists all remedies when there are no programs', async () => {
    await assert.rejects(find(), ({ message }: Error) => {
      for (const way of ['no Go on the PATH', 'TEMPORAL_SERVER_PATH', cached(), 'install Go'])
        assert.ok(message.includes(way), `${way} in ${message}`);
      return true;
    });
  });
});
