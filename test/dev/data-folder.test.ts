/** Access to the data folder of a local start. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '../../dev/local/data-folder.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('The data folder', () => {
  let scratch: string;
  let folder: string;
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0o022);
    scratch = mkdtempSync(join(tmpdir(), 'dms-data-folder-'));
    folder = join(scratch, 'above', 'data');
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(scratch, { recursive: true });
  });

  function write(name: string, mode: number): string {
    const path = join(folder, name);
    writeFileSync(path, '');
    chmodSync(path, mode);
    return path;
  }

  it('refuses in one sentence a place where no folder can be created', () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    for (const impossible of [file, join(file, 'below'), '/proc/dms'])
      assert.throws(
        () => prepareDataFolder(impossible, { isPassedThrough: false }),
        /^Error: DATA_DIR must be a folder/,
      );
  });

  it('creates the folder and everything in it for its owner only', () => {
    prepareDataFolder(folder, { isPassedThrough: false });
    assert.equal(modeOf(folder), 0o700);
    assert.equal(modeOf(join(scratch, 'above')), 0o755);
    writeFileSync(join(folder, 'later'), '');
    mkdirSync(join(folder, 'below'));
    assert.deepEqual([modeOf(join(folder, 'later')), modeOf(join(folder, 'below'))], [0o600, 0o700]);
  });

  it("lets another user's server pass through the folder, but not list it", () => {
    prepareDataFolder(folder, { isPassedThrough: true });
    assert.equal(modeOf(folder), 0o711);
  });

  it('closes the folder and its files when an earlier start left it open', () => {
    mkdirSync(folder, { recursive: true });
    const names = [
      'secrets.key',
      'service.log',
      'temporal-1.31.0.db',
      'temporal-1.31.0.db-wal',
      'local.json',
    ];
    const paths = names.map((name) => write(name, 0o644));
    prepareDataFolder(folder, { isPassedThrough: false });
    assert.equal(modeOf(folder), 0o700);
    assert.deepEqual(paths.map(modeOf), Array(names.length).fill(0o600));
  });

  it('keeps the modes of a folder with other contents, and of files in it', () => {
    mkdirSync(folder, { recursive: true });
    const script = write('run.sh', 0o755);
    prepareDataFolder(folder, { isPassedThrough: false });
    assert.deepEqual([modeOf(folder), modeOf(script)], [0o755, 0o755]);
    write('secrets.key', 0o600);
    prepareDataFolder(folder, { isPassedThrough: false });
    assert.equal(modeOf(script), 0o755);
  });
});
