/** A client that stops or vanishes inside a transaction: the server ends it and releases its locks. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../support/client.ts';
import { eventually, registerMany } from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';

const HOLDER = fileURLToPath(new URL('../support/lock-holder.ts', import.meta.url));
/** Instead of ten seconds. */
const IDLE_TIMEOUT = '2s';

describe('Clients of the database that vanish in a transaction', () => {
  let dms: TestService;
  let serials: string[];
  const children: ChildProcess[] = [];

  before(async () => {
    dms = await startService({ withWorker: false });
    serials = await registerMany(dms, 3, 'LOCKED');
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await dms.stop();
  });

  let minute = 0;
  const frame = (serial: string): Promise<Answer> => {
    const measuredAt = new Date(Date.now() - ++minute * 60_000).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt }];
    return dms.device.post(`/devices/${serial}/measurements`, { readings });
  };

  /** A suspended process, whose kernel still answers for it. */
  async function startStopped(statement: string): Promise<void> {
    const args = ['--import=#typescript', HOLDER, dms.settings.databaseUrl, statement, IDLE_TIMEOUT];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout as Readable, 'data');
    child.kill('SIGSTOP');
  }

  /** Connections of the service that wait for a lock. */
  async function countWaiting(): Promise<number> {
    const { rows } = await dms.service.sql.raw(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].count;
  }

  it('keeps locks for a short time only, in which frames of other devices are stored', async () => {
    const [first = '', second = '', other = ''] = serials;
    await startStopped(
      `select from device_states s join assets a on a.organization_id = s.organization_id and a.id = s.asset_id
       where a.serial_number in ('${first}', '${second}') for no key update of s`,
    );
    let isFree = false;
    const locked = [first, second].map((serial) =>
      eventually(
        () => frame(serial),
        ({ status }) => status === 202,
        { timeoutMs: 30_000 },
      ),
    );
    const freed = Promise.all(locked).finally(() => {
      isFree = true;
    });
    await eventually(countWaiting, (count) => count > 0);
    let stored = 0;
    for (; !isFree; stored++) assert.equal((await frame(other)).status, 202);
    await freed;
    assert.ok(stored >= 5, `${stored} frames of the other device`);
  });

  it('limits the idle time on every connection of the service', async () => {
    const { rows } = await dms.service.sql.raw(
      `select name, setting::integer as value from pg_settings
       where name ~ '^(tcp_|idle_in_transaction_session_timeout|client_connection_check_interval)'`,
    );
    assert.deepEqual(
      Object.fromEntries(rows.map(({ name, value }: { name: string; value: number }) => [name, value])),
      {
        idle_in_transaction_session_timeout: 10_000,
        client_connection_check_interval: 10_000,
        tcp_keepalives_idle: 30,
        tcp_keepalives_interval: 10,
        tcp_keepalives_count: 3,
        tcp_user_timeout: 30_000,
      },
    );
  });
});
