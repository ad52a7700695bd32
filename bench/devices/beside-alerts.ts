/** Measures the deliveries of one organization while a thousand alerts of another one open at once and escalate. */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { freePort } from '../../dev/embedded/free-port.ts';
import { query } from '../../src/db/query.ts';
import { escalateAlertId } from '../../src/temporal/workflow-ids.ts';
import { createCustomer, type Send } from '../support/customer.ts';
import type { Fleet } from '../support/fleet.ts';
import { readHistoryLengths } from '../support/history-events.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';
import { createSender, SENDING_DEVICES, type Send as SendReading, sendAt } from './end-to-end.ts';
import { readReceived, subscribe, untilDelivered } from './webhooks.ts';

const ALERTS = 1_000;
const LOAD = { perSecond: 200, seconds: 30 };
const BETWEEN_LOOKS_MS = 100;

export async function benchBesideAlerts(bench: DeviceBench): Promise<void> {
  const [calm, store] = [await bench.stack.addFleet(ALERTS), await bench.stack.addFleet(ALERTS)];
  const fleet = await bench.stack.addFleet(SENDING_DEVICES, { serialSql: SERIAL_SQL });
  await subscribe(bench, fleet, '/readings');
  await addEscalation(bench, createCustomer(bench.stack.apiUrl, store));
  const send = createSender(bench, fleet);
  await measure(bench, send, 'warm-up');
  const rows = [await measure(bench, send, 'quiet')];
  const opened = openAlerts(bench, calm);
  rows.push(await measure(bench, send, 'beside alerts without an escalation'));
  const calmMs = await opened;
  const escalated = openAlerts(bench, store).then(async (openMs) => ({
    openMs,
    ...(await untilStepped(bench, store)),
  }));
  rows.push(await measure(bench, send, 'beside alerts that escalate'));
  const { openMs, steppedMs } = await escalated;
  rows.push(await measure(bench, send, 'quiet again'));
  const events = await readHistoryLengths(bench.stack.temporalAddress, escalateAlertId(''));
  const average = round(events.reduce((sum, each) => sum + each, 0) / events.length);
  printTable(
    `${LOAD.perSecond} readings/s, each received as a webhook, while ${ALERTS} alerts of another organization open in ${openMs} ms (${calmMs} ms without an escalation): every first step made ${steppedMs} ms later, ${events.length} runs with ${average} history events on average, at most ${Math.max(...events)}`,
    ['', 'webhooks', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
  );
}

/** The escalation notifies one channel immediately and again after an hour. */
async function addEscalation({ stack }: DeviceBench, send: Send): Promise<void> {
  const port = await freePort();
  await stack.runServer('bench/sink.ts', port);
  const channel = { type: 'webhook', target: `http://127.0.0.1:${port}/messages` };
  const { id } = await send<{ id: string }>('POST', '/notification-channels', channel);
  const steps = [0, 60].map((afterMinutes) => ({ afterMinutes, channelIds: [id] }));
  await send('POST', '/escalations', { name: 'On call', steps });
}

/** Reports a low battery of every device at the same time, and returns how long all answers took. */
async function openAlerts({ stack }: DeviceBench, { deviceToken }: Fleet): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: ALERTS }, (_, index) => sendLowBattery(`DEV-${index + 1}`)));
  return Math.round(performance.now() - startedAt);

  async function sendLowBattery(serial: string): Promise<void> {
    const measuredAt = new Date().toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt }];
    const { statusCode, body } = await request(`${stack.apiUrl}/devices/${serial}/measurements`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ readings, batteryStatus: 'low' }),
    });
    await body.dump();
    if (statusCode !== 202) throw new Error(`${serial} was answered ${statusCode}`);
  }
}

/** Returns how long it takes from now until the first step of every alert has been made. */
async function untilStepped(
  { stack }: DeviceBench,
  { organizationId }: Fleet,
): Promise<{ steppedMs: number }> {
  const startedAt = performance.now();
  for (;;) {
    const [row] = await query<{ count: number }>(
      stack.sql,
      'select count(*) from alert_escalations where organization_id = ? and steps_made > 0',
      [organizationId],
    );
    if (row?.count === ALERTS) return { steppedMs: Math.round(performance.now() - startedAt) };
    await delay(BETWEEN_LOOKS_MS);
  }
}

async function measure(bench: DeviceBench, send: SendReading, name: string): Promise<Cell[]> {
  await readReceived(bench);
  const count = await sendAt(send, LOAD.perSecond, LOAD.seconds);
  await untilDelivered(bench);
  const received = await readReceived(bench);
  if (received.count !== count) throw new Error(`${received.count} webhooks came of ${count}`);
  return [name, count, ...[received.p50, received.p95, received.p99].map((ms) => round(ms))];
}
