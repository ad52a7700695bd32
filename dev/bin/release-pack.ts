/** `npm run release:pack`: packs the version of this checkout into dist/release, and prints how to publish it. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain } from '../../src/process/run-main.ts';
import { packRelease } from '../release/pack-release.ts';
import { findImageBuilder } from '../release/pack-service.ts';
import { LOCAL_BUILDER, LOCAL_SOURCE } from '../release/provenance.ts';
import { publishCommands } from '../release/publish-commands.ts';
import { ROOT } from '../source/imports.ts';

const FOLDER = 'dist/release';
const USAGE = `npm run release:pack -- [FOLDER] [--source URI] [--builder URI] [--without-image]

  Packs the commit of this checkout, which must have no changes, into FOLDER (${FOLDER}), and prints how to publish it.

  --source   where the commit is from, for the provenance
  --builder  who packs it, for the provenance
  --without-image  packs no image, where base images cannot be pulled
`;
const OPTIONS = {
  source: { type: 'string', default: LOCAL_SOURCE },
  builder: { type: 'string', default: LOCAL_BUILDER },
  'without-image': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

await runMain(async () => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return void process.stdout.write(USAGE);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const folder = resolve(ROOT, positionals[0] ?? FOLDER);
  const { version, files } = packRelease({
    ...values,
    root: ROOT,
    folder,
    imageBuilder: values['without-image'] ? null : findImageBuilder(),
    getNow: () => new Date(),
    print,
  });
  print(`Packed ${version}: ${files.join(', ')}`);
  print(`To publish it:\n${publishCommands(version, files, FOLDER).join('\n')}`);
});
