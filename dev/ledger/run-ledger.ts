/**
 * The ledger: several of each process on PostgreSQL and Temporal, with devices, customers and receivers,
 * while processes are killed and stopped. Every client action is recorded with its acknowledgement; at the
 * end, when everything is up and quiet, the records are compared with the state of the service.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../simulator/random.ts';
import { createCustomer } from './customer.ts';
import { checkDevices } from './devices-oracle.ts';
import { countStepsLeft } from './escalations-oracle.ts';
import { type Injection, injectFaults } from './inject-faults.ts';
import { openJournal } from './journal.ts';
import type { LedgerOptions } from './ledger-options.ts';
import { progressLine, verdictTable } from './ledger-table.ts';
import { checkRun, type Verdict } from './oracle.ts';
import type { Finding, MemorySample } from './records.ts';
import { type LedgerContext, migrateBy, ROOT, type Run, startRun } from './start-run.ts';
import { readAlertHistories, readAlerts, readDevices, readJobs } from './stored-state.ts';
import { upgradeAndBack } from './upgrade.ts';

const LINE_MS = 10_000;
const MEMORY_MS = 2_500;
const QUIET_MS_MAX = 300_000;
const POLL_MS = 2_000;

/** Returns whether there were no findings. */
export async function runLedger(options: LedgerOptions, context: LedgerContext): Promise<boolean> {
  const { print, onStop } = context;
  const folder = mkdtempSync(join(tmpdir(), 'dms-ledger-'));
  chmodSync(folder, 0o755);
  print(`Ledger: seed ${options.seed}, ${options.minutes} minutes, in ${folder}`);
  const journal = openJournal(join(folder, 'events.jsonl'));
  const findings: Finding[] = [];
  let isNeeded = true;
  // Registered first, so that the servers in it have stopped by then.
  onStop(() => isNeeded || rmSync(folder, { recursive: true, force: true }));
  const run = await startRun({ options, context, folder, journal, findings });
  const verdict = await carryOut(run);
  await journal.close();
  print(verdictTable(verdict));
  const isGood = conclude(verdict, { options, folder, print });
  isNeeded = !isGood || options.isKept;
  return isGood;
}

async function carryOut(run: Run): Promise<Verdict> {
  const { options, journal, processes, client, fleets, receivers, endpoints, escalation, findings } = run;
  const customer = createCustomer({
    client,
    serials: fleets.transmitting,
    edited: endpoints.edited,
    toggled: endpoints.toggled,
    random: createRandom(options.seed + 3),
    journal,
  });
  const memory: MemorySample[] = [];
  let faultsEndedAt = '';
  await fleets.start();
  const over = new AbortController();
  const acting = customer.actUntil(over.signal);
  const injection = disturb(run);
  const sampling = setInterval(() => memory.push(...processes.flatMap((each) => each.memory())), MEMORY_MS);
  const showing = setInterval(() => show(run, { injection, jobs: customer.jobs.length }), LINE_MS);
  try {
    await injection.done;
    faultsEndedAt = new Date().toISOString();
    over.abort();
    await acting;
    await receivers.heal();
    // Devices keep running: offered changes are settled with their next frames.
    await untilNone(run, ['jobs', 'devices']);
    await fleets.stop();
    await untilNone(run, ['deliveries', 'steps']);
  } finally {
    clearInterval(sampling);
    clearInterval(showing);
  }
  for (const text of await endpoints.faults()) findings.push({ about: 'endpoints', text });
  const readAt = new Date().toISOString();
  const stored = {
    devices: await readDevices(client, true),
    jobs: await readJobs(client),
    alerts: await readAlertHistories(client),
  };
  const actual = fleets.actual();
  writeFileSync(join(run.folder, 'records.json'), JSON.stringify({ stored, actual, jobs: customer.jobs }));
  return checkRun(
    {
      sent: fleets.records.sent,
      jobs: customer.jobs,
      faultsEndedAt,
      actual,
      receipts: receivers.receipts,
      subscriptions: endpoints.subscriptions,
      escalation,
      readAt,
      memory,
      findings,
    },
    stored,
  );
}

/** Disturbs the run by faults, or by an upgrade. */
function disturb({ options, processes, servers, plan, journal, findings, env, firstRoot }: Run): Injection {
  const onFault = (text: string) => void findings.push({ about: 'processes', text });
  if (!options.isUpgrade) return injectFaults({ plan, processes, servers, journal, onFault });
  return upgradeAndBack({
    processes,
    before: firstRoot,
    today: ROOT,
    durationMs: options.minutes * 60_000,
    migrate: () => migrateBy(ROOT, env),
    journal,
    onFault,
  });
}

/** Waits until none of these is left. After a long wait the oracle reports the fault. */
async function untilNone(run: Run, kinds: Array<'jobs' | 'devices' | 'deliveries' | 'steps'>): Promise<void> {
  const until = performance.now() + QUIET_MS_MAX;
  for (let said = ''; performance.now() < until; await delay(POLL_MS)) {
    const left = await countLeft(run);
    run.journal.write('waiting', left);
    if (kinds.every((kind) => left[kind] === 0)) return;
    const text = `Waiting for ${left.jobs} jobs, ${left.devices} devices, ${left.deliveries} deliveries, ${left.steps} steps of escalations`;
    if (text !== said) run.context.print(text);
    said = text;
  }
}

async function countLeft({ client, fleets, endpoints, receivers, escalation }: Run) {
  const running = await client.get('/devices/config-jobs?status=running&limit=500');
  const devices = await readDevices(client, false);
  const resent = await endpoints.resendLate();
  return {
    jobs: running.body.items.length as number,
    devices: [...checkDevices(fleets.actual(), devices)].length,
    deliveries: await endpoints.countWaiting(),
    steps: countStepsLeft({
      escalation,
      alerts: await readAlerts(client),
      receipts: receivers.receipts,
      readAt: new Date().toISOString(),
    }),
    resent,
  };
}

function show(
  { journal, processes, fleets, receivers, client, context }: Run,
  { injection, jobs }: { injection: Injection; jobs: number },
): void {
  context.print(
    progressLine({
      seconds: Math.round(journal.nowMs() / 1000),
      faults: injection.counts,
      up: `${processes.filter((each) => each.isRunning()).length}/${processes.length}`,
      readings: fleets.records.counts(),
      jobs,
      receipts: receivers.receipts.length,
      memoryMb: processes.flatMap((each) => each.memory()).reduce((sum, { rssMb }) => sum + rssMb, 0),
      repeats: client.repeats(),
    }),
  );
}

function conclude(
  { findings }: Verdict,
  { options, folder, print }: { options: LedgerOptions; folder: string; print(line: string): void },
): boolean {
  const isGood = findings.length === 0;
  writeFileSync(join(folder, 'findings.json'), JSON.stringify(findings, null, 2));
  const { minutes, seed, devices, each, temporal } = options;
  const again = `npm run ledger -- --minutes ${minutes} --seed ${seed} --devices ${devices} --each ${each} --temporal ${temporal}${options.isUpgrade ? ' --upgrade' : ''}`;
  if (isGood) print('Nothing lost, doubled or invented.');
  else
    print(
      `${findings.length} findings. Logs and events are in ${folder}; the same faults again:\n  ${again}`,
    );
  return isGood;
}
