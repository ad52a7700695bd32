/** A client that stops or vanishes inside a transaction: the server ends it and releases its locks. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../support/client.ts';
import { eventually, registerMany } from '../support/fleet.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { useService } from '../support/service.ts';

const HOLDER = fileURLToPath(new URL('../support/lock-holder.ts', import.meta.url));

describe('Clients of the database that vanish in a transaction', () => {
  const dms = useService({ withWorker: false });
  let serials: string[];
  const children: ChildProcess[] = [];

  before(async () => {
    serials = await registerMany(dms, 3, 'LOCKED');
  });
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  let minute = 0;
  const frame = (serial: string): Promise<Answer> => {
    const measuredAt = new Date(Date.now() - ++minute * 60_000).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt }];
    return dms.device.post(`/devices/${serial}/measurements`, { readings });
  };

  /** A suspended process, whose kernel still answers for it. */
  async function startStopped(statement: string, idleTimeout: string): Promise<ChildProcess> {
    const args = ['--import=#typescript', HOLDER, dms.settings.databaseUrl, statement, idleTimeout];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout as Readable, 'data');
    child.kill('SIGSTOP');
    return child;
  }

  const lockStates = (held: string[]) =>
    `select from device_states s join assets a on a.organization_id = s.organization_id and a.id = s.asset_id
     where a.serial_number in ('${held.join("', '")}') for no key update of s`;

  const untilStored = (serial: string) =>
    eventually(
      () => frame(serial),
      ({ status }) => status === 202,
    );

  it('hold up no frame of another device', async () => {
    const [first = '', second = '', other = ''] = serials;
    const holder = await startStopped(lockStates([first, second]), '10min');
    const held = [first, second].map(untilStored);
    await untilLockWaits(dms.service.sql, 1);
    for (let sent = 0; sent < 5; sent++) assert.equal((await frame(other)).status, 202);
    holder.kill('SIGKILL');
    await Promise.all(held);
  });

  it('lose their locks when they stay idle', async () => {
    const [first = ''] = serials;
    await startStopped(lockStates([first]), '1s');
    await untilStored(first);
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
