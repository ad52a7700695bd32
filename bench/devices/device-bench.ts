/** Shared by the benches of devices: the stack with a gateway and a receiver of webhooks. */
import type { ChildProcess } from 'node:child_process';
import { freePort } from '../../dev/embedded/free-port.ts';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import { query } from '../../src/db/query.ts';
import type { Fleet } from '../support/fleet.ts';
import { createLoggers, type Loggers } from '../support/loggers.ts';
import { toSerial } from '../support/serials.ts';
import { type BenchStack, startStack } from '../support/stack.ts';

export interface DeviceBench {
  stack: BenchStack;
  gateway: ChildProcess;
  coapPort: number;
  sinkUrl: string;
}

export async function startDeviceBench(onStop: OnStop): Promise<DeviceBench> {
  const coapPort = await freePort();
  const stack = await startStack(onStop, {
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
    DEVICE_RATE_LIMIT_PER_SECOND: '0',
    COAP_PORT: String(coapPort),
  });
  const gateway = await stack.runGateway(coapPort);
  const sinkPort = await freePort();
  await stack.runServer('bench/sink.ts', sinkPort);
  return { stack, gateway, coapPort, sinkUrl: `http://127.0.0.1:${sinkPort}` };
}

export const connectLoggers = ({ coapPort }: DeviceBench, { deviceToken }: Fleet): Promise<Loggers> =>
  createLoggers({ port: coapPort, token: deviceToken, toSerial });

/** What the 99th percentile of acknowledgements may be, for one of flushes of the disk at the same time. */
export const ackMsMax = (flushP99Ms: number): number => 2 * flushP99Ms + 5;

export async function countReadings({ stack }: DeviceBench): Promise<number> {
  const [row] = await query<{ count: number }>(
    stack.sql,
    'select sum(coalesce(cardinality(steps), cardinality(numbers))) as count from measurement_blocks',
  );
  return row?.count ?? 0;
}

export async function countTransactions({ stack }: DeviceBench): Promise<number> {
  const [row] = await query<{ count: number }>(
    stack.sql,
    'select pg_stat_clear_snapshot(), xact_commit as count from pg_stat_database where datname = current_database()',
  );
  return row?.count ?? 0;
}
