/** 10,000 devices by `POST /assets/import`, beside one bare statement that inserts the same rows into `assets`. */
import { randomUUID } from 'node:crypto';
import { query } from '../src/db/query.ts';
import { createOrganizationsRepository } from '../src/keys/organizations.repository.ts';
import type { BenchStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';

const ROWS = 10_000;
const ROUNDS = 5;
const MS_MAX = 3_000;

export async function benchImport(stack: BenchStack): Promise<void> {
  const { id: bareOrganization } = await createOrganizationsRepository(stack.sql).ensure(
    `bare ${randomUUID()}`,
  );
  const { apiKey } = await stack.addFleet(1);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rows = rowsOf(round);
    const bareMs = await timed(() => insertBare(stack, bareOrganization, rows));
    const importMs = await timed(() => importCsv(stack, apiKey, rows, { created: ROWS, unchanged: 0 }));
    const againMs = await timed(() => importCsv(stack, apiKey, rows, { created: 0, unchanged: ROWS }));
    rounds.push({ bareMs, importMs, againMs, ratio: importMs / bareMs });
  }
  const [median] = rounds.toSorted((a, b) => a.ratio - b.ratio).slice(Math.floor(ROUNDS / 2));
  if (!median) throw new Error('there was no round');
  printTable(
    `Import of ${ROWS} rows as CSV, round of the median ratio of ${ROUNDS}`,
    ['bare insert ms', 'import ms', 'ratio', 'same rows again, slowest ms', 'bar'],
    [
      [
        Math.round(median.bareMs),
        Math.round(median.importMs),
        `${round(median.ratio, 1)} (${rounds.map(({ ratio }) => round(ratio, 1)).join(', ')})`,
        Math.round(Math.max(...rounds.map(({ againMs }) => againMs))),
        median.importMs <= MS_MAX ? `${MS_MAX} ms: met` : `${MS_MAX} ms: NOT MET`,
      ],
    ],
  );
}

interface Row {
  serialNumber: string;
  name: string;
}

const rowsOf = (round: number): Row[] =>
  Array.from({ length: ROWS }, (_, index) => ({
    serialNumber: `282C${(round * ROWS + index).toString(16).padStart(8, '0').toUpperCase()}`,
    name: `Vaccine fridge ${index}`,
  }));

const insertBare = ({ sql }: BenchStack, organizationId: string, rows: Row[]) =>
  query(
    sql,
    `insert into assets (organization_id, serial_number, name, model, floor)
     select ?::uuid, n.*, 'TVO-THT', 0 from unnest(?::text[], ?::text[]) as n`,
    [organizationId, rows.map(({ serialNumber }) => serialNumber), rows.map(({ name }) => name)],
  );

async function importCsv(
  { apiUrl }: BenchStack,
  apiKey: string,
  rows: Row[],
  expected: { created: number; unchanged: number },
): Promise<void> {
  const lines = rows.map(({ serialNumber, name }) => `${serialNumber},${name},TVO-THT,0`);
  const response = await fetch(`${apiUrl}/assets/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
    body: ['serialNumber,name,model,floor', ...lines].join('\n'),
  });
  const { created, unchanged, message } = (await response.json()) as typeof expected & { message?: string };
  if (created !== expected.created || unchanged !== expected.unchanged) {
    throw new Error(`${response.status}: ${message ?? `${created} created, ${unchanged} unchanged`}`);
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
