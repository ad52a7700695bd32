/**
 * Every statement that the worker runs periodically: the slowest execution of a round, as the median over
 * several rounds.
 */

import { randomUUID } from 'node:crypto';
import { openResources } from '../../src/compose/resources.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { sweepsOf } from '../../src/compose/sweeps.ts';
import { createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { readSettings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { firstIdAt } from '../../src/process/uuid.ts';
import { keepFigures } from '../support/figures.ts';
import { percentile } from '../support/percentile.ts';
import { printLines, type SizeBench } from './size-bench.ts';

/** The first round reads all loaded rows, as after an upgrade, and is not counted. */
const ROUNDS = 8;
const MS_MAX = 50;
const TEXT_LENGTH = 60;

type Resources = ReturnType<typeof openResources>;

export async function benchSweeps({ stack }: SizeBench): Promise<void> {
  const settings = readSettings({
    DATABASE_URL: stack.databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    SECRETS_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  });
  const resources = openResources({ settings, log: createLog('warn') });
  await resources.clock.synchronize();
  const rounds = new Map<string, number[]>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, run] of periodicWork(resources)) {
      const startedAt = performance.now();
      const times = await timeStatements(resources, name, run);
      if (round === 1)
        process.stderr.write(`${name}: ${Math.round(performance.now() - startedAt)} ms at first\n`);
      for (const [statement, ms] of times) {
        if (round > 1) rounds.set(statement, [...(rounds.get(statement) ?? []), ms]);
      }
    }
  }
  const lines = [...rounds].map(([what, times]) => ({
    what,
    value: percentile(
      times.sort((a, b) => a - b),
      0.5,
    ),
    unit: 'ms',
    max: MS_MAX,
  }));
  keepFigures({ 'sweeps.slowestMs': Math.max(...lines.map(({ value }) => value)) });
  printLines(`Periodic statements, the median of ${ROUNDS - 1} rounds`, lines);
  await resources.sql.destroy();
}

function periodicWork(resources: Resources): Array<[string, () => Promise<unknown>]> {
  const { sql } = resources;
  const claims = createClaimsRepository(sql, randomUUID());
  return [
    ...sweepsOf(resources, composeSlices(resources)).map(
      ({ name, run }): [string, () => Promise<unknown>] => [name, () => run(() => true)],
    ),
    ['dispatcher: expired claims', () => claims.releaseExpired(new Date(0))],
    ['dispatcher: endpoints with new deliveries', () => claims.listPendingEndpoints(firstIdAt(new Date(0)))],
    ['metrics', () => createEndpointHealthRepository(sql).countByState()],
  ];
}

interface Query {
  sql: string;
  __knexQueryUid: string;
}

/** The slowest execution of each statement while the work runs. */
async function timeStatements(
  { sql }: Resources,
  name: string,
  run: () => Promise<unknown>,
): Promise<Map<string, number>> {
  const started = new Map<string, number>();
  const slowest = new Map<string, number>();
  const begin = ({ __knexQueryUid: id }: Query) => started.set(id, performance.now());
  const end = (_: unknown, { sql: text, __knexQueryUid: id }: Query) => {
    const statement = `${name}: ${text.replace(/\s+/g, ' ').trim().slice(0, TEXT_LENGTH)}`;
    const ms = performance.now() - (started.get(id) ?? 0);
    slowest.set(statement, Math.max(ms, slowest.get(statement) ?? 0));
  };
  sql.on('query', begin);
  sql.on('query-response', end);
  try {
    await run();
  } finally {
    sql.removeListener('query', begin);
    sql.removeListener('query-response', end);
  }
  return slowest;
}
