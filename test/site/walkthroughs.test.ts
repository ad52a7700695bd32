/**
 * Pages with commands, tried as a new user would: every `sh` block of a page, one after the other, in a
 * shell. The guides are walked in the order of the site, by one organization, and each removes what it made.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../dev/embedded/free-port.ts';
import { createFleet } from '../../dev/simulator/fleet.ts';
import { registerAssets } from '../../dev/simulator/register-assets.ts';
import { type LocalAddresses, simOptions } from '../../dev/simulator/sim-options.ts';
import { sectionsWith } from '../../src/site/documents.ts';
import { eventually } from '../support/fleet.ts';
import { argumentsFor, processBundle } from '../support/process-bundle.ts';
import { type TestOrganization, useService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const QUICKSTART = 'docs/quickstart.md';
/** Printed by the shell once it waits for the check. */
const CHECKED = 'now-the-check';
const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Walked {
  printed: string;
  organization: TestOrganization;
  /** Where the blocks were run. */
  folder: string;
}

/** The state after the blocks of a page were run, but that which cleans up. */
interface Outcome {
  leadTo: string;
  check(walked: Walked): Promise<void>;
}

/** Blocks that run elsewhere, or cannot run: their beginning, and where or why. */
const NOT_RUN: Record<string, string> = {
  'npm ci && npm start': 'test/dev/start.test.ts',
  'npm run demo': 'test/dev/start.test.ts',
  'npm run sim': 'test/dev/simulator, without waiting for minutes; what it registers is there',
  'docker build': 'needs Docker and a registry',
  'docker compose': 'npm run compose:try, which walks docs/production.md and docs/postgresql.md',
  'cp .env.example': 'npm run compose:try',
  'cat >> .env': 'npm run compose:try',
  'curl --fail --retry 30': 'npm run compose:try',
  'echo COAP_ADDRESS': 'npm run compose:try',
  'latest=$(tar': 'npm run compose:try',
  'OLD=': 'needs the programs of two versions of PostgreSQL',
  'export PGHOST': 'test/dev/database-users.test.ts',
  kubectl: 'needs a cluster',
  'helm upgrade': 'test/house/chart.test.ts, which renders it',
  socat: 'needs socat and a certificate',
};

/**
 * `npm run dms` of the shell, by the program of package.json from the bundle of the tests: npm and single files take two
 * seconds of a processor each time. Other scripts fail.
 */
async function npmOfShell(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const parameters = argumentsFor(await processBundle(), scripts.dms.split(' ').at(-1));
  const quoted = [process.execPath, ...parameters].map((each) => `'${each}'`).join(' ');
  return `npm() { [[ "$*" == "run "*"dms -- "* ]] || { echo "npm $* is not run here" >&2; return 1; }; while [ "$1" != -- ]; do shift; done; ${quoted} "\${@:2}"; }`;
}

/** Guides, whose blocks can succeed without the effect that the page describes. */
const OUTCOMES: Record<string, Outcome> = {
  [QUICKSTART]: {
    leadTo: 'an applied profile and an alert',
    async check({ printed, organization }) {
      assert.match(printed, /"syncStatus":"applied"/);
      const { body } = await organization.api.get('/alerts?status=new');
      assert.deepEqual(
        body.items.map(({ type }: { type: string }) => type),
        ['high_temp'],
      );
      await eventually(
        async () => (await organization.api.get('/devices/config-jobs')).body.items[0].status,
        (status) => status === 'succeeded',
      );
    },
  },
  'docs/webhooks.md': {
    leadTo: 'a test event at the receiver of the page',
    async check({ printed }) {
      assert.match(printed, /"delivered":true/);
      assert.match(printed, /^webhook\.test /m);
    },
  },
  'docs/connect-a-logger.md': {
    leadTo: 'registered loggers, one of which has sent a reading',
    async check({ organization }) {
      const { body } = await organization.api.get('/assets');
      assert.deepEqual(
        body.items.map(({ name, status }: { name: string; status: string }) => [name, status]),
        [
          ['Cold room 1', 'online'],
          ['Cold room 2', 'new'],
          ['Cold room 3', 'new'],
        ],
      );
    },
  },
  'docs/many-loggers.md': {
    leadTo: 'the rows of a table in their groups, a rollout, and what an auditor may have',
    async check({ printed, organization, folder }) {
      assert.match(printed, /"created":4,"unchanged":0,"failed":3/);
      assert.match(printed, /"created":3,"unchanged":4,"failed":0/);
      assert.match(printed, /"deviceCount":3/);
      assert.match(printed, /^Waits for 282C0000000\d: new, last reading never$/m);
      assert.match(printed, /"action":"importAssets"/);
      const { body } = await organization.api.get('/groups');
      assert.deepEqual(
        body.items.map(({ name, memberCount }: { name: string; memberCount: number }) => [name, memberCount]),
        [
          ['Blood bank', 4],
          ['Vaccine fridges', 3],
        ],
      );
      assert.match(readFileSync(join(folder, 'statistics.pdf'), 'latin1'), /^%PDF-/);
      assert.match(readFileSync(join(folder, 'measurements.csv'), 'utf8'), /282C00000003,.*,4\.1,/);
    },
  },
  'docs/groups-and-rollouts.md': {
    leadTo: 'members with a profile, and a rollout that began and was cancelled',
    async check({ printed, organization }) {
      const { body } = await organization.api.get('/groups');
      assert.deepEqual([body.items[0].memberCount, body.items[0].profileSlug], [2, 'freezer']);
      assert.match(printed, /"queued":2,"waiting":1/);
      const jobs = await organization.api.get('/devices/config-jobs');
      assert.equal(jobs.body.items[0].status, 'cancelled');
    },
  },
  'docs/alerts-and-channels.md': {
    leadTo: 'an acknowledged alert and a channel',
    async check({ organization }) {
      assert.equal((await organization.api.get('/alerts?status=acknowledged')).body.items.length, 1);
      assert.equal((await organization.api.get('/notification-channels')).body.items.length, 1);
    },
  },
  'docs/night-shift.md': {
    leadTo: 'an alert that escalates until it is acknowledged, and a mute that was ended',
    async check({ printed, organization }) {
      const { body } = await organization.api.get('/alerts');
      const alert = (await organization.api.get(`/alerts/${body.items[0].id}`)).body;
      assert.match(printed, /"escalation":\{"id":/);
      // Whether the first step comes before the acknowledgement of the shell is a race.
      const actions = alert.history.map(({ action }: { action: string }) => action);
      assert.deepEqual(
        actions.filter((action: string) => action !== 'escalated'),
        ['opened', 'acknowledged', 'assigned', 'commented', 'commented'],
      );
      assert.equal(alert.assignee, 'Grace');
      assert.match(printed, /^reason: Defrosting$/m);
      assert.equal((await organization.api.get('/assets')).body.items[0].mute, null);
    },
  },
};

/** In the order of the site. */
const GUIDES = sectionsWith([])
  .flatMap(({ documents }) => documents.map(({ file }) => file))
  .filter((file) => file in OUTCOMES);

/** Collections that a guide leaves as it found them. */
const LEFT_EMPTY = [
  '/assets',
  '/groups',
  '/webhooks',
  '/cellular-webhooks',
  '/notification-channels',
  '/escalations',
];

describe('The commands of the documents', () => {
  const dms = useService();
  let organization: TestOrganization;
  const folders: string[] = [];

  before(async () => {
    organization = await dms.addOrganization();
  });
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** Runs all blocks of the page as a user who has started the service; `check` comes before those that clean up. */
  async function walk(page: string, check: Outcome['check']): Promise<void> {
    const local = await localSettings(organization);
    await registerSimulated(page, local);
    const folder = newFolder(local);
    const blocks = blocksOf(page);
    const cleanUp = cleanUpOf(page);
    const parts = [
      await npmOfShell(),
      ...(page === QUICKSTART ? [] : [SETUP]),
      ...blocks.filter((block) => block !== cleanUp),
      `echo; echo ${CHECKED}; read -r _`,
      cleanUp ?? '',
    ];
    // Another program may use the port in the documents.
    const script = parts.join('\n').replaceAll('9000', String(await freePort()));
    const shell = spawn('bash', ['-c', `set -euo pipefail; shopt -s inherit_errexit\n${script}`], {
      cwd: folder,
    });
    const closed = once(shell, 'close');
    let printed = '';
    const isReady = new Promise<void>((resolve) => {
      for (const stream of [shell.stdout, shell.stderr])
        stream.on('data', (text) => {
          printed += text;
          if (printed.includes(`\n${CHECKED}\n`)) resolve();
        });
    });
    try {
      await Promise.race([isReady, closed]);
      assert.equal(shell.exitCode, null, `${page}:\n${printed}`);
      await check({ printed, organization, folder });
    } finally {
      shell.stdin.end('\n');
    }
    assert.deepEqual(await closed, [0, null], `${page}:\n${printed}`);
  }

  async function localSettings({ id }: TestOrganization) {
    const [customer, device] = [await dms.issueKey(id, 'customer'), await dms.issueKey(id, 'device')];
    const coapUrl = `coap://127.0.0.1:${dms.coapPort}`;
    return { baseUrl: dms.baseUrl, apiKey: customer.token, deviceToken: device.token, coapUrl };
  }

  /** The loggers that the simulator of the page would register. */
  async function registerSimulated(page: string, local: LocalAddresses): Promise<void> {
    const calls = readFileSync(join(ROOT, page), 'utf8').matchAll(/^npm run sim -- (.*--register.*)$/gm);
    for (const [, words = ''] of calls) {
      const options = simOptions(words.split(' '), local);
      const { serials, muteSerials } = createFleet(options.fleet);
      const registrations = [...serials, ...muteSerials].map((serialNumber) => ({ serialNumber }));
      await registerAssets(options, registrations);
    }
  }

  /** The repository, with the data folder of the service. */
  function newFolder(local: Record<string, string>): string {
    const folder = mkdtempSync(join(tmpdir(), 'dms-walk-'));
    folders.push(folder);
    for (const name of readdirSync(ROOT))
      if (!name.startsWith('.')) symlinkSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, '.data'));
    writeFileSync(join(folder, '.data', 'local.json'), JSON.stringify(local));
    return folder;
  }

  async function leftOf(): Promise<Record<string, unknown>> {
    const lists = LEFT_EMPTY.map(async (path) => [
      path,
      (await organization.api.get(path)).body.items.length,
    ]);
    const jobs = await organization.api.get('/devices/config-jobs?status=running');
    const alerts = await organization.api.get('/alerts?status=new');
    return {
      ...Object.fromEntries(await Promise.all(lists)),
      jobs: jobs.body.items.length,
      alerts: alerts.body.items.length,
    };
  }

  const NOTHING = Object.fromEntries([...LEFT_EMPTY, 'jobs', 'alerts'].map((name) => [name, 0]));

  for (const page of GUIDES) {
    const { leadTo, check } = OUTCOMES[page] as Outcome;
    it(`leads in ${page} to ${leadTo}, and leaves nothing of it behind`, async () => {
      await walk(page, check);
      // Jobs whose devices were archived end a moment later.
      assert.deepEqual(await eventually(leftOf, ({ jobs }) => jobs === 0), NOTHING);
    });

    it(`applies only profiles in ${page} that it creates`, () => {
      const text = blocksOf(page).join('\n');
      const applied = [...text.matchAll(/config-profiles\/([a-z-]+)|"profileSlug": "([a-z-]+)"/g)];
      const created = [...text.matchAll(/config-profiles -d '\{\s*"(?:name|slug)": "([^"]+)"/g)];
      const slugs = created.map(([, name = '']) => name.toLowerCase().replaceAll(' ', '-'));
      assert.deepEqual(
        applied.map(([, path, field]) => path ?? field).filter((slug) => !slugs.includes(slug as string)),
        [],
      );
    });
  }

  for (const page of DOCUMENTS.filter((each) => !GUIDES.includes(each) && blocksOf(each).length > 0))
    it(`runs in ${page} without a failure`, () => walk(page, async () => {}));

  it('checks only pages with commands', () => {
    assert.deepEqual(GUIDES.toSorted(), Object.keys(OUTCOMES).toSorted());
  });
});

/** Without blocks that are not run here. */
function blocksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
  return blocks.filter((block) => !Object.keys(NOT_RUN).some((beginning) => block.startsWith(beginning)));
}

/** The variables and functions that the other pages take from the quickstart. */
const SETUP = blocksOf(QUICKSTART)[0] as string;

/** The block that removes what the page made; absent on pages that make nothing. */
function cleanUpOf(page: string): string | undefined {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const heading = text.search(/^## Clean up$/m);
  const below = blocksOf(page).filter((block) => heading >= 0 && text.indexOf(block) > heading);
  return heading >= 0 ? below[0] : undefined;
}
