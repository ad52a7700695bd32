/**
 * Edits of the endpoint that holds half of all deliveries, and their effect on another organization. The last
 * one deletes it: load again to repeat this bench.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { round } from '../support/table.ts';
import { createSteadyPublisher } from './publisher.ts';
import { fleetOf, type Line, printLines, type SizeBench } from './size-bench.ts';

const BESIDE_MS = 15_000;
const AFTER_MS = 10_000;
const P95_MS_MAX = 15;
const ANSWER_MS_MAX = 100;

type Method = 'PATCH' | 'DELETE';

export async function benchEndpoint(bench: SizeBench): Promise<void> {
  const publisher = await createSteadyPublisher(bench);
  await publisher.p95During(() => delay(5_000));
  const lines: Line[] = [
    {
      what: 'delivery p95 at 200/s beside it',
      value: round(await publisher.p95During(() => delay(BESIDE_MS)), 1),
      unit: 'ms',
      max: P95_MS_MAX,
    },
  ];
  // The first edit of a process opens connections and compiles code, for any size.
  await edit(bench, 1, bench.healthyEndpointId, 'PATCH', { status: 'active' });
  const edits: Array<[string, Method, object | null]> = [
    ['PATCH of its events', 'PATCH', { events: ['config.applied', 'device.offline'] }],
    ['enable', 'PATCH', { status: 'active' }],
    ['disable', 'PATCH', { status: 'disabled' }],
    ['DELETE', 'DELETE', null],
  ];
  for (const [name, method, body] of edits) {
    let answeredMs = 0;
    const p95 = await publisher.p95During(async () => {
      const startedAt = performance.now();
      await edit(bench, 0, bench.heldEndpointId, method, body);
      answeredMs = performance.now() - startedAt;
      await delay(AFTER_MS);
    });
    lines.push({ what: `${name}: answered`, value: Math.round(answeredMs), unit: 'ms', max: ANSWER_MS_MAX });
    lines.push({
      what: `${name}: delivery p95 of others`,
      value: round(p95, 1),
      unit: 'ms',
      max: P95_MS_MAX,
    });
  }
  printLines(`A disabled endpoint with ${bench.deliveries / 2} deliveries`, lines);
}

async function edit(
  bench: SizeBench,
  organization: number,
  endpointId: string,
  method: Method,
  body: object | null,
): Promise<void> {
  const response = await fetch(`${bench.stack.apiUrl}/webhooks/${endpointId}`, {
    method,
    body: body && JSON.stringify(body),
    headers: {
      authorization: `Bearer ${fleetOf(bench, organization).apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    },
  });
  if (response.status >= 300)
    throw new Error(`${method} answered ${response.status}: ${await response.text()}`);
}
