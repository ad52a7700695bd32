/**
 * Clients that third-party generators make of openapi.json, against the real service; skipped if one is not
 * installed.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../dev/source/imports.ts';
import { useService } from '../support/service.ts';
import { type Command, GENERATORS, type Generator } from './generators.ts';

const OPENAPI = `${ROOT}openapi.json`;
const SERIAL = '282C02424EED';
const document: {
  paths: Record<string, Record<string, { operationId?: string }>>;
  components: { schemas: Record<string, unknown> };
} = JSON.parse(readFileSync(OPENAPI, 'utf8'));
const NAMES = {
  schemas: Object.keys(document.components.schemas),
  operations: Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId }) => operationId ?? []),
};

/** Missing names, and the serial number that the program printed; or the generator is not installed. */
type Outcome = { missing: string[]; printed: string } | 'missing';

describe('Clients generated from openapi.json', () => {
  const service = useService({ withWorker: false });
  let parent: string;
  /** Generators run side by side, because each keeps one processor busy for seconds. */
  const outcomes = new Map<Generator, Promise<Outcome | Error>>();

  before(async () => {
    parent = mkdtempSync(join(tmpdir(), 'dms-generated-'));
    const { id, api } = await service.addOrganization();
    const { token } = await service.issueKey(id, 'customer');
    await api.post('/assets', { serialNumber: SERIAL, name: 'Fridge' });
    for (const generator of GENERATORS) {
      const folder = join(parent, generator.name);
      outcomes.set(
        generator,
        tryOut(generator, folder, [service.baseUrl, token]).catch((error: Error) => error),
      );
    }
  });
  after(async () => {
    await Promise.all(outcomes.values());
    rmSync(parent, { recursive: true });
  });

  for (const generator of GENERATORS) {
    it(`generates every operation, compiles and lists devices with ${generator.name}`, async function () {
      const outcome = await outcomes.get(generator);
      if (outcome === 'missing') {
        process.stdout.write(
          `    ${generator.name} is missing: its client is not tried (npm run test:programs)\n`,
        );
        return this.skip();
      }
      if (outcome instanceof Error) throw outcome;
      assert.deepEqual(outcome, { missing: Object.keys(generator.without ?? {}), printed: SERIAL });
    });
  }
});

/** Generates and builds a client, and lists devices with it. */
async function tryOut(generator: Generator, folder: string, access: string[]): Promise<Outcome> {
  mkdirSync(folder);
  if (!(await isThere(generator, folder))) return 'missing';
  for (const [name, text] of Object.entries(generator.files)) writeFileSync(join(folder, name), text);
  await run(generator.generate(OPENAPI), folder);
  for (const command of generator.build(folder)) await run(command, folder);
  const { command, env } = generator.run;
  const printed = await run({ command: [...command, ...access], env }, folder);
  return { missing: missing(generator, folder), printed: printed.trim() };
}

async function isThere({ isThere }: Generator, folder: string): Promise<boolean> {
  return run(isThere, folder).then(
    () => true,
    () => false,
  );
}

/** The output of the command; rejects with all of its output if it fails. */
async function run({ command, cwd, env }: Command, folder: string): Promise<string> {
  const [program, ...parameters] = command as [string, ...string[]];
  const options = { cwd: cwd ?? folder, env: { ...process.env, ...env }, maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await promisify(execFile)(program, parameters, options).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`);
  });
  return stdout;
}

function missing({ generated }: Generator, folder: string): string[] {
  const path = join(folder, generated.in);
  const text = statSync(path).isFile() ? readFileSync(path, 'utf8') : filesBelow(path);
  return NAMES[generated.of ?? 'operations'].filter((name) => !generated.pattern(name).test(text));
}

const filesBelow = (folder: string): string =>
  (readdirSync(folder, { recursive: true }) as string[]).map((name) => `/${name}`).join('\n');
