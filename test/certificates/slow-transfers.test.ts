/** Certificates are streamed in both directions: slow clients hold little memory, and not forever. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { HOUR_MS } from '../../src/process/durations.ts';
import type { Answer } from '../support/client.ts';
import { eventually, register } from '../support/fleet.ts';
import { liveMemoryMb } from '../support/live-memory.ts';
import { startService, type TestService, useService } from '../support/service.ts';
import { startSlowReader } from '../support/slow-reader.ts';

const PDF = 'application/pdf';
const SIZE = 10 * 1024 * 1024;
/** Twice the limit of one organization. */
const UPLOADS = 12;
const READERS = 10;
/** A tenth of the bytes that ten of them request. */
const GROWTH_MAX_MB = 10;
const TRANSFERS = {
  poolSize: 4,
  exports: { perKeyMax: 1, perProcessMax: 1 },
  uploads: { perKeyMax: 5, perProcessMax: 12 },
  downloads: { perKeyMax: READERS, perProcessMax: 2 * (READERS + 1) },
};

const pathOf = (assetId: string) => `/assets/${assetId}/calibration-certificate`;

describe('Slow clients of certificates', () => {
  const dms = useService({
    withWorker: false,
    settings: { writeTimeoutMs: HOUR_MS, transfers: TRANSFERS },
  });
  let assetId: string;
  let token: string;
  let open: Socket[];
  /** The statuses of uploads that are answered before they are complete. */
  let refusals: number[];
  const content = Buffer.alloc(SIZE, 'x');
  content.write('%PDF-');

  before(async () => {
    assetId = await register(dms, 'SLOW-1');
    token = await newToken();
    assert.equal((await put()).status, 200);
    await download();
  });
  beforeEach(() => {
    open = [];
    refusals = [];
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
  });

  const newToken = async () => (await dms.issueKey(dms.id, 'customer')).token;
  const put = (raw = content) =>
    dms.api.put(pathOf(assetId), undefined, { raw, headers: { 'content-type': PDF } });
  const download = () => dms.api.get(pathOf(assetId));
  const startReaders = ({ baseUrl } = dms) =>
    Array.from({ length: READERS }, () => startSlowReader(baseUrl, { path: pathOf(assetId), token }));

  /** Sends all but the last byte. Resolves when it is sent, or refused before; a refusal is recorded. */
  async function startUpload(key: string, bytes: Buffer): Promise<void> {
    const { hostname, port } = new URL(dms.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    open.push(socket);
    const lines = [
      `PUT ${pathOf(assetId)} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key}`,
      `Content-Type: ${PDF}`,
      `Content-Length: ${bytes.length}`,
    ];
    const answered = once(socket, 'data').then(([data]) => {
      refusals.push(Number(String(data).split(' ')[1]));
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const isSent = socket.write(bytes.subarray(0, -1));
    await Promise.race([answered, isSent ? null : once(socket, 'drain')]);
  }

  it('holds less than 10 MB for ten clients that do not read their 10 MiB', async () => {
    const before = await liveMemoryMb();
    const readers = startReaders();
    const statuses = await Promise.all(readers.map(({ status }) => status));
    const held = (await liveMemoryMb()) - before;
    assert.ok(held <= GROWTH_MAX_MB, `${held.toFixed(1)} MB`);
    assert.deepEqual(new Set(statuses), new Set([200]));

    const refused = await dms.with(token).get(pathOf(assetId));
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '5']);
    assert.equal((await download()).status, 200, 'with another key');
    for (const reader of readers) reader.stop();
  });

  it('disconnects clients that do not read for a time, and then serves their key again', async () => {
    const settings = { writeTimeoutMs: 2_000, transfers: TRANSFERS };
    const { databaseUrl } = dms.settings;
    const impatient = await startService({ withWorker: false, databaseUrl, settings });
    const readers = startReaders(impatient);
    const statuses = await Promise.all(readers.map(({ status }) => status));
    assert.deepEqual(new Set(statuses), new Set([200]));
    const afterwards = await eventually(
      () => impatient.with(token).get(pathOf(assetId)),
      ({ status }) => status === 200,
    );
    assert.ok(afterwards.bytes.equals(content));
    const taken = await Promise.all(readers.map((reader) => reader.readOn()));
    assert.ok(
      taken.some(({ bytes }) => bytes < SIZE),
      'they were cut off',
    );
    await impatient.stop();
  });

  it('limits concurrent uploads per key', async () => {
    const small = Buffer.from(`%PDF-${'x'.repeat(1_000)}`);
    for (let upload = 0; upload < 7; upload++) await startUpload(token, small);
    await eventually(
      async () => refusals.length,
      (count) => count === 2,
    );
    assert.deepEqual(refusals, [429, 429]);
    const [own, others] = await Promise.all([dms.with(token), dms.api].map((api) => putWith(api)));
    assert.deepEqual([own?.status, own?.headers['retry-after'], others?.status], [429, '5', 200]);
    for (const socket of open) socket.destroy();
    await eventually(
      async () => (await putWith(dms.with(token))).status,
      (status) => status === 200,
    );
  });

  it('holds less than 10 MB for twelve clients that withhold the last byte of an upload of 10 MiB', async () => {
    const before = await liveMemoryMb();
    const keys = await Promise.all(Array.from({ length: 4 }, newToken));
    await Promise.all(
      Array.from({ length: UPLOADS }, (_, index) =>
        startUpload(keys[index % keys.length] as string, content),
      ),
    );
    await eventually(
      async () => refusals.length,
      (count) => count >= UPLOADS - TRANSFERS.uploads.perProcessMax / 2,
    );
    const held = (await liveMemoryMb()) - before;
    assert.ok(held <= GROWTH_MAX_MB, `${held.toFixed(1)} MB`);
    assert.deepEqual(new Set(refusals), new Set([429]));
  });

  const putWith = (api: TestService['api']): Promise<Answer> =>
    api.put(pathOf(assetId), undefined, { raw: content, headers: { 'content-type': PDF } });
});
