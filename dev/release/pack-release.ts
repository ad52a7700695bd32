/**
 * Packs the version of a clean checkout into a folder: packages of the clients, chart, image, the list of packages, notes,
 * provenance, and checksums of all of them. What a machine lacks the programs for is left out and named.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.ts';
import { capture } from './command.ts';
import { hasPythonBackend, packNpmClient, packPythonClient } from './pack-clients.ts';
import { hasHelm, packChart, packImage, writeBillOfMaterials } from './pack-service.ts';
import { baseImagesOf, checksumLines, type Digested, provenanceOf } from './provenance.ts';

export interface PackOptions {
  /** The folder of the checkout, and that of the packed files. */
  root: string;
  folder: string;
  source: string;
  builder: string;
  /** The program that builds images; null when there is none. */
  imageBuilder: string | null;
  getNow(): Date;
  print(line: string): void;
}

export interface Packed {
  version: string;
  files: string[];
}

export class PackFault extends Error {}

export function packRelease(options: PackOptions): Packed {
  const { root, folder, source, builder, getNow } = options;
  const startedAt = getNow();
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const notes = notesOf(read('CHANGELOG.md'), version);
  if (notes === null) throw new PackFault(`CHANGELOG.md must have a section ${version}, and has none`);
  if (capture(root, 'git', 'status', '--porcelain') !== '')
    throw new PackFault('the checkout must have no changes, so that its commit names all that is packed');
  const commit = capture(root, 'git', 'rev-parse', 'HEAD');

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const digest = (name: string): Digested => ({ name, sha256: sha256Of(join(folder, name)) });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return name;
  };

  const packages = [...packEach({ ...options, version, commit })];
  packages.push(write('release-notes.md', `${notes}\n`));
  const build = {
    ...{ version, commit, source, builder, startedAt, finishedAt: getNow() },
    lockFileSha256: sha256Of(join(root, 'package-lock.json')),
    baseImages: baseImagesOf(read('Dockerfile')),
  };
  const statement = provenanceOf(build, packages.map(digest));
  const files = [...packages, write('provenance.intoto.json', `${JSON.stringify(statement, null, 2)}\n`)];
  return { version, files: [...files, write('SHA256SUMS', checksumLines(files.map(digest)))] };
}

interface Packing extends PackOptions {
  version: string;
  commit: string;
}

/** The names of the files, each after it was packed. */
function* packEach({ root, folder, version, commit, imageBuilder, print }: Packing): Generator<string> {
  yield writeBillOfMaterials(root, folder, version);
  yield packNpmClient(root, folder);
  const committedAt = new Date(capture(root, 'git', 'show', '--no-patch', '--format=%cI', commit));
  if (hasPythonBackend()) yield* packPythonClient(root, folder, committedAt);
  else print('No package for Python: npm run release:programs installs its build backend.');
  if (hasHelm()) yield packChart(root, folder);
  else print('No chart: npm run release:programs installs Helm.');
  if (imageBuilder !== null) yield packImage(root, folder, { builder: imageBuilder, version, commit });
  else print('No image: none is wanted, or neither docker nor podman runs here.');
}

const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
