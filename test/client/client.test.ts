/** The typed client against the real service. Its calls are type-checked with the repository. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiError,
  type Arguments,
  type Client,
  ConnectionError,
  createClient,
  each,
  verifyWebhook,
  WebhookVerificationError,
  waitUntilApplied,
} from '../../client/src/index.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { timerWarnings } from '../support/timer-warnings.ts';
import {
  CUT_OFF,
  CUT_OFF_REFUSAL,
  EMPTY_LIST,
  MOVED,
  NESTED_JSON,
  NESTED_REFUSAL,
  NO_HTTP,
  NO_JSON,
  RUNNING,
  startScriptedServer,
} from './scripted-server.ts';

const FRIDGE = {
  name: 'Vaccine fridge',
  temperatureAlerts: [{ type: 'range' as const, channel: 'probe' as const, lowC: 2, highC: 8 }],
  intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 },
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('The typed client', () => {
  const service = useService({ withWorker: false });
  let apiKey: string;
  let dms: Client;

  before(async () => {
    apiKey = (await service.issueKey(service.id, 'customer')).token;
    dms = createClient({ baseUrl: service.baseUrl, apiKey });
  });

  const serial = () => `282C${randomUUID().slice(0, 8).toUpperCase()}`;

  it('stops waiting when the caller aborts', async () => {
    const serialNumber = serial();
    await dms.registerAsset({ body: { serialNumber } });
    const slug = 'never-confirmed';
    await dms.createProfile({ body: { ...FRIDGE, slug } });
    const { jobId } = await dms.applyProfile({ slug, body: { serialNumbers: [serialNumber] } });
    const waiting = new AbortController();
    const ended = waitUntilApplied(dms, jobId as string, { signal: waiting.signal });
    waiting.abort(new Error('not today'));
    await assert.rejects(ended, /not today/);
  });

  it('takes an interval of polls that is longer than timers can be', async () => {
    const getConfigJob = (async () => ({ status: 'running' })) as never;
    const waiting = new AbortController();
    const options = { signal: waiting.signal, pollMs: 30 * DAY_MS };
    let ended: Promise<unknown> = Promise.resolve();
    const warnings = await timerWarnings(() => {
      ended = waitUntilApplied({ getConfigJob }, 'of-a-month', options);
    });
    waiting.abort(new Error('not today'));
    await assert.rejects(ended, /not today/);
    assert.deepEqual(warnings, []);
  });

  it('reads all items of a list, for any size of its pages', async () => {
    for (let index = 0; index < 5; index++) await dms.registerAsset({ body: { serialNumber: serial() } });
    const { totalItems } = await dms.listAssets();
    const ids = new Set<string>();
    for await (const { id } of each(dms.listAssets, { limit: 2 })) ids.add(id);
    assert.equal(ids.size, totalItems);
  });

  it('throws the message of the service, with its status and the id of the request', async () => {
    const error = await dms.getAsset({ assetId: randomUUID() }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 404);
    assert.ok(error.requestId);
    assert.notEqual(error.message, '');
  });

  /** A client that loses its first answer, after the service has done its work. */
  function losingClient(): Client {
    let calls = 0;
    return createClient({
      baseUrl: service.baseUrl,
      apiKey,
      retry: { firstMs: 1 },
      async fetch(...request) {
        const response = await fetch(...request);
        if (++calls === 1) throw new TypeError('the connection is gone');
        return response;
      },
    });
  }

  it('creates once when the answer is lost', async () => {
    const serialNumber = serial();
    const asset = await losingClient().registerAsset({ body: { serialNumber } });
    assert.equal((await dms.getAsset({ assetId: asset.id })).serialNumber, serialNumber);
  });

  it('returns the job that a change of a group has begun when the answer is lost', async () => {
    const serialNumber = serial();
    await dms.registerAsset({ body: { serialNumber } });
    await dms.createProfile({ body: { ...FRIDGE, slug: 'of-a-group' } });
    const { id: groupId } = await dms.createGroup({ body: { name: 'Fridges' } });
    await dms.addGroupMembers({ groupId, body: { serialNumbers: [serialNumber] } });
    const { jobId } = await losingClient().updateGroup({ groupId, body: { profileSlug: 'of-a-group' } });
    assert.equal((await dms.getConfigJob({ jobId: jobId as string })).total, 1);
  });

  it('takes a deletion for done whose answer is lost, and not one that found nothing', async () => {
    const { id: groupId } = await dms.createGroup({ body: { name: 'Freezers' } });
    assert.equal(await losingClient().deleteGroup({ groupId }), null);
    await assert.rejects(losingClient().archiveAsset({ assetId: randomUUID() }), { status: 404 });
    const { id: assetId } = await dms.registerAsset({ body: { serialNumber: serial() } });
    assert.deepEqual(await losingClient().archiveAsset({ assetId }), { deleted: true });
    const server = await startScriptedServer([NESTED_REFUSAL, CUT_OFF_REFUSAL]);
    const client = createClient({ baseUrl: server.url, apiKey, retry: { firstMs: 1 } });
    await assert.rejects(client.deleteGroup({ groupId }), { status: 404 });
    assert.equal(server.requests, 2);
    server.stop();
  });

  it('repeats safe requests until a complete answer arrives', async () => {
    const server = await startScriptedServer([CUT_OFF, NO_HTTP, NESTED_REFUSAL, EMPTY_LIST]);
    const client = createClient({ baseUrl: server.url, apiKey, retry: { firstMs: 1 } });
    assert.equal((await client.listAssets()).totalItems, 0);
    assert.equal(server.requests, 4);
    server.stop();
  });

  it('waits for a call that still runs, and keeps its retries for failures', async () => {
    const answers = [...Array(9).fill(RUNNING), CUT_OFF, RUNNING, EMPTY_LIST];
    const server = await startScriptedServer(answers);
    const client = createClient({ baseUrl: server.url, apiKey, retry: { retries: 1, firstMs: 1 } });
    assert.equal((await client.listAssets()).totalItems, 0);
    assert.equal(server.requests, answers.length);
    server.stop();
  });

  it('throws a ConnectionError that names the address and the reason when nothing answers', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9/x', apiKey, retry: { retries: 0 } });
    const error = await client.listAssets().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ConnectionError, String(error));
    assert.match(error.message, /^No answer from http:\/\/127\.0\.0\.1:9: (?!fetch failed)./);
    assert.ok(error.cause instanceof TypeError);
  });

  it('throws an ApiError with its status for every answer that is not JSON of the service', async () => {
    for (const [answer, status] of [
      [NO_JSON, 200],
      [NESTED_JSON, 200],
      [MOVED, 301],
      [CUT_OFF_REFUSAL, 404],
    ] as const) {
      const server = await startScriptedServer([answer]);
      const client = createClient({ baseUrl: server.url, apiKey, retry: { firstMs: 1 } });
      const error = await client.listAssets().catch((thrown: unknown) => thrown);
      assert.ok(error instanceof ApiError, String(error));
      assert.deepEqual([error.status, server.requests], [status, 1]);
      server.stop();
    }
  });

  it('streams files from answers', async () => {
    const { id: assetId } = await dms.registerAsset({ body: { serialNumber: serial() } });
    const csv = await dms.send('listMeasurements', { assetId }, { headers: { Accept: 'text/csv' } });
    assert.match(await csv.text(), /^channel,/);
    const pdf = new TextEncoder().encode('%PDF-1.7 of a test');
    await dms.uploadCalibrationCertificate({ assetId, body: pdf });
    const file = await dms.getCalibrationCertificate({ assetId });
    assert.deepEqual(new Uint8Array(await file.arrayBuffer()), pdf);
  });

  it('waits without a limit when the time is infinite', async () => {
    const client = createClient({
      baseUrl: service.baseUrl,
      apiKey,
      timeoutMs: Number.POSITIVE_INFINITY,
      retry: { retries: 0 },
      fetch: async (url, request) => {
        await delay(10);
        return fetch(url, request);
      },
    });
    assert.deepEqual(Object.keys(await client.listAssets()).slice(0, 1), ['items']);
  });

  it('limits the time until a streamed answer begins, and not how long it lasts', async () => {
    const signals: AbortSignal[] = [];
    const client = createClient({
      baseUrl: service.baseUrl,
      apiKey,
      timeoutMs: 5,
      retry: { retries: 0 },
      fetch: async (_url, request) => {
        const { signal } = request as { signal: AbortSignal };
        signals.push(signal);
        if (signals.length === 1) return new Response('channel,');
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    const caller = new AbortController();
    await client.send('listMeasurements', { assetId: randomUUID() }, { signal: caller.signal });
    // The limit of this later call ends after that of the first one would have.
    await assert.rejects(client.listAssets(), ConnectionError);
    assert.equal(signals[0]?.aborted, false);
    caller.abort();
    assert.equal(signals[0]?.aborted, true);
  });

  it('reads a list that has no pages to its end', async () => {
    await dms.createWebhook({ body: { url: 'http://127.0.0.1:9/hooks', secret: SECRET } });
    let seen = 0;
    for await (const { id } of each(dms.listWebhooks, {})) if (++seen > 1 || id === '') break;
    assert.equal(seen, 1);
  });

  it('sends a body of another media type unchanged, whatever the case of the names of headers', async () => {
    const toTable = () => `serialNumber;name\n${serial()};Fridge 1\n`;
    const headers = { 'Content-Type': 'text/csv' };
    assert.equal((await dms.importAssets({ body: toTable() }, { headers })).created, 1);
    const lower = { headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() } };
    const body = toTable();
    // The second answer is that of the first call.
    for (const _ of [1, 2]) assert.equal((await dms.importAssets({ body }, lower)).created, 1);
  });

  it('sends text of JSON unchanged, and encodes a value also where the media type has parameters', async () => {
    const send = async (body: Arguments<'importAssets'>['body'], type: string) =>
      (await dms.importAssets({ body }, { headers: { 'Content-Type': type } })).created;
    const toRows = () => [{ serialNumber: serial() }];
    assert.equal(await send(JSON.stringify(toRows()), 'application/json'), 1);
    assert.equal(await send(toRows(), 'application/json; charset=utf-8'), 1);
  });

  it('throws what is wrong with a request as it is, and sends nothing', async () => {
    let calls = 0;
    const options = { baseUrl: service.baseUrl, fetch: async () => new Response(`${++calls}`) };
    const client = createClient({ ...options, apiKey });
    await assert.rejects(createClient({ ...options, apiKey: 'dms_live_3fZk…' }).listAssets(), TypeError);
    await assert.rejects(client.listAssets({}, { headers: { Accept: 'text/csv…' } }), TypeError);
    // @ts-expect-error: a stream cannot be sent again.
    const upload = client.uploadCalibrationCertificate({ assetId: randomUUID(), body: new Blob().stream() });
    await assert.rejects(upload, TypeError);
    assert.equal(calls, 0);
  });

  it('verifies webhooks of the service, and refuses others', async () => {
    const receiver = await startReceiver();
    const { id: webhookId } = await dms.createWebhook({ body: { url: receiver.url, secret: SECRET } });
    await dms.testWebhook({ webhookId });
    const [request] = await receiver.until(1);
    assert.ok(request);
    const { headers, body } = request;
    const event = await verifyWebhook({ headers, body }, SECRET);
    assert.equal(event.type, 'webhook.test');
    const refused = (changed: object, secret = SECRET, options = {}) =>
      assert.rejects(verifyWebhook({ headers, body, ...changed }, secret, options), WebhookVerificationError);
    await refused({ body: `${body} ` });
    await refused({}, 'another secret of 20');
    await refused({ headers: { ...headers, 'webhook-id': 'another' } });
    await refused({ headers: {} });
    await refused({}, SECRET, { now: new Date(Date.now() + 600_000) });
    await dms.deleteWebhook({ webhookId });
    await receiver.stop();
  });
});
