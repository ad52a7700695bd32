/** A request or a message of a device as one trace; the tests collect the spans. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { query } from '../../src/db/query.ts';
import { createLog } from '../../src/process/log.ts';
import { type CollectedSpan, useCollector } from '../support/collector.ts';
import { applyAnswer, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { useReceiver } from '../support/receiver.ts';
import { startService, type TestService, useService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
async function subscribe({ api }: TestService, url: string): Promise<void> {
  assert.equal((await api.post('/cellular-webhooks', { url })).status, 201);
  assert.equal((await api.post('/webhooks', { url, events: ['config.job.finished'] })).status, 201);
}

const newTrace = () => randomBytes(16).toString('hex');
const traceparent = (traceId: string, flags = '01') => `00-${traceId}-${'1'.repeat(16)}-${flags}`;

describe('Traces', () => {
  const collector = useCollector();
  const receiver = useReceiver();
  const dms = useService(() => ({
    settings: { traces: { endpoint: collector.url, sampledShare: 1, delayMs: 20 } },
  }));
  before(() => subscribe(dms, receiver.url));

  const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  const namesOf = (spans: CollectedSpan[]) => spans.map(({ name }) => name);
  const untilSpan = (traceId: string, name: string) =>
    eventually(
      async () => spansOf(traceId),
      (spans) => namesOf(spans).includes(name),
    );
  /** The path from the span to the first collected one of its trace. */
  function pathTo(spans: CollectedSpan[], name: string): string[] {
    const span = spans.find((each) => each.name === name);
    const path: string[] = [];
    for (let at = span; at; at = spans.find(({ spanId }) => spanId === at?.parentSpanId))
      path.unshift(at.name);
    return path;
  }
  const webhookOf = (isSought: (data: Record<string, unknown>) => boolean) =>
    eventually(
      async () => receiver.received.find(({ event }) => isSought(event.data)),
      (found) => found !== undefined,
      { pauseMs: 10 },
    );

  it('follows a message of a logger through its batch and transaction to the webhook', async () => {
    const serial = '282C02AABC01';
    await register(dms, serial);
    const { token } = await dms.issueKey(dms.id, 'device');
    const logger = await openLogger({ serial, coapPort: dms.coapPort, token });
    await logger.measure();
    await logger.close();
    const webhook = await webhookOf(({ serialNumber }) => serialNumber === serial);
    const [, traceId = '', spanId] = String(webhook?.headers.traceparent).split('-');
    await untilSpan(traceId, 'webhook');
    const spans = await untilSpan(traceId, 'CoAP m');
    assert.deepEqual(pathTo(spans, 'transaction'), ['CoAP m', 'batch of messages', 'transaction']);
    assert.deepEqual(pathTo(spans, 'webhook'), ['CoAP m', 'webhook']);
    assert.equal(spans.find(({ name }) => name === 'webhook')?.spanId, spanId);
  });

  it('follows a request, in the trace of its sender, through the run and its steps to the webhook', async () => {
    await register(dms, 'LOGGER-1');
    const slug = await createProfile(dms, FRIDGE);
    const traceId = newTrace();
    const headers = { traceparent: traceparent(traceId) };
    const url = `/devices/config-profiles/${slug}/apply`;
    const { body } = await dms.api.put(url, { serialNumbers: ['LOGGER-1'] }, { headers });
    await applyAnswer(dms, 'LOGGER-1');
    const webhook = await webhookOf((data) => data.id === body.jobId || data.jobId === body.jobId);
    assert.equal(String(webhook?.headers.traceparent).split('-')[1], traceId);
    const path = [
      'applyProfile',
      'transaction',
      'start applyProfile',
      'completeJob',
      'transaction',
      'webhook',
    ];
    // The step that completes the job ends after the webhook that it queued.
    await eventually(
      async () => pathTo(spansOf(traceId), 'webhook'),
      (seen) => isDeepStrictEqual(seen, path),
    );
    const [request] = spansOf(traceId).filter(({ parentSpanId }) => parentSpanId === '1'.repeat(16));
    assert.equal(request?.name, 'applyProfile');
  });

  it('separates the messages of different devices in one batch', async () => {
    const devices = Array.from({ length: 12 }, (_, index) => ({
      serial: `DEVICE-${index}`,
      traceId: newTrace(),
    }));
    for (const { serial } of devices) await register(dms, serial);
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    await Promise.all(
      devices.map(({ serial, traceId }) =>
        dms.device.post(
          `/devices/${serial}/measurements`,
          { readings },
          { headers: { traceparent: traceparent(traceId) } },
        ),
      ),
    );
    for (const { serial, traceId } of devices) {
      const webhook = await webhookOf(({ serialNumber }) => serialNumber === serial);
      assert.equal(String(webhook?.headers.traceparent).split('-')[1], traceId);
    }
    const batches = await eventually(
      async () => collector.spans.filter(({ name }) => name === 'batch of messages'),
      (spans) => spans.some(({ linkedTraceIds }) => linkedTraceIds.length > 0),
    );
    const shared = batches.find(({ linkedTraceIds }) => linkedTraceIds.length > 0);
    const known = new Set(devices.map(({ traceId }) => traceId));
    assert.ok(
      shared?.linkedTraceIds.every((traceId) => known.has(traceId)),
      JSON.stringify(batches),
    );
  });

  it('begins no trace for probes, nor if the sender does not sample', async () => {
    const traceId = newTrace();
    const headers = { traceparent: traceparent(traceId, '00') };
    await register(dms, 'UNSAMPLED');
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    await dms.device.post('/devices/UNSAMPLED/measurements', { readings }, { headers });
    const webhook = await webhookOf(({ serialNumber }) => serialNumber === 'UNSAMPLED');
    assert.equal(webhook?.headers.traceparent, undefined);
    await dms.api.get('/livez', { headers: { traceparent: traceparent(traceId) } });
    const other = newTrace();
    await dms.api.get('/assets', { headers: { traceparent: traceparent(other) } });
    await untilSpan(other, 'listAssets');
    assert.deepEqual(spansOf(traceId), []);
  });

  it('drops traces that the collector does not accept, with one warning and no other failure', async () => {
    const lines: string[] = [];
    const other = await startService({
      withWorker: false,
      log: createLog('warn', { write: (line) => void lines.push(line) }),
      settings: { traces: { endpoint: `${collector.url}/elsewhere`, sampledShare: 1, delayMs: 20 } },
    });
    for (let count = 0; count < 3; count++) {
      await register(other, `LOGGER-${count}`);
      await delay(60);
    }
    await eventually(
      async () => lines.join(''),
      (text) => text.includes('did not take spans'),
    );
    await other.stop();
    assert.equal(lines.length, 1, lines.join(''));
  });

  it('loads no package and stores nothing while traces are off', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { compose } from './src/compose/service.ts';
      import { readSettings } from './src/process/config.ts';
      import { createLog } from './src/process/log.ts';
      const env = { DATABASE_URL: 'postgres://nowhere', TEMPORAL_ADDRESS: 'nowhere:1',
        SECRETS_KEYS: '1:' + Buffer.alloc(32).toString('base64') };
      const log = createLog('silent');
      const { cache } = createRequire(import.meta.url);
      const count = () => Object.keys(cache).filter((path) => /opentelemetry.(sdk|exporter|resources)/.test(path)).length;
      compose({ settings: readSettings(env), log });
      console.log(count());
      compose({ settings: readSettings({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }), log });
      console.log(count());
      process.exit();`;
    const args = ['--import=#typescript', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const [loadedOff, loadedOn] = stdout.trim().split('\n').map(Number);
    assert.equal(loadedOff, 0);
    assert.ok(Number(loadedOn) > 0, stdout);
    const off = await startService({ withWorker: false });
    await subscribe(off, receiver.url);
    await register(off, 'LOGGER-1');
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const headers = { traceparent: traceparent(newTrace()) };
    await off.device.post('/devices/LOGGER-1/measurements', { readings }, { headers });
    assert.deepEqual(await query(off.service.sql, 'select trace from events'), [{ trace: null }]);
    await off.stop();
  });
});
