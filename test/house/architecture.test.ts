/**
 * Rules for imports between folders, and for files by their role. Rules that the linter can check are in
 * biome.json.
 */
import assert from 'node:assert/strict';
import ts from 'typescript';
import { type Import, readSources, type Source } from './sources.ts';

/** From the lowest floor to the highest: a folder imports from lower floors only, types included. */
const FLOORS = [
  'client/src',
  'src/process',
  'migrations',
  'src/db',
  'src/http',
  // The slices.
  'src/keys',
  'src/audit',
  'src/mutes',
  'src/presence',
  'src/devices',
  'src/profiles',
  'src/assets',
  'src/certificates',
  'src/config-jobs',
  'src/groups',
  'src/measurements',
  'src/alerts',
  'src/statistics',
  'src/events',
  'src/endpoints',
  'src/deliveries',
  'src/fleet',
  'src/notifications',
  'src/escalations',
  'src/operator',
  'src/site',
  // Above the slices.
  'src/temporal',
  'activities',
  'workflows',
  'src/gateway',
  'src/compose',
  'src/commands',
  'src/bin',
  // Not part of production.
  'dev/source',
  'dev/embedded',
  'dev/schema',
  'dev/receiver',
  'dev/local',
  'dev/simulator',
  'dev/demo',
  'dev/client',
  'dev/release',
  'dev/balancer',
  'dev/ledger',
  'dev/bin',
];
const SLICES = FLOORS.slice(FLOORS.indexOf('src/keys'), FLOORS.indexOf('src/temporal'));
/** Compose the service, so they may know every slice. */
const COMPOSERS = ['src/compose', 'src/commands', 'dev/local'];

const ROLES = ['schemas', 'routes', 'service', 'repository', 'metrics'] as const;
type Role = (typeof ROLES)[number] | 'pure';

/** Pure, although their folders are no slices. */
const PURE_FILES = [
  'migrations/partitioned-tables.ts',
  'client/src/http-fields.ts',
  'src/db/array-text.ts',
  'src/db/faults.ts',
  'src/http/api-document.ts',
  'src/http/one-line.ts',
  'src/http/role.ts',
  'src/process/background-tasks.ts',
  'src/process/bounded-cache.ts',
  'src/process/counts.ts',
  'src/process/cut-text.ts',
  'src/process/durations.ts',
  'src/process/errors.ts',
  'src/process/grouped.ts',
  'src/process/iso-time.ts',
  'src/process/keyed-semaphore.ts',
  'src/process/markdown-text.ts',
  'src/process/mask-keys.ts',
  'src/process/memoized.ts',
  'src/process/partition-point.ts',
  'src/process/pages.ts',
  'src/process/shared-reads.ts',
  'src/process/signer.ts',
  'src/process/uuid.ts',
  'src/temporal/workflow-ids.ts',
];
/** Compute, without effects. */
const PURE_PACKAGES = [
  'node:crypto',
  'node:url',
  'node:zlib',
  'csv-parse/sync',
  'ipaddr.js',
  'lru-cache',
  'marked',
  'minisearch',
];

/** Loads packages without running them, so that `npm run dev` starts fast. */
const LOADED_AHEAD = 'dev/bin/dev-service.ts';

/** Files that may run the packages with effects, by the beginning of the path; types are free. */
const PACKAGES: Record<string, string[]> = {
  '@bufbuild/protobuf': ['src/gateway/'],
  '@bufbuild/protobuf/codegenv2': ['src/gateway/generated/'],
  '@bufbuild/protobuf/wire': ['src/gateway/'],
  '@temporalio/activity': ['activities/'],
  '@temporalio/client': ['src/temporal/', 'dev/embedded/'],
  '@temporalio/envconfig': ['src/process/'],
  '@temporalio/common': ['src/temporal/'],
  '@temporalio/common/lib/time.js': ['src/temporal/'],
  '@temporalio/worker': ['src/temporal/', LOADED_AHEAD],
  '@temporalio/workflow': ['workflows/'],
  'ajv/dist/2020.js': ['dev/ledger/'],
  'ajv-formats': ['dev/ledger/'],
  'coap-packet': ['src/gateway/', 'dev/simulator/'],
  commander: ['src/commands/'],
  joi: ['src/process/', 'src/http/', LOADED_AHEAD],
  knex: ['src/db/', LOADED_AHEAD],
  koa: ['src/http/', LOADED_AHEAD],
  nodemailer: ['src/notifications/mailer.service.ts'],
  'openapi-typescript': ['dev/client/'],
  pg: ['src/db/', 'dev/'],
  'openid-client': ['src/operator/identity-provider.service.ts'],
  pino: ['src/process/', 'dev/'],
  fontkit: ['src/statistics/record-fonts.service.ts'],
  pdfkit: ['src/statistics/statistics-page.service.ts'],
  'prom-client': ['src/http/'],
  standardwebhooks: ['dev/ledger/'],
  undici: ['src/deliveries/sender.service.ts', 'dev/simulator/', LOADED_AHEAD],
};
/** Parts of Node with effects that single files of slices need. */
const NODE_IN_SLICES: Record<string, string[]> = {
  'node:diagnostics_channel': ['src/deliveries/sender.service.ts', 'src/events/events.service.ts'],
  'node:dns/promises': ['src/deliveries/name-resolver.service.ts'],
  // The hosts file.
  'node:fs': ['src/deliveries/name-resolver.service.ts'],
  'node:stream': ['src/operator/watch.service.ts'],
  'node:net': ['src/deliveries/name-resolver.service.ts', 'src/deliveries/sender.service.ts'],
};

/** A simulated logger without its effects. */
const LOGGER_MODEL = [
  'apply-answer',
  'climate',
  'device-effects',
  'device-messages',
  'device-state',
  'device-step',
  'logger-messages',
  'random',
  'rule-states',
  'sample-memory',
].map((name) => `dev/simulator/${name}.ts`);

/** The oracle of the ledger, and the plan of its faults. */
const LEDGER_ORACLE = [
  'alerts-oracle',
  'devices-oracle',
  'escalations-oracle',
  'events-oracle',
  'fault-plan',
  'jobs-oracle',
  'ledger-table',
  'memory-oracle',
  'oracle',
  'readings-oracle',
  'records',
].map((name) => `dev/ledger/${name}.ts`);

/**
 * Exceptions, as `importer → imported` or `file: rule`, with the reason. One that is no longer needed fails.
 */
const EXCEPTIONS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries({
      'src/commands/doctor-checks.ts': 'compares the clock of the machine with others',
      'src/commands/operation-commands.ts': 'a person means the time of their own machine',
      'src/commands/webhook-commands.ts': 'signs a message, and stores nothing',
      'src/compose/resources.ts': 'the clock of the process until the database has answered',
      'src/compose/sweeps.ts': 'a metric, which monitoring compares with its own clock',
      'src/db/migrate.ts': 'partitions reach days ahead, and are made again when they are needed',
      'src/temporal/connection.ts': 'a limit for a call, which is compared in the same process',
      'src/temporal/set-up-namespace.ts': 'a limit for a step, which is compared in the same process',
      'workflows/run.ts': 'people read as of when the details of a run are',
      'workflows/apply-profile.ts': 'an attribute for people says how overdue a device is',
      'workflows/deliver-webhooks.ts': 'an attribute for people says how long an endpoint has been failing',
    }).map(([path, reason]) => [`${path}: reads the clock of the machine`, reason]),
  ),
  'src/endpoints/secret-box.ts: is random': 'a nonce that callers could choose would be a nonce used twice',
};

const sources = readSources(['client/src', 'src', 'dev', 'workflows', 'activities', 'migrations']);

const isPackage = (to: string) => !to.endsWith('.ts');
const floorOf = (path: string) => FLOORS.findIndex((floor) => path.startsWith(`${floor}/`));
const sliceOf = (path: string) => SLICES.find((slice) => path.startsWith(`${slice}/`)) ?? null;
const isIn = (path: string, beginnings: string[]) => beginnings.some((each) => path.startsWith(each));
const filesIn = (...beginnings: string[]) => sources.filter(({ path }) => isIn(path, beginnings));

/** The role of a file of a slice; null elsewhere. */
const roleOf = (path: string): Role | null =>
  sliceOf(path) === null ? null : (ROLES.find((role) => path.endsWith(`.${role}.ts`)) ?? 'pure');
const filesOf = (...roles: Role[]) =>
  sources.filter(({ path }) => roles.some((role) => roleOf(path) === role));

const isPure = (to: string) => roleOf(to) === 'pure' || PURE_FILES.includes(to) || PURE_PACKAGES.includes(to);
const isShape = (to: string) => roleOf(to) === 'schemas' || isPure(to);
const isOwn = ({ from, to }: Import, role: Role) => sliceOf(from) === sliceOf(to) && roleOf(to) === role;

const needed = new Set<string>();

function isExcused(breach: string): boolean {
  if (!Object.hasOwn(EXCEPTIONS, breach)) return false;
  needed.add(breach);
  return true;
}

/**
 * Checks that every import of the files is allowed. Type-only imports are free unless `types` says otherwise.
 */
function allow(
  files: Source[],
  isAllowed: (each: Import) => boolean,
  { types = false }: { types?: boolean } = {},
): void {
  assert.ok(files.length > 0, 'the rule applies to no file');
  const breaches = files
    .flatMap(({ imports }) => imports)
    .filter(({ isTypeOnly }) => types || !isTypeOnly)
    .filter((each) => !isAllowed(each))
    .map(({ from, to }) => `${from} → ${to}`)
    .filter((breach) => !isExcused(breach));
  assert.deepEqual(breaches, []);
}

/** Checks that no node of the files is of this sort. */
function forbid(files: Source[], rule: string, isBreach: (node: ts.Node) => boolean): void {
  assert.ok(files.length > 0, 'the rule applies to no file');
  const breaches = files
    .filter(({ path, nodes }) => nodes.some(isBreach) && !isExcused(`${path}: ${rule}`))
    .map(({ path }) => `${path}: ${rule}`);
  assert.deepEqual(breaches, []);
}

const isAccess = (node: ts.Node, object: string, member: string) =>
  ts.isPropertyAccessExpression(node) && node.expression.getText() === object && node.name.text === member;
const isClock = (node: ts.Node) =>
  isAccess(node, 'Date', 'now') ||
  isAccess(node, 'performance', 'now') ||
  (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length);
const isMachineClock = (node: ts.Node) => isClock(node) && !isAccess(node, 'performance', 'now');
const RANDOM = ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues'];
const isRandomness = (node: ts.Node) =>
  isAccess(node, 'Math', 'random') || (ts.isIdentifier(node) && RANDOM.includes(node.text));

describe('The architecture', () => {
  describe('between folders', () => {
    it('gives every folder a floor', () => {
      const others = sources.map(({ path }) => path).filter((path) => floorOf(path) === -1);
      assert.deepEqual(others, []);
    });

    it('lets no import run up, types included', () =>
      allow(sources, ({ from, to }) => isPackage(to) || floorOf(to) <= floorOf(from), { types: true }));

    it('lets only the composition root, the commands and the local start run roles of slices', () =>
      allow(
        sources.filter(({ path }) => sliceOf(path) === null && !isIn(path, COMPOSERS)),
        ({ to }) => sliceOf(to) === null || isPure(to),
      ));

    it('lets a package with effects be run by its own folders only', () =>
      allow(
        sources.filter(({ path }) => !path.endsWith('.schemas.ts')),
        ({ from, to }) =>
          !isPackage(to) ||
          to.startsWith('node:') ||
          PURE_PACKAGES.includes(to) ||
          isIn(from, PACKAGES[to] ?? []),
      ));

    it('lets the embedded servers know nothing of the service', () =>
      allow(filesIn('dev/embedded/'), ({ to }) => isPackage(to) || to.startsWith('dev/embedded/'), {
        types: true,
      }));

    it('lets migrations import nothing, so they stay as they were when they ran', () =>
      allow(
        filesIn('migrations/').filter(({ path }) => path !== 'migrations/index.ts'),
        ({ to, isTypeOnly }) => to === 'knex' && isTypeOnly,
        { types: true },
      ));

    it('lets workflows run only Temporal and pure files, and know activities by type', () => {
      const files = filesIn('workflows/');
      allow(files, ({ to }) => to === '@temporalio/workflow' || isPure(to) || isIn(to, ['workflows/']));
      allow(files, ({ to }) => isPackage(to) || isPure(to) || isIn(to, ['activities/', 'workflows/']), {
        types: true,
      });
    });

    it('lets activities run only Temporal and pure files, and know services by type', () =>
      allow(
        filesIn('activities/'),
        ({ to }) => to === '@temporalio/activity' || isPure(to) || isIn(to, ['activities/']),
      ));
  });

  describe('within slices', () => {
    it('keeps files without a role pure: they run only pure files', () =>
      allow(filesOf('pure'), ({ to }) => isPure(to)));

    it('lets schemas run joi, other schemas, and pure files', () =>
      allow(
        filesOf('schemas'),
        ({ to }) => to === 'joi' || to === 'src/http/schemas.ts' || roleOf(to) === 'schemas' || isPure(to),
      ));

    it('lets repositories run the database, repositories of their slice, and pure files', () =>
      allow(
        filesOf('repository'),
        (each) => each.to.startsWith('src/db/') || isPure(each.to) || isOwn(each, 'repository'),
      ));

    it('lets services run the database and pure files; everything else is passed in', () =>
      allow(
        filesOf('service'),
        ({ from, to }) =>
          to.startsWith('src/db/') ||
          isPure(to) ||
          isIn(from, NODE_IN_SLICES[to] ?? []) ||
          isIn(from, PACKAGES[to] ?? []),
      ));

    it('lets routes run http, schemas, and pure files', () =>
      allow(
        filesOf('routes'),
        (each) =>
          each.to.startsWith('src/http/') ||
          isShape(each.to) ||
          isIn(each.from, NODE_IN_SLICES[each.to] ?? []),
      ));

    it('lets metrics run instruments and pure files', () =>
      allow(filesOf('metrics'), ({ to }) => to === 'src/http/instruments.ts' || isPure(to)));

    it('reads no clock and draws no random numbers but in services', () => {
      const files = filesOf('pure', 'schemas', 'repository', 'routes', 'metrics');
      forbid(files, 'reads the clock', isClock);
      forbid(files, 'is random', isRandomness);
    });
  });

  it('reads the clock of the machine only where no time of the database is compared with it', () =>
    forbid(filesIn('src/', 'workflows/', 'activities/'), 'reads the clock of the machine', isMachineClock));

  it('keeps the model of a simulated logger without clock, randomness and network', () => {
    const model = sources.filter(({ path }) => LOGGER_MODEL.includes(path));
    assert.equal(model.length, LOGGER_MODEL.length);
    allow(model, ({ to }) => LOGGER_MODEL.includes(to) || isIn(to, ['src/gateway/']) || isPure(to));
    forbid(model, 'reads the clock', isClock);
    forbid(model, 'is random', isRandomness);
  });

  it('keeps the oracle of the ledger and the plan of its faults without clock, randomness and effects', () => {
    const oracle = sources.filter(({ path }) => LEDGER_ORACLE.includes(path));
    assert.equal(oracle.length, LEDGER_ORACLE.length);
    allow(oracle, ({ to }) => LEDGER_ORACLE.includes(to) || to === 'dev/simulator/random.ts' || isPure(to));
    forbid(oracle, 'reads the clock', isClock);
    forbid(oracle, 'is random', isRandomness);
  });

  it('uses no decorators', () => forbid(sources, 'has a decorator', ts.isDecorator));

  // A suite of its own that runs last, because the others record which exceptions they need.
  describe('by its exceptions', () => {
    it('lists no unnecessary exception', () => {
      const rest = Object.keys(EXCEPTIONS).filter((breach) => !needed.has(breach));
      assert.deepEqual(rest, [], 'take these out of EXCEPTIONS');
    });
  });
});
