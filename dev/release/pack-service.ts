/** The service as a release has it: its list of packages, its chart and its image. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { keepProduction } from './bill-of-materials.ts';
import { capture, run, succeeds } from './command.ts';
import { TEST_PROGRAMS } from './test-programs.ts';

const NAME = 'device-monitoring-service';
const HELM = join(TEST_PROGRAMS, 'bin/helm');

/** Writes a list of all packages that the service runs (CycloneDX), and returns the name of its file. */
export function writeBillOfMaterials(root: string, folder: string, version: string): string {
  const kind = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bill = keepProduction(JSON.parse(capture(root, 'npm', 'sbom', ...kind)), lock);
  const file = `${NAME}-${version}.cdx.json`;
  writeFileSync(join(folder, file), `${JSON.stringify(bill, null, 2)}\n`);
  return file;
}

export const hasHelm = (): boolean => existsSync(HELM);

export function packChart(root: string, folder: string): string {
  const printed = capture(root, HELM, 'package', 'deploy/chart', '--destination', folder);
  return basename(printed.split(' ').at(-1) as string);
}

/** The first program that can build images here; null when there is none. */
export const findImageBuilder = (): string | null =>
  ['docker', 'podman'].find((program) => succeeds(program, 'version')) ?? null;

interface Image {
  builder: string;
  version: string;
  commit: string;
}

export function packImage(root: string, folder: string, { builder, version, commit }: Image): string {
  const image = `${NAME}:${version}`;
  const labels = [
    `org.opencontainers.image.version=${version}`,
    `org.opencontainers.image.revision=${commit}`,
  ].flatMap((label) => ['--label', label]);
  const file = `${NAME}-${version}-image.tar`;
  run(root, builder, 'build', '--tag', image, ...labels, '.');
  run(root, builder, 'save', '--output', join(folder, file), image);
  return file;
}
