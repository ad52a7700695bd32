/**
 * The programs that tests start as processes, in one bundle per run: Node.js takes a second of a processor to
 * find and load the 500 files one by one, and 0.1 s for the bundle. Packages are loaded as usual, and a file
 * keeps its own path, relative to which it finds others.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Loader } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where packages are found. */
const PARENT = join(ROOT, 'node_modules', '.cache');
const PROGRAMS = ['api', 'cli', 'gateway', 'worker']
  .map((name) => `src/bin/${name}`)
  .concat(['demo', 'start'].map((name) => `dev/bin/${name}`));
/** Imported by Node.js before a program of the bundle. */
const VALIDATION = 'test/support/validate-events';

let making: Promise<string> | undefined;

/** The folder of the bundle: that of the run, or else a new one, which is removed when this process ends. */
export function processBundle(): Promise<string> {
  const { PROCESS_BUNDLE } = process.env;
  making ??= PROCESS_BUNDLE === undefined ? bundlePrograms() : Promise.resolve(PROCESS_BUNDLE);
  return making;
}

/** The arguments for Node.js that run the program; an invalid event ends it. */
export const argumentsFor = (folder: string, program: string): string[] => [
  `--import=${pathToFileURL(join(folder, `${VALIDATION}.mjs`))}`,
  join(folder, program.replace(/\.ts$/, '.mjs')),
];

async function bundlePrograms(): Promise<string> {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, 'programs-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      ...Object.fromEntries(PROGRAMS.map((name) => [name, `${name}.ts`])),
      [VALIDATION]: `${VALIDATION}.mjs`,
    },
    outdir: folder,
    bundle: true,
    // One instance of each file, although there are several programs.
    splitting: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node20',
    packages: 'external',
    keepNames: true,
    logLevel: 'error',
    plugins: [{ name: 'own-urls', setup: ({ onLoad }) => onLoad({ filter: /\.(ts|mjs)$/ }, loadFile) }],
  });
  return folder;
}

/** Gives each file its own URL in place of the bundle's. */
function loadFile({ path }: { path: string }): { contents: string; loader: Loader } {
  const url = JSON.stringify(pathToFileURL(path).href);
  const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', url);
  return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
}
