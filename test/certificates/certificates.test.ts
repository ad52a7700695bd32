/** Calibration certificates: a PDF per serial number, uploaded and downloaded through its asset (docs/contract.md, 5). */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { createCertificateContentsRepository } from '../../src/certificates/certificate-contents.repository.ts';
import { createCertificatesRepository } from '../../src/certificates/certificates.repository.ts';
import { createCertificatesService } from '../../src/certificates/certificates.service.ts';
import { createTransact } from '../../src/db/transaction.ts';
import type { Answer, Client } from '../support/client.ts';
import { eventually, register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { startSlowReader } from '../support/slow-reader.ts';

const PDF = 'application/pdf';
const MAX_BYTES = 10 * 1024 * 1024;

const LARGE = Buffer.alloc(MAX_BYTES, 'x');
LARGE.write('%PDF-');

const pdf = (text: string) => Buffer.from(`%PDF-1.7\n${text}\n%%EOF`);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
/** Yields bytes as a file would. */
const pieces = (bytes: Buffer) => Readable.from([bytes]);
const pathOf = (assetId: string) => `/assets/${assetId}/calibration-certificate`;

function upload(api: Client, assetId: string, raw: Buffer | string, type = PDF): Promise<Answer> {
  return api.put(pathOf(assetId), undefined, { raw, headers: { 'content-type': type } });
}

const download = (api: Client, assetId: string, headers: Record<string, string> = {}) =>
  api.get(pathOf(assetId), { headers });

describe('Calibration certificates', () => {
  const dms = useService({ withWorker: false });
  let serials = 0;
  const nextSerial = () => `CERT-${++serials}`;

  it('answers an upload with a summary of the certificate', async () => {
    const assetId = await register(dms, 'Summary-1');
    const content = pdf('calibrated');
    const { status, body } = await upload(dms.api, assetId, content);
    assert.equal(status, 200);
    const { uploadedAt, ...rest } = body;
    assert.deepEqual(rest, {
      serialNumber: 'Summary-1',
      sizeBytes: content.length,
      sha256: sha256(content),
    });
    assert.equal(new Date(uploadedAt).toISOString(), uploadedAt);
    assert.ok(Math.abs(Date.now() - Date.parse(uploadedAt)) < 60_000);
  });

  it('serves a certificate byte for byte, as an attachment that browsers neither run nor sniff', async () => {
    const assetId = await register(dms, 'SN_1.a-2:b');
    const content = Buffer.concat([Buffer.from('%PDF-'), randomBytes(300_000)]);
    await upload(dms.api, assetId, content);
    const { status, headers, bytes } = await download(dms.api, assetId);
    assert.equal(status, 200);
    assert.ok(bytes.equals(content));
    assert.equal(headers['content-type'], PDF);
    assert.equal(headers['content-length'], String(content.length));
    assert.equal(
      headers['content-disposition'],
      'attachment; filename="calibration-certificate-SN_1.a-2_b.pdf"',
    );
    assert.equal(headers['content-security-policy'], 'sandbox');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers.etag, `"${sha256(content)}"`);

    const head = await dms.api.send('HEAD', pathOf(assetId));
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    assert.equal(head.headers['content-length'], String(content.length));
  });

  it('answers 304 without content to a caller who has the certificate', async () => {
    const assetId = await register(dms, nextSerial());
    await upload(dms.api, assetId, pdf('one'));
    const etag = String((await download(dms.api, assetId)).headers.etag);
    for (const present of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, bytes } = await download(dms.api, assetId, { 'if-none-match': present });
      assert.equal(status, 304, present);
      assert.equal(bytes.length, 0);
      assert.equal(headers.etag, etag);
    }
    for (const other of ['"other"', etag.slice(1, -1), '']) {
      assert.equal((await download(dms.api, assetId, { 'if-none-match': other })).status, 200, other);
    }
    await upload(dms.api, assetId, pdf('two'));
    const fresh = await download(dms.api, assetId, { 'if-none-match': etag });
    assert.equal(fresh.status, 200);
    assert.notEqual(fresh.headers.etag, etag);
  });

  it('answers 404 without an upload, and for an archived asset', async () => {
    const assetId = await register(dms, nextSerial());
    const none = await download(dms.api, assetId);
    assert.equal(none.status, 404);
    assert.match(none.body.message, /No calibration certificate/);
    await upload(dms.api, assetId, pdf('x'));
    await dms.api.delete(`/assets/${assetId}`);
    assert.equal((await download(dms.api, assetId)).status, 404);
    assert.equal((await upload(dms.api, assetId, pdf('x'))).status, 404);
  });

  it('keeps a certificate with its serial number, compared without case, for any asset with it', async () => {
    const { api } = dms;
    const first = await register(dms, 'Moving-A');
    await upload(api, first, pdf('of A'));
    await api.post(`/assets/${first}/replace-hardware`, { newSerialNumber: 'Moving-B' });
    assert.equal((await download(api, first)).status, 404, 'the new hardware has none');
    const second = await register(dms, 'MOVING-a');
    const { bytes, headers } = await download(api, second);
    assert.ok(bytes.equals(pdf('of A')));
    assert.match(String(headers['content-disposition']), /MOVING-a\.pdf/);
    const again = await upload(api, second, pdf('of a'));
    assert.equal(again.body.serialNumber, 'MOVING-a');
    const count = await dms.service
      .sql('certificates')
      .where({ organization_id: dms.id, serial_key: 'moving-a' })
      .count();
    assert.deepEqual(count, [{ count: 1 }]);
  });

  it('serves no certificate of another organization by its serial number', async () => {
    const other = await dms.addOrganization();
    const assetId = await register(dms, 'Shared-1');
    const foreignId = await register(other, 'Shared-1');
    await upload(dms.api, assetId, pdf('ours'));
    assert.equal((await download(other.api, foreignId)).status, 404);
    await upload(other.api, foreignId, pdf('theirs'));
    assert.ok((await download(dms.api, assetId)).bytes.equals(pdf('ours')));
  });

  it('refuses a certificate that does not begin with %PDF-', async () => {
    const assetId = await register(dms, nextSerial());
    for (const raw of ['%PDF', '%pdf-1.7', ' %PDF-1.7', '<html></html>', '\ufeff%PDF-1.7']) {
      const { status, body } = await upload(dms.api, assetId, raw);
      assert.equal(status, 400, raw);
      assert.match(body.message, /must begin with %PDF-/);
    }
    const empty = await upload(dms.api, assetId, Buffer.alloc(0));
    assert.equal(empty.status, 400);
    assert.match(empty.body.message, /empty/);
    assert.equal((await download(dms.api, assetId)).status, 404, 'nothing was stored');
    assert.equal((await upload(dms.api, assetId, '%PDF-')).status, 200);
  });

  it('accepts certificates only as application/pdf, uncompressed', async () => {
    const assetId = await register(dms, nextSerial());
    for (const type of [
      'application/json',
      'text/plain',
      'application/octet-stream',
      'multipart/form-data',
    ]) {
      assert.equal((await upload(dms.api, assetId, pdf('x'), type)).status, 415, type);
    }
    assert.equal((await upload(dms.api, assetId, pdf('x'), 'Application/PDF; version=1.7')).status, 200);
    const gzip = { 'content-type': PDF, 'content-encoding': 'gzip' };
    const compressed = await dms.api.put(pathOf(assetId), undefined, { raw: pdf('x'), headers: gzip });
    assert.equal(compressed.status, 415);
    const untyped = await fetch(dms.baseUrl + pathOf(assetId), {
      method: 'PUT',
      headers: { authorization: await bearer() },
      body: new Uint8Array(pdf('x')),
    });
    assert.equal(untyped.status, 415);
  });

  it('accepts certificates of up to 10 MiB, with and without Content-Length', async () => {
    const assetId = await register(dms, nextSerial());
    const stored = await upload(dms.api, assetId, LARGE);
    assert.equal(stored.status, 200);
    assert.equal(stored.body.sizeBytes, MAX_BYTES);
    assert.ok((await download(dms.api, assetId)).bytes.equals(LARGE));

    const tooLarge = Buffer.concat([LARGE, Buffer.from('x')]);
    for (const isAnnounced of [true, false]) {
      const refused = await putRaw(assetId, tooLarge, isAnnounced);
      assert.equal(refused.status, 413);
      assert.match(refused.text, /"success":false,"message":"The body must be at most 10485760 bytes/);
    }
    assert.equal((await putRaw(assetId, pdf('in chunks'), false)).status, 200);
  });

  it('keeps the earlier certificate, and nothing else, when the connection of an upload breaks', async () => {
    const assetId = await register(dms, nextSerial());
    for (const present of [null, pdf('present')]) {
      if (present) await upload(dms.api, assetId, present);
      const chunks = await countChunks();
      await breakOff(assetId, Buffer.concat([pdf('half'), Buffer.alloc(200_000)]), 300_000);
      await eventually(countChunks, (count) => count === chunks);
      const found = await download(dms.api, assetId);
      if (present) assert.ok(found.bytes.equals(present));
      else assert.equal(found.status, 404);
    }
  });

  it('ends a download with its original content when the certificate is replaced meanwhile', async () => {
    const { assetId, reader } = await readSlowly();
    await upload(dms.api, assetId, pdf('new'));
    assert.ok((await reader.readOn()).text.endsWith(`${LARGE.toString('latin1')}`), 'all of the old one');
    assert.ok((await download(dms.api, assetId)).bytes.equals(pdf('new')));
  });

  it('removes the contents of replaced certificates later, and aborts their remaining downloads', async () => {
    await removeReplaced();
    const { assetId, reader } = await readSlowly();
    await upload(dms.api, assetId, pdf('new'));
    const before = await countChunks();
    await createCertificateContentsRepository(dms.service.sql).removeDue(() => true);
    assert.equal(await countChunks(), before, 'not yet due');
    await removeReplaced(() => false);
    assert.equal(await countChunks(), before, 'the process stops');
    await dms.service.sql.raw(
      'insert into certificate_removals select ?, uuidv7(), now() from generate_series(1, 150)',
      [dms.id],
    );
    await removeReplaced();
    assert.equal(await countChunks(), before - LARGE.length / 65_536);
    assert.deepEqual(await own('certificate_removals'), []);
    const { bytes } = await reader.readOn();
    assert.ok(bytes < LARGE.length, `${bytes} bytes`);
    assert.ok((await download(dms.api, assetId)).bytes.equals(pdf('new')));
  });

  it('stores one of several concurrent uploads whole, and lists the others for removal', async () => {
    await removeReplaced();
    const assetId = await register(dms, nextSerial());
    const files = Array.from({ length: 4 }, (_, index) =>
      Buffer.concat([pdf(`${index}`), randomBytes(200_000)]),
    );
    const answers = await Promise.all(files.map((file) => upload(dms.api, assetId, file)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { bytes } = await download(dms.api, assetId);
    assert.ok(files.some((file) => file.equals(bytes)));
    const [row] = await own('certificate_removals').count();
    assert.deepEqual(row, { count: 3 });
  });

  it('stores a certificate for a serial number before its asset is registered', async () => {
    const transact = createTransact(dms.service.sql);
    const service = createService();
    const summary = await service.uploadForSerial(transact, dms.id, 'Early-1', pieces(pdf('early')));
    assert.equal(summary.serialNumber, 'Early-1');
    const assetId = await register(dms, 'EARLY-1');
    assert.ok((await download(dms.api, assetId)).bytes.equals(pdf('early')));

    await assert.rejects(
      service.uploadForSerial(transact, dms.id, 'no serial', pieces(pdf('x'))),
      /serial number is not valid/,
    );
    await assert.rejects(
      service.uploadForSerial(transact, dms.id, 'Early-2', pieces(Buffer.from('GIF89a'))),
      /begin with %PDF-/,
    );
    const long = Buffer.concat([pdf('x'), Buffer.alloc(MAX_BYTES)]);
    await assert.rejects(
      service.uploadForSerial(transact, dms.id, 'Early-2', pieces(long)),
      /at most 10485760 bytes/,
    );
  });

  it('refuses an upload whose content the sweep has removed before its end, and keeps the earlier certificate', async () => {
    const assetId = await register(dms, 'Slow-1');
    await upload(dms.api, assetId, pdf('earlier'));
    async function* slowly() {
      yield pdf('slow');
      await removeReplaced();
      yield Buffer.from('end');
    }
    await assert.rejects(
      createService().uploadForSerial(createTransact(dms.service.sql), dms.id, 'Slow-1', slowly()),
      { kind: 'unavailable' },
    );
    assert.ok((await download(dms.api, assetId)).bytes.equals(pdf('earlier')));
  });

  /** Outside of the HTTP API. */
  const createService = () =>
    createCertificatesService({
      certificates: createCertificatesRepository(dms.service.sql),
      certificatesIn: createCertificatesRepository,
      contents: createCertificateContentsRepository(dms.service.sql),
      findAsset: async () => null,
    });

  const own = (table: 'certificate_chunks' | 'certificate_removals') =>
    dms.service.sql(table).where({ organization_id: dms.id });

  const countChunks = async () => {
    const [row] = await own('certificate_chunks').count();
    return Number(row?.count);
  };

  /** Runs as the sweep does an hour later. */
  async function removeReplaced(shouldContinue = () => true): Promise<void> {
    await own('certificate_removals').update({ due_at: new Date() });
    await createCertificateContentsRepository(dms.service.sql).removeDue(shouldContinue);
  }

  /** Announces this many bytes, and disconnects before they are sent. */
  async function breakOff(assetId: string, bytes: Buffer, announced: number): Promise<void> {
    const headers = { authorization: await bearer(), 'content-type': PDF, 'content-length': announced };
    await new Promise<void>((resolve) => {
      const sending = httpRequest(dms.baseUrl + pathOf(assetId), { method: 'PUT', headers });
      sending.on('error', () => resolve());
      sending.on('response', () => resolve());
      sending.write(bytes, () => setTimeout(() => sending.destroy(), 100));
    });
  }

  /** A large certificate, and a client that has begun to read it. */
  async function readSlowly() {
    const assetId = await register(dms, nextSerial());
    await upload(dms.api, assetId, LARGE);
    const token = (await bearer()).replace('Bearer ', '');
    const reader = startSlowReader(dms.baseUrl, { path: pathOf(assetId), token });
    assert.equal(await reader.status, 200);
    return { assetId, reader };
  }

  const bearer = async () => `Bearer ${(await dms.issueKey(dms.id, 'customer')).token}`;

  /** With a length, or in chunks of unknown number. */
  async function putRaw(
    assetId: string,
    bytes: Buffer,
    isAnnounced: boolean,
  ): Promise<{ status: number; text: string }> {
    const length: Record<string, string> = isAnnounced ? { 'content-length': String(bytes.length) } : {};
    const headers = { authorization: await bearer(), 'content-type': PDF, ...length };
    return new Promise((resolve, reject) => {
      const sending = httpRequest(dms.baseUrl + pathOf(assetId), { method: 'PUT', headers });
      sending.on('error', reject);
      sending.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      for (let at = 0; at < bytes.length; at += 65_536) sending.write(bytes.subarray(at, at + 65_536));
      sending.end();
    });
  }
});
