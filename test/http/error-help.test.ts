/** Every error links to the section of the documentation that explains it. */
import assert from 'node:assert/strict';
import { ERROR_SECTIONS } from '../../src/http/render-error.ts';
import { exchange } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

const SERIAL = '282C02424EED';

describe('Errors', () => {
  const dms = useService({ withWorker: false });
  let page: string;
  const sections = Object.entries(ERROR_SECTIONS).map(
    ([status, section]) => [Number(status), section] as const,
  );

  before(async () => {
    page = (await dms.with(null).get('/docs/errors')).text;
  });

  const linkTo = (status: number) =>
    `</docs/errors#${ERROR_SECTIONS[status as keyof typeof ERROR_SECTIONS]}>; rel="help"`;

  it('finds a section for each error on the page about errors, which begins with the status', () => {
    for (const [status, section] of sections)
      assert.match(
        page,
        new RegExp(`<h2 id="${section}">[^\\n]*</h2>\\s*<p><strong>${status}\\.</strong> `),
        section,
      );
  });

  it('finds all errors in the table of the page, each with a link to its section', () => {
    const rows = [...page.matchAll(/<tr><td>(\d{3})<\/td>\s*<td><a href="[^"]*#([a-z-]+)">/g)];
    assert.deepEqual(
      rows.map(([, status, section]) => [Number(status), section]),
      sections,
    );
  });

  it('links the section in every refusal: by route, key, role, type, size, shape, rule, or the parser', async () => {
    const reader = await dms.issueKey(dms.id, 'customer', 'read');
    await dms.api.post('/assets', { serialNumber: SERIAL });
    const key = { headers: { 'idempotency-key': 'one' } };
    await dms.api.post('/assets', { serialNumber: 'OTHER' }, key);
    const answers = [
      await dms.api.get('/assets?limit=x'),
      await dms.with(null).get('/assets'),
      await dms.with(reader.token).post('/assets', {}),
      await dms.api.get('/nothing'),
      await dms.device.get(`/devices/${SERIAL}X/pending-config`),
      await dms.api.send('DELETE', '/assets'),
      await dms.api.post('/assets', { serialNumber: SERIAL }),
      await dms.api.post('/assets', undefined, { raw: 'x'.repeat(1024 * 1024 + 1) }),
      await dms.api.post('/assets', undefined, { headers: { 'content-type': 'text/plain' }, raw: 'x' }),
      await dms.api.post('/assets', { serialNumber: 'THIRD' }, key),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 401, 403, 404, 404, 405, 409, 413, 415, 422],
    );
    for (const { status, headers } of answers) assert.equal(headers.link, linkTo(status));
    const unreadable = await exchange(dms.baseUrl, ['NO HTTP\r\n\r\n']);
    assert.equal(unreadable?.headers.link, linkTo(400));
  });

  it('links the section when a stored refusal is repeated', async () => {
    const key = { headers: { 'idempotency-key': 'refused' } };
    const body = { serialNumber: SERIAL };
    const [first, second] = [
      await dms.api.post('/assets', body, key),
      await dms.api.post('/assets', body, key),
    ];
    assert.equal(second.headers['idempotent-replayed'], 'true');
    for (const { headers } of [first, second]) assert.equal(headers.link, linkTo(409));
  });

  it("links the section on the operators' page", async () => {
    const { status, headers } = await fetch(`${dms.baseUrl}/operator`);
    assert.deepEqual([status, headers.get('link')], [401, linkTo(401)]);
  });

  it('links the section in no other answer', async () => {
    for (const path of ['/assets', '/livez', '/docs', '/alerts'])
      assert.doesNotMatch(String((await dms.api.get(path)).headers.link), /help/, path);
  });
});
