/** Section 11 of the contract: registering many devices at once. */
import assert from 'node:assert/strict';
import type { Answer, Client } from '../support/client.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

describe('An import of devices', () => {
  let dms: TestService;
  let org: TestOrganization;
  let api: Client;

  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    api = org.api;
  });

  const send = (raw: string | Buffer, type: string, headers: Record<string, string> = {}): Promise<Answer> =>
    api.post('/assets/import', undefined, { raw, headers: { 'content-type': type, ...headers } });
  const sendCsv = (raw: string | Buffer, headers?: Record<string, string>) => send(raw, 'text/csv', headers);
  const sendJson = (rows: unknown) => send(JSON.stringify(rows), 'application/json');
  const counts = ({ body: { created, unchanged, failed } }: Answer) => [created, unchanged, failed];
  const serials = async (): Promise<string[]> =>
    (await api.get('/assets')).body.items.map(({ serialNumber }: { serialNumber: string }) => serialNumber);

  it('registers devices from CSV and from JSON with every field, each with a result of its own', async () => {
    const csv =
      '\ufeffserialNumber,name,floor,buildingId\r\n282C02424EED,"Fridge, left",-2,main\r\n282C02424EEE,,,\r\n';
    const answer = await sendCsv(csv);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(counts(answer), [2, 0, 0]);
    const [first, second] = answer.body.results;
    assert.deepEqual([first.row, first.serialNumber, first.error], [1, '282C02424EED', null]);
    const fridge = (await api.get(`/assets/${first.id}`)).body;
    assert.deepEqual([fridge.name, fridge.floor, fridge.buildingId], ['Fridge, left', -2, 'main']);
    assert.equal((await api.get(`/assets/${second.id}`)).body.name, '282C02424EEE');
    const json = await sendJson([{ serialNumber: '282C02424EEF', model: 'TVO-THT' }]);
    assert.deepEqual(counts(json), [1, 0, 0]);
    assert.equal((await api.get(`/assets/${json.body.results[0].id}`)).body.model, 'TVO-THT');
    assert.equal((await api.get('/devices/282C02424EEF/config')).body.syncStatus, 'no_device_report');
  });

  it('changes nothing when the same rows come again, whatever else they say, also twice in one import', async () => {
    const first = await sendJson([{ serialNumber: 'A-1', name: 'One' }]);
    const again = await sendJson([
      { serialNumber: 'a-1', name: 'Other' },
      { serialNumber: 'B-1', name: 'Two' },
      { serialNumber: 'b-1', name: 'Three' },
    ]);
    assert.deepEqual(counts(again), [1, 2, 0]);
    assert.equal(again.body.results[0].id, first.body.results[0].id);
    assert.equal(again.body.results[1].id, again.body.results[2].id);
    assert.equal((await api.get(`/assets/${again.body.results[0].id}`)).body.name, 'One');
    assert.equal((await api.get(`/assets/${again.body.results[1].id}`)).body.name, 'Two');
    assert.equal((await api.get('/assets')).body.totalItems, 2);
  });

  it('never fails the neighbours of a row that is wrong, and says what is wrong with it', async () => {
    const answer = await sendJson([
      { serialNumber: 'GOOD-1' },
      { name: 'no serial' },
      { serialNumber: 'a b' },
      7,
      null,
      { serialNumber: 'X-1', floor: '3' },
      { serialNumber: 'X-2', name: 'nul \u0000' },
      { serialNumber: 'X-3', colour: 'red' },
      { serialNumber: 'config-jobs' },
      { serialNumber: 'GOOD-2' },
    ]);
    assert.deepEqual(counts(answer), [2, 0, 8]);
    const errors = answer.body.results.map(({ error }: { error: string | null }) => error);
    for (const [index, pattern] of [
      [1, /^serialNumber is required/],
      [2, /^serialNumber /],
      [3, /must be an object/],
      [4, /must be an object/],
      [5, /^floor must be a number/],
      [6, /NUL/],
      [7, /^colour is not allowed/],
      [8, /^serialNumber must not be/],
    ] as const)
      assert.match(errors[index], pattern);
    assert.deepEqual(await serials(), ['GOOD-1', 'GOOD-2']);
    const csv = await sendCsv('serialNumber,floor\nGOOD-3,1\nX-4,1,2\nX-5,high\nX-6\n');
    assert.deepEqual(counts(csv), [2, 0, 2]);
    assert.match(csv.body.results[1].error, /3 cells/);
    assert.match(csv.body.results[2].error, /^floor must be a number/);
  });

  it('refuses a body that is no list of devices as a whole', async () => {
    for (const [raw, type, message] of [
      ['', 'text/csv', /must not be empty/],
      ['serialNumber\n', 'text/csv', /1 to 10000 devices/],
      ['serialNumber,colour\nA,red\n', 'text/csv', /^Column 2 has an unknown name: .*waterType/],
      ['name\nA\n', 'text/csv', /column serialNumber$/],
      ['serialNumber,serialNumber\nA,A\n', 'text/csv', /each column once/],
      ['serialNumber\n"A', 'text/csv', /double quote of a cell is not closed$/],
      [Buffer.from([0x73, 0xff]), 'text/csv', /UTF-8/],
      ['{}', 'application/json', /must be a list/],
      ['[]', 'application/json', /1 to 10000 devices/],
      ['[', 'application/json', /must be JSON/],
      [`[${Array(10_001).fill('{}')}]`, 'application/json', /1 to 10000 devices/],
    ] as const) {
      const { status, body } = await send(raw as string, type);
      assert.equal(status, 400, String(raw).slice(0, 20));
      assert.match(body.message, message);
    }
    assert.equal((await send('serialNumber\nA\n', 'text/plain')).status, 415);
    assert.equal((await sendCsv(Buffer.alloc(8 * 1024 * 1024 + 1, 'a'))).status, 413);
  });

  it('replays the answer under an Idempotency-Key, and refuses the key for other rows', async () => {
    const key = { 'idempotency-key': 'import-1' };
    const first = await sendCsv('serialNumber\nA-1\n', key);
    const again = await sendCsv('serialNumber\nA-1\n', key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await sendCsv('serialNumber\nA-2\n', key)).status, 422);
    assert.deepEqual(await serials(), ['A-1']);
  });

  it('registers each device once when two imports of the same rows in opposite orders run at once', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) => ({ serialNumber: `SAME-${n}` }));
    const answers = await Promise.all([sendJson(rows), sendJson([...rows].reverse())]);
    const [created, unchanged, failed] = [0, 1, 2].map((index) =>
      answers.reduce((sum, answer) => sum + counts(answer)[index], 0),
    );
    assert.deepEqual([created, unchanged, failed], [1_500, 1_500, 0]);
    assert.equal((await api.get('/assets')).body.totalItems, 1_500);
  });

  it('takes three statements for a thousand rows, not one for each', async () => {
    let statements = 0;
    const counted = () => void statements++;
    dms.service.sql.on('query', counted);
    await sendJson(Array.from({ length: 1_000 }, (_, n) => ({ serialNumber: `MANY-${n}` })));
    dms.service.sql.off('query', counted);
    assert.ok(statements <= 6, String(statements));
  });
});
