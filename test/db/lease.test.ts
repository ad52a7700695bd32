/** Work that one process does at a time: it moves on when its process ends, dies or stops. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type Lease, startLease } from '../../src/db/lease.ts';
import { newDatabase } from '../support/servers.ts';

const LEASE_MS = 5_000;
const HOLDER = fileURLToPath(new URL('../support/lease-holder.ts', import.meta.url));

describe('A lease', () => {
  let url: string;
  let sql: Database;
  const children: ChildProcess[] = [];
  /** Each waits until a lease would have expired, so they begin together. */
  let waits: Record<'renewed' | 'killed' | 'hanging', Promise<void>>;

  before(async () => {
    url = await newDatabase();
    sql = openDatabase({ url, poolSize: 10, statementTimeoutMs: 0, applicationName: 'test' });
    waits = { renewed: renew(), killed: kill(), hanging: hang() };
    for (const each of Object.values(waits)) each.catch(() => {});
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await sql.destroy();
  });

  const start = (name: string): Lease =>
    startLease(sql, { name, leaseMs: LEASE_MS, onFault: (error) => assert.fail(String(error)) });

  /** Another process that holds the lease. */
  async function startHolder(name: string) {
    const child = spawn(process.execPath, ['--import=#typescript', HOLDER, url, name, String(LEASE_MS)]);
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => (await lines.next()).value;
    assert.equal(await nextLine(), 'held');
    return { child, nextLine };
  }

  it('gives the lease to one of several candidates, and to another one when that one has stopped', async () => {
    const leases = [start('wanted'), start('wanted'), start('wanted')];
    const first = await Promise.race(leases.map((lease) => lease.untilHeld().then(() => lease)));
    const others = leases.filter((lease) => lease !== first);
    assert.deepEqual([first.isHeld(), ...others.map((lease) => lease.isHeld())], [true, false, false]);
    await first.stop();
    assert.equal(first.isHeld(), false);
    const second = await Promise.race(others.map((lease) => lease.untilHeld().then(() => lease)));
    assert.equal(leases.filter((lease) => lease.isHeld()).length, 1);
    await Promise.all([second, ...others].map((lease) => lease.stop()));
    assert.deepEqual(await sql('leases').where({ name: 'wanted' }), [], 'nobody waits for its end');
  });

  it('keeps its holder while that one renews it', () => waits.renewed);

  async function renew(): Promise<void> {
    const holder = start('renewed');
    await holder.untilHeld();
    const other = start('renewed');
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS * 1.5));
    assert.deepEqual([holder.isHeld(), other.isHeld()], [true, false]);
    await Promise.all([holder.stop(), other.stop()]);
    assert.equal(await other.untilHeld(), false, 'who has stopped does not wait any more');
  }

  it('passes from a process that was killed to another one', () => waits.killed);

  async function kill(): Promise<void> {
    const { child } = await startHolder('killed');
    child.kill('SIGKILL');
    const successor = start('killed');
    assert.equal(await successor.untilHeld(), true);
    await successor.stop();
  }

  it('passes from a holder whose lease began while the clock of the database was a day ahead', async () => {
    await sql('leases').insert({
      name: 'ahead',
      owner: randomUUID(),
      leased_until: sql.raw(`now() + interval '1 day'`),
    });
    const successor = start('ahead');
    assert.equal(await successor.untilHeld(), true);
    await successor.stop();
  });

  it('passes from a process that hangs to another one, and the first knows it when it continues', () =>
    waits.hanging);

  async function hang(): Promise<void> {
    const { child, nextLine } = await startHolder('hanging');
    child.kill('SIGSTOP');
    const successor = start('hanging');
    assert.equal(await successor.untilHeld(), true);
    child.kill('SIGCONT');
    assert.equal(await nextLine(), 'lost');
    assert.equal(successor.isHeld(), true);
    await successor.stop();
  }
});
