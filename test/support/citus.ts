/** Databases on the nodes of a real Citus; CITUS_URL is the URL of a database on its coordinator. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { END_OTHER_SESSIONS, ROWS_READ } from './rows-read.ts';

export const CITUS_URL: string = process.env.CITUS_URL ?? '';

/** To be called in `before`. */
export function skipWithoutCitus(context: Mocha.Context): void {
  if (CITUS_URL !== '') return;
  process.stdout.write('CITUS_URL is not set: the tests of Citus are skipped\n');
  context.skip();
}

export async function ask<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** An empty database on the coordinator and on each node, which know each other. Returns its URL on the coordinator. */
export async function newCitusDatabase(): Promise<string> {
  const name = `test_${randomUUID().slice(0, 8)}`;
  const nodes = await listNodes();
  for (const url of [CITUS_URL, ...nodes.map(urlOfNode)]) {
    await ask(url, `create database ${name}`);
    await ask(withDatabase(url, name), 'create extension citus');
  }
  const url = withDatabase(CITUS_URL, name);
  const { hostname, port } = new URL(CITUS_URL);
  await ask(url, 'select citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
  for (const { host, port: nodePort } of nodes)
    await ask(url, 'select citus_add_node($1, $2)', [host, nodePort]);
  return url;
}

export interface Node {
  host: string;
  port: number;
}

const listNodes = (): Promise<Node[]> =>
  ask(
    CITUS_URL,
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeport',
  );

const urlOfNode = ({ host, port }: Node): string =>
  Object.assign(new URL(CITUS_URL), { hostname: host, port: String(port) }).href;

const withDatabase = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** The node with the rows of an organization. */
export async function findNodeOf(url: string, organizationId: string): Promise<Node> {
  const [node] = await ask<Node>(
    url,
    `select n.nodename as host, n.nodeport as port from pg_dist_placement p
     join pg_dist_node n on n.groupid = p.groupid
     where p.shardid = get_shard_id_for_distribution_column('assets', $1::uuid)`,
    [organizationId],
  );
  assert.ok(node);
  return node;
}

/**
 * Rows that all nodes have read of the tables, by any index or none. No other session may use the database.
 */
export async function rowsReadOnNodes(url: string, tables: string[]): Promise<number> {
  const { pathname } = new URL(url);
  const counts = (await listNodes()).map(async (node) => {
    // By default Citus hides shards from sessions that read the catalogue.
    const options = encodeURIComponent('-c citus.override_table_visibility=off');
    const own = `${withDatabase(urlOfNode(node), pathname.slice(1))}?options=${options}`;
    await ask(own, END_OTHER_SESSIONS);
    const rows = await ask<{ count: string }>(
      own,
      `select ${ROWS_READ} as count from pg_stat_user_tables
       where regexp_replace(relname, '_\\d+$', '') = any ($1)`,
      [tables],
    );
    return Number(rows[0]?.count);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Kills its processes as a failing machine would. Returns the folder of its data. */
export async function killNode(node: Node): Promise<string> {
  const [row] = await ask<{ folder: string }>(
    urlOfNode(node),
    `select current_setting('data_directory') as folder`,
  );
  assert.ok(row);
  process.kill(Number(readFileSync(`${row.folder}/postmaster.pid`, 'utf8').split('\n')[0]), 'SIGKILL');
  return row.folder;
}
