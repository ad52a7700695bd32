/** The import rules of the house (docs: the rooms of src/), executed over every source file. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['src', 'dev', 'workflows', 'activities', 'migrations'];
/** Folders of src that are no slice: no noun of the API lives there. */
const ROOMS = ['process', 'http', 'db', 'temporal', 'commands', 'gateway', 'compose', 'bin'];
const ROLES = ['schemas', 'routes', 'service', 'repository'] as const;
/** They put the parts together: the service, a command of the command line, `npm start`. */
const COMPOSERS = ['src/compose/', 'src/commands/', 'dev/local/'];
/** What every room may import. */
const OWN_WORDS = ['src/process/errors.ts', 'src/process/iso-time.ts'];
/** Pure, although they stand beside what is not: words that both sides of Temporal have to share. */
const SHARED_WORDS = [...OWN_WORDS, 'src/temporal/workflow-ids.ts'];
/** Libraries and parts of Node that compute and do nothing else. */
const PURE_PACKAGES = ['node:crypto', 'node:zlib', 'ipaddr.js'];

/** What a simulated logger does and feels, apart from the effects. */
const LOGGER_MODEL = [
  'calendar-window',
  'climate',
  'device-effects',
  'device-messages',
  'device-state',
  'device-step',
  'apply-answer',
  'random',
  'rule-states',
  'sample-memory',
].map((name) => `dev/simulator/${name}.ts`);

/** What breaks a rule, by `importer → imported` or `file: rule`, and why. One that is not needed any more fails. */
const EXCEPTIONS: Record<string, string> = {
  'src/config-jobs/config-jobs.schemas.ts → src/devices/devices.schemas.ts':
    'a preview shows configurations, whose shape is described once',
  'src/config-jobs/config-jobs.routes.ts → src/profiles/profiles.schemas.ts':
    'apply has the slug of a profile in its path, whose shape is described once',
  'src/deliveries/deliveries.schemas.ts → src/endpoints/endpoints.schemas.ts':
    'a rotated secret has the shape of a new one, which is described once',
  'src/measurements/measurements.schemas.ts → src/devices/devices.schemas.ts':
    'a frame is answered with the change that a device fetches, whose shape is described once',
  'src/measurements/measurements.routes.ts → node:stream': 'the history as a table is streamed',
  'src/deliveries/sender.service.ts → node:dns/promises': 'the one file that talks to receivers',
  'src/deliveries/sender.service.ts → node:net': 'the one file that talks to receivers',
  'src/deliveries/sender.service.ts → undici': 'the one file that talks to receivers',
  'src/endpoints/secret-box.ts: is random': 'a nonce that callers could choose would be a nonce used twice',
};

interface Import {
  from: string;
  /** A path of this repository, or the name of a package. */
  to: string;
  isTypeOnly: boolean;
}

interface Source {
  path: string;
  text: string;
  tree: ts.SourceFile;
  imports: Import[];
}

const sources: Source[] = FOLDERS.flatMap(filesIn).map(sourceOf);
const byPath = new Map(sources.map((source) => [source.path, source]));

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function sourceOf(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return { path, text, tree, imports: [...importsOf(path, tree)] };
}

function* importsOf(path: string, tree: ts.SourceFile): Generator<Import> {
  for (const node of nodesOf(tree)) {
    if (ts.isImportDeclaration(node)) yield imported(path, node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      yield imported(path, node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      yield imported(path, node.arguments[0] as ts.Expression, false);
    }
  }
}

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

function imported(path: string, specifier: ts.Expression, isTypeOnly: boolean): Import {
  const text = ts.isStringLiteralLike(specifier) ? specifier.text : specifier.getText();
  const to = text.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), text)) : text;
  return { from: path, to, isTypeOnly };
}

type Role = (typeof ROLES)[number] | 'pure';

/** The slice of a path and its role there; null for all other files and for packages. */
function placeOf(path: string): { slice: string; role: Role } | null {
  const [root, folder, name, ...deeper] = path.split('/');
  if (root !== 'src' || !folder || !name || deeper.length > 0 || ROOMS.includes(folder)) return null;
  const role = ROLES.find((each) => name.endsWith(`.${each}.ts`)) ?? 'pure';
  return { slice: folder, role };
}

const isPure = (path: string) =>
  placeOf(path)?.role === 'pure' || SHARED_WORDS.includes(path) || PURE_PACKAGES.includes(path);
const isIn =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(folder));
const isOneOf =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);
const filesOf = (role: Role) => sources.filter(({ path }) => placeOf(path)?.role === role);
const isOwn = (from: string, to: string, role: Role) => {
  const [a, b] = [placeOf(from), placeOf(to)];
  return a !== null && a.slice === b?.slice && b.role === role;
};

const needed = new Set<string>();

function excused(breach: string): boolean {
  if (!Object.hasOwn(EXCEPTIONS, breach)) return false;
  needed.add(breach);
  return true;
}

/** Each import of the files that runs code is allowed, and types too unless `types` says that they are free. */
function allow(
  files: Source[],
  isAllowed: (to: string, from: string, isTypeOnly: boolean) => boolean,
  { areTypesFree = true } = {},
): void {
  assert.ok(files.length > 0, 'over no file at all');
  const breaches = files
    .flatMap(({ imports }) => imports)
    .filter(({ isTypeOnly }) => !(isTypeOnly && areTypesFree))
    .filter(({ from, to, isTypeOnly }) => !isAllowed(to, from, isTypeOnly))
    .map(({ from, to }) => `${from} → ${to}`)
    .filter((breach) => !excused(breach));
  assert.deepEqual(breaches, []);
}

/** No node of the files is of this sort. */
function forbid(files: Source[], rule: string, isBreach: (node: ts.Node) => boolean): void {
  assert.ok(files.length > 0, 'over no file at all');
  const breaches = files
    .filter(({ path }) => !excused(`${path}: ${rule}`))
    .flatMap(({ path, tree }) =>
      [...nodesOf(tree)].filter(isBreach).map((node) => {
        const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
        return `${path}:${line + 1}: ${rule}`;
      }),
    );
  assert.deepEqual(breaches, []);
}

const isAccess = (object: string, member: string) => (node: ts.Node) =>
  ts.isPropertyAccessExpression(node) && node.expression.getText() === object && node.name.text === member;
const isClock = (node: ts.Node) =>
  isAccess('Date', 'now')(node) ||
  isAccess('performance', 'now')(node) ||
  (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length);
const RANDOM = ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues'];
const isRandomness = (node: ts.Node) =>
  isAccess('Math', 'random')(node) || (ts.isIdentifier(node) && RANDOM.includes(node.text));

describe('The house', () => {
  describe('in its slices', () => {
    it('has files without a role that import only such files, errors and times', () =>
      allow(filesOf('pure'), isPure));

    it('has schemas that import joi, what all resources share, and pure files', () =>
      allow(filesOf('schemas'), (to) => isOneOf('joi', 'src/http/schemas.ts')(to) || isPure(to)));

    it('has repositories that import the database, their own neighbours, and pure files', () =>
      allow(
        filesOf('repository'),
        (to, from) =>
          isIn('src/db/')(to) || to === 'lru-cache' || isPure(to) || isOwn(from, to, 'repository'),
      ));

    it('has repositories that know of knex only its types', () => {
      const importing = filesOf('repository').flatMap(({ imports }) =>
        imports.filter(({ to }) => to === 'knex'),
      );
      assert.deepEqual(
        importing.filter(({ isTypeOnly }) => !isTypeOnly),
        [],
      );
    });

    it('has services that import pure files and the database; what they need is passed in', () =>
      allow(filesOf('service'), (to) => isIn('src/db/')(to) || to === 'lru-cache' || isPure(to)));

    it('has routes that import http, their own schemas, and pure files', () =>
      allow(
        filesOf('routes'),
        (to, from) => isIn('src/http/')(to) || isOwn(from, to, 'schemas') || isPure(to),
      ));

    it('lets a slice run nothing of another slice but its pure files', () =>
      allow(
        sources.filter(({ path }) => placeOf(path) !== null),
        (to, from) => {
          const other = placeOf(to);
          return other === null || other.slice === placeOf(from)?.slice || other.role === 'pure';
        },
      ));
  });

  describe('in its rooms', () => {
    it('has http, which knows errors, times and its libraries, and no slice, also not by type', () => {
      const files = sources.filter(({ path }) => path.startsWith('src/http/'));
      allow(
        files,
        (to) =>
          isIn('src/http/', 'src/db/', 'node:')(to) ||
          isOneOf('koa', '@koa/router', 'joi', 'lru-cache', 'prom-client', ...OWN_WORDS)(to),
      );
      allow(files, (to) => placeOf(to) === null, { areTypesFree: false });
    });

    it('has a database room that knows no slice and of the rest only types', () => {
      const files = sources.filter(({ path }) => path.startsWith('src/db/'));
      allow(
        files,
        (to) =>
          isIn('src/db/', 'migrations/', 'node:')(to) || isOneOf('knex', 'pg', 'src/process/errors.ts')(to),
      );
      allow(files, (to) => placeOf(to) === null, { areTypesFree: false });
    });

    it('has embedded servers that know nothing of the service', () =>
      allow(
        sources.filter(({ path }) => path.startsWith('dev/embedded/')),
        (to) => isIn('dev/embedded/', 'node:')(to) || isOneOf('pg', '@temporalio/client')(to),
        { areTypesFree: false },
      ));

    it('has one room that starts and signals workflows', () => {
      const importing = sources
        .filter(({ imports }) =>
          imports.some(({ to, isTypeOnly }) => to === '@temporalio/client' && !isTypeOnly),
        )
        .map(({ path }) => path);
      assert.deepEqual(
        importing.filter((path) => path.startsWith('src/') && !path.startsWith('src/temporal/')),
        [],
      );
    });

    it('has workflows that import Temporal, pure files, and of the activities only types', () =>
      allow(
        sources.filter(({ path }) => path.startsWith('workflows/')),
        (to) => to === '@temporalio/workflow' || isPure(to) || isIn('workflows/')(to),
      ));

    it('has workflows whose types, too, come from activities and pure files', () =>
      allow(
        sources.filter(({ path }) => path.startsWith('workflows/')),
        (to) => isIn('@temporalio/', 'activities/', 'workflows/')(to) || isPure(to),
        { areTypesFree: false },
      ));

    it('has activities that import Temporal, pure files, and of the rest only types', () =>
      allow(
        sources.filter(({ path }) => path.startsWith('activities/')),
        (to) => to === '@temporalio/activity' || isPure(to) || isIn('activities/')(to),
      ));

    it('has migrations that import nothing: what they say stays as it was', () =>
      allow(
        sources.filter(({ path }) => path.startsWith('migrations/') && path !== 'migrations/index.ts'),
        (to, _, isTypeOnly) => to === 'knex' && isTypeOnly,
        { areTypesFree: false },
      ));

    it('has one place that knows everybody: nobody else runs repositories, services or routes of slices', () =>
      allow(
        sources.filter(({ path }) => placeOf(path) === null && !isIn(...COMPOSERS)(path)),
        (to) => placeOf(to) === null || isPure(to),
      ));

    it('has process entries that import the composition root and no slice', () =>
      allow(
        sources.filter(({ path }) =>
          ['src/bin/api.ts', 'src/bin/worker.ts', 'src/bin/gateway.ts', 'dev/bin/start.ts'].includes(path),
        ),
        (to) => placeOf(to) === null,
        { areTypesFree: false },
      ));

    it('has no imports in a circle', () => {
      const circles: string[] = [];
      const done = new Set<string>();
      function walk(path: string, above: string[]): void {
        if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '));
        if (above.includes(path) || done.has(path)) return;
        const next = byPath.get(path)?.imports.filter(({ isTypeOnly }) => !isTypeOnly) ?? [];
        for (const { to } of next) walk(to, [...above, path]);
        done.add(path);
      }
      for (const { path } of sources) walk(path, []);
      assert.deepEqual(circles, []);
    });
  });

  describe('in its files', () => {
    it('reads process.env in src/process/config.ts alone', () =>
      forbid(
        sources.filter(({ path }) => path !== 'src/process/config.ts'),
        'reads process.env',
        isAccess('process', 'env'),
      ));

    it('has no clock in pure files', () => forbid(filesOf('pure'), 'reads the clock', isClock));

    it('has no randomness in pure files', () => forbid(filesOf('pure'), 'is random', isRandomness));

    it('has no clock and no randomness in schemas, repositories and routes', () => {
      const files = [...filesOf('schemas'), ...filesOf('repository'), ...filesOf('routes')];
      forbid(files, 'reads the clock', isClock);
      forbid(files, 'is random', isRandomness);
    });

    it('has no any', () => forbid(sources, 'says any', (node) => node.kind === ts.SyntaxKind.AnyKeyword));

    it('has a simulated logger without clock, randomness and network', () => {
      const model = sources.filter(({ path }) => LOGGER_MODEL.includes(path));
      assert.equal(model.length, LOGGER_MODEL.length);
      allow(model, (to) => LOGGER_MODEL.includes(to) || isIn('src/gateway/')(to) || isPure(to));
      forbid(model, 'reads the clock', isClock);
      forbid(model, 'is random', isRandomness);
    });

    it('has no enum, no decorator and no default export', () => {
      forbid(sources, 'declares an enum', ts.isEnumDeclaration);
      forbid(sources, 'has a decorator', ts.isDecorator);
      forbid(
        sources,
        'exports by default',
        (node) => node.kind === ts.SyntaxKind.DefaultKeyword && ts.isExportAssignment(node.parent),
      );
      forbid(sources, 'exports by default', ts.isExportAssignment);
    });

    it('passes nothing on from another file, but for the workflows that Temporal bundles', () =>
      forbid(
        sources.filter(({ path }) => path !== 'workflows/index.ts'),
        'exports from another file',
        (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined,
      ));

    it('is named in kebab-case, with at most a role', () => {
      const name = /^(\d{3}-)?[a-z0-9]+(-[a-z0-9]+)*(\.(schemas|routes|service|repository))?\.ts$/;
      const others = sources
        .map(({ path }) => path)
        .filter((path) => !name.test(path.split('/').at(-1) as string));
      assert.deepEqual(others, []);
    });
  });

  // In a suite of its own, which comes last.
  describe('in its exceptions', () => {
    it('has none that is not needed any more', () => {
      const rest = Object.keys(EXCEPTIONS).filter((breach) => !needed.has(breach));
      assert.deepEqual(rest, [], 'take these out of EXCEPTIONS');
    });
  });
});
