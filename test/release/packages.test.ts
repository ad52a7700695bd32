/** What `npm run release` packs: installed in empty projects, used against the service, and described by its provenance. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { productionPackages } from '../../dev/release/bill-of-materials.ts';
import { capture } from '../../dev/release/command.ts';
import { hasPythonBackend, packPythonClient } from '../../dev/release/pack-clients.ts';
import { type Packed, PackFault, type PackOptions, packRelease } from '../../dev/release/pack-release.ts';
import { hasHelm } from '../../dev/release/pack-service.ts';
import { LOCAL_SOURCE } from '../../dev/release/provenance.ts';
import { release } from '../../dev/release/release.ts';
import { ROOT } from '../../dev/source/imports.ts';
import { setEnvironment } from '../support/environment.ts';
import { startService, type TestService } from '../support/service.ts';
import { createRepository, type Repository } from './repository.ts';

const VERSION = '99.0.0';
const BUILDER = 'https://example.com/builder';
const PROJECTS = join(ROOT, 'test/release/projects');
const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');

describe('The files of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-packages-'));
  const packedTo = join(folder, 'release');
  const printed: string[] = [];
  let repository: Repository;
  let commit: string;
  let packed: Packed;
  let service: TestService;
  let restoreEnvironment: () => void;

  const packing = (root: string): PackOptions => ({
    root,
    folder: packedTo,
    source: LOCAL_SOURCE,
    builder: BUILDER,
    imageBuilder: null,
    getNow: () => new Date('2031-02-03T04:05:06Z'),
    print: (line) => void printed.push(line),
  });

  before(async () => {
    // As npm is set on many machines.
    restoreEnvironment = setEnvironment({ npm_config_ignore_scripts: 'true' });
    repository = createRepository();
    commit = release(
      { version: VERSION, isDryRun: false, isTagged: false },
      {
        root: repository.root,
        getNow: () => new Date('2031-02-03T04:05:06Z'),
        test: provideCompiler,
        pack: (checkout) => (packed = packRelease(packing(checkout))),
      },
    );
    service = await startService();
    await service.api.post('/devices/config-profiles', {
      slug: 'vaccine-fridge',
      temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
    });
  });
  after(async () => {
    restoreEnvironment();
    await service.stop();
    repository.remove();
    rmSync(folder, { recursive: true });
  });

  /** The fast compiler; test/client/package.test.ts builds the package with its own, which takes five seconds. */
  function provideCompiler(checkout: string): void {
    // Packages that are installed already stand in for those of `npm ci`.
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const programs = join(checkout, 'client/node_modules/.bin');
    mkdirSync(programs, { recursive: true });
    symlinkSync(COMPILER, join(programs, 'tsc'));
  }

  const fileLike = (name: RegExp): string =>
    join(packedTo, packed.files.find((each) => name.test(each)) as string);

  function project(name: string): string {
    const created = join(folder, name);
    mkdirSync(created);
    return created;
  }

  /** Runs a program that uses the installed package, and returns its last words. */
  async function use(command: string[], serial: string): Promise<string> {
    const [program, ...parameters] = command as [string, ...string[]];
    const { token } = await service.issueKey(service.id, 'customer');
    const { token: deviceToken } = await service.issueKey(service.id, 'device');
    const given = [...parameters, service.baseUrl, token, deviceToken, serial];
    return (await promisify(execFile)(program, given)).stdout.trim();
  }

  it('installs the npm package in an empty project, which compiles against it and applies a profile', async () => {
    const root = project('node');
    writeFileSync(join(root, 'package.json'), '{"private":true,"type":"module"}');
    const file = fileLike(/^device-monitoring-client-99\.0\.0\.tgz$/);
    capture(root, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', file);
    cpSync(join(PROJECTS, 'use-package.ts'), join(root, 'use-package.ts'));
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022'];
    capture(root, process.execPath, COMPILER, ...options, 'use-package.ts');
    const serial = '282C02424E01';
    assert.equal(await use([process.execPath, join(root, 'use-package.js')], serial), `${serial} succeeded`);
  });

  it('packs the client of a checkout by the words of its page', () => {
    const page = readFileSync(join(ROOT, 'client/README.md'), 'utf8');
    const [, words = ''] = /no scripts of packages, `([^`]+)`/.exec(page) ?? [];
    const checkout = repository.copy();
    provideCompiler(checkout.root);
    capture(checkout.root, 'sh', '-c', words);
    const listed = capture(checkout.root, 'sh', '-c', 'tar --list --file device-monitoring-client-*.tgz');
    assert.ok(listed.split('\n').includes('package/dist/index.js'), listed);
    checkout.remove();
  });

  it('installs the Python package in an empty environment, where it applies a profile', async function () {
    if (!hasPythonBackend()) return this.skip();
    const root = project('python');
    capture(root, 'python3', '-m', 'venv', '--without-pip', '.');
    const python = join(root, 'bin/python');
    const file = fileLike(/^device_monitoring_client-99\.0\.0-py3-none-any\.whl$/);
    capture(root, 'pip3', '--python', python, 'install', '--no-index', '--no-deps', file);
    const serial = '282C02424E02';
    assert.equal(await use([python, join(PROJECTS, 'use_package.py')], serial), `${serial} succeeded`);
  });

  it('packs the same Python package again from the same commit', function () {
    if (!hasPythonBackend()) return this.skip();
    const again = project('again');
    const committedAt = new Date(repository.git('show', '--no-patch', '--format=%cI', commit));
    const [wheel = ''] = packPythonClient(repository.root, again, committedAt);
    assert.ok(readFileSync(join(again, wheel)).equals(readFileSync(join(packedTo, wheel))));
  });

  it('names commit, builder and every file in the provenance, and lists sums that agree', () => {
    const { subject, predicate } = JSON.parse(readFileSync(fileLike(/^provenance/), 'utf8'));
    const [source] = predicate.buildDefinition.resolvedDependencies;
    assert.deepEqual(source, { uri: LOCAL_SOURCE, digest: { gitCommit: commit } });
    assert.equal(predicate.runDetails.builder.id, BUILDER);
    assert.deepEqual(
      [...subject.map(({ name }: { name: string }) => name), 'provenance.intoto.json', 'SHA256SUMS'],
      packed.files,
    );
    capture(packedTo, 'sha256sum', '--check', '--strict', 'SHA256SUMS');
  });

  it('lists the packages that the service runs, without those of its tests', () => {
    const bill = JSON.parse(readFileSync(fileLike(/\.cdx\.json$/), 'utf8'));
    const lock = JSON.parse(readFileSync(join(repository.root, 'package-lock.json'), 'utf8'));
    const listed: string[] = bill.components.map((each: Record<string, string>) => each['bom-ref']);
    assert.deepEqual(listed.toSorted(), [...productionPackages(lock)].toSorted());
    assert.ok(listed.some((each) => each.startsWith('koa@')));
    assert.ok(!listed.some((each) => each.startsWith('mocha@')));
    assert.equal(bill.metadata.component.name, 'device-monitoring-service');
    assert.equal(bill.metadata.component.version, VERSION);
  });

  it('puts the license into each package', function () {
    if (!hasPythonBackend()) return this.skip();
    const license = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim();
    const npm = fileLike(/^device-monitoring-client-/);
    assert.equal(
      capture(packedTo, 'tar', '--extract', '--to-stdout', '--file', npm, 'package/LICENSE'),
      license,
    );
    const installed = `python/lib/python*/site-packages/device_monitoring_client-${VERSION}.dist-info/licenses/LICENSE`;
    assert.equal(capture(folder, 'sh', '-c', `cat ${installed}`), license);
  });

  it('adds the notes of the changelog', () =>
    assert.equal(readFileSync(fileLike(/^release-notes/), 'utf8'), '### Added\n\n- A thing.\n'));

  it('names each file that the machine cannot pack', () => {
    const missing = [
      'No image',
      ...(hasHelm() ? [] : ['No chart']),
      ...(hasPythonBackend() ? [] : ['No package']),
    ];
    for (const each of missing) assert.ok(printed.some((line) => line.startsWith(each)));
  });

  it('refuses to pack changes that no commit names', () => {
    repository.write('openapi.json', '{}');
    assert.throws(() => packRelease(packing(repository.root)), PackFault);
    repository.git('checkout', '--quiet', '.');
  });
});
