/** Section 11 of the contract: registering many devices at once. */
import assert from 'node:assert/strict';
import { failedCsvRows } from '../../src/assets/asset-import.ts';
import type { Answer, Client } from '../support/client.ts';
import { useOrganization, useService } from '../support/service.ts';
import { statementsOf } from '../support/statements-of.ts';

describe('An import of devices', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let api: Client;

  beforeEach(() => {
    api = org.api;
  });

  const send = (raw: string | Buffer, type: string, headers: Record<string, string> = {}): Promise<Answer> =>
    api.post('/assets/import', undefined, { raw, headers: { 'content-type': type, ...headers } });
  const sendCsv = (raw: string | Buffer, headers?: Record<string, string>) => send(raw, 'text/csv', headers);
  const sendJson = (rows: unknown) => send(JSON.stringify(rows), 'application/json');
  const counts = ({ body: { created, unchanged, failed } }: Answer) => [created, unchanged, failed];
  const serials = async (): Promise<string[]> =>
    (await api.get('/assets')).body.items.map(({ serialNumber }: { serialNumber: string }) => serialNumber);

  const groupsOf = async (): Promise<Array<string | null>> =>
    (await api.get('/assets')).body.items.map(({ groupId }: { groupId: string | null }) => groupId);

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

  it('changes nothing when the same rows come again, with any other fields, even twice in one import', async () => {
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

  it('leaves a device unchanged that is registered or in a row before, whatever else is wrong with its row', async () => {
    const { id } = (await sendJson([{ serialNumber: 'A-1' }])).body.results[0];
    const storage = (await api.post('/groups', { name: 'Storage' })).body.id;
    const rows = [
      { serialNumber: 'A-1', group: 'Nowhere' },
      { serialNumber: 'a-1', name: 'x'.repeat(200) },
      { serialNumber: 'A-1', groupId: id },
      { serialNumber: 'A-1', groupId: storage, group: 'Storage' },
      { serialNumber: 'B-1', group: 'Nowhere' },
      { serialNumber: 'B-1' },
      { serialNumber: 'b-1', floor: 'top' },
    ];
    const dry = await api.post('/assets/import?dryRun=true', rows);
    const done = await sendJson(rows);
    const created = done.body.results[5].id;
    const outcomes = ({ body }: Answer) =>
      body.results.map(({ outcome, error }: Record<string, string | null>) => [outcome, error]);
    const unchanged = ['unchanged', null];
    assert.deepEqual(outcomes(done), [
      ...Array(4).fill(unchanged),
      ['failed', 'group must be the name of a group that exists; case does not count'],
      ['created', null],
      unchanged,
    ]);
    assert.deepEqual(
      done.body.results.map((result: { id: string | null }) => result.id),
      [id, id, id, id, null, created, created],
    );
    assert.deepEqual(outcomes(dry), outcomes(done));
    assert.deepEqual(counts(done), [1, 5, 1]);
  });

  it('names the fault of a wrong row, and never fails its neighbours', async () => {
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

  it('lets devices join groups by name, in any case, and starts one job per group', async () => {
    await api.post('/devices/config-profiles', { slug: 'cold', temperatureAlerts: [] });
    const cold = (await api.post('/groups', { name: 'Kühlräume Süd', profileSlug: 'cold' })).body;
    const warm = (await api.post('/groups', { name: 'Storage' })).body;
    const answer = await sendCsv(
      'serialNumber,group\nA-1,Kühlräume Süd\nA-2, KÜHLRÄUME süd \nA-3,storage\nA-4,\n',
    );
    assert.deepEqual(counts(answer), [4, 0, 0], JSON.stringify(answer.body));
    assert.deepEqual(await groupsOf(), [cold.id, cold.id, warm.id, null]);
    const jobs = (await api.get('/devices/config-jobs')).body.items;
    assert.deepEqual(
      jobs.map(({ total }: { total: number }) => total),
      [2],
    );
    const json = await sendJson([{ serialNumber: 'A-5', group: 'Storage' }]);
    assert.deepEqual(counts(json), [1, 0, 0]);
    assert.equal((await groupsOf())[4], warm.id);
  });

  it('fails only the rows with an unknown group or two groups, and names valid ones', async () => {
    const { id } = (await api.post('/groups', { name: 'Storage' })).body;
    const other = await dms.addOrganization();
    await other.api.post('/groups', { name: 'Of others' });
    const gone = (await api.post('/groups', { name: 'Gone' })).body;
    await api.delete(`/groups/${gone.id}`);
    const answer = await sendCsv(
      `serialNumber,group,groupId\nA-1,Storage,\nA-2,Storrage,\nA-3,Of others,\nA-4,Gone,\nA-5,Storage,${id}\nA-6,,${gone.id}\n`,
    );
    assert.deepEqual(counts(answer), [1, 0, 5]);
    const errors = answer.body.results.map(({ error }: { error: string | null }) => error);
    for (const error of errors.slice(1, 4)) {
      assert.equal(error, 'group must be the name of a group that exists; case does not count');
    }
    assert.equal(errors[4], 'only one of group and groupId may be given');
    assert.match(errors[5], /^groupId names no group/);
    assert.deepEqual(await serials(), ['A-1']);
  });

  it('reads tables as spreadsheets save them: separated by semicolons or tabs, with blanks around cells and empty rows', async () => {
    const semicolons = await sendCsv(
      '\ufeffserialNumber; name ;floor\r\n 282C02424EE1 ;"Room; north ";1\r\n;;\r\n282C02424EE2\u00a0;Room, south; 2\r\n ; ; \r\n',
    );
    assert.deepEqual(counts(semicolons), [2, 0, 0], JSON.stringify(semicolons.body));
    const [first, second] = (await api.get('/assets')).body.items;
    assert.deepEqual([first.serialNumber, first.name, first.floor], ['282C02424EE1', 'Room; north', 1]);
    assert.deepEqual([second.serialNumber, second.name, second.floor], ['282C02424EE2', 'Room, south', 2]);
    const tabs = await sendCsv('serialNumber\tname\n282C02424EE3\tRoom; east, 1\n');
    assert.deepEqual(counts(tabs), [1, 0, 0]);
    const quoted = await sendCsv(
      'serialNumber, name\r\n282C02424EE4, "Room 4, 1"\r\n"282C02424EE5" ,\t"Room 5" \r\n',
    );
    assert.deepEqual(counts(quoted), [2, 0, 0], JSON.stringify(quoted.body));
    const tabsQuoted = await sendCsv(
      'serialNumber\tname\tfloor\n282C02424EE6\t "A ""B""" \t3\n282C02424EE7\t\t4\n',
    );
    assert.deepEqual(counts(tabsQuoted), [2, 0, 0]);
    const { items } = (await api.get('/assets?serialNumber=282C02424EE6')).body;
    assert.deepEqual([items[0].name, items[0].floor], ['A "B"', 3]);
  });

  it('ignores empty columns and cells at the end, and refuses other cells beyond the columns', async () => {
    for (const table of [
      'A-1;name;;;\r\nA-1;A;;;\r\n',
      'A-2,name\r\nA-2,A,, \r\n',
      'A-3;name; ;\r\nA-3;A\r\n',
    ]) {
      const { body } = await sendCsv(table.replace(/^A-\d/, 'serialNumber'));
      assert.deepEqual([body.created, body.results[0]?.error], [1, null], table);
    }
    const { body } = await sendCsv('serialNumber,name,\nA-4,A,lost,\nA-5,A,,lost\n');
    assert.deepEqual(
      body.results.map(({ error }: { error: string }) => error),
      [3, 4].map((cells) => `the row has ${cells} cells, and the first line names 2 columns`),
    );
    const gap = await sendCsv('serialNumber,,name\nA-6,,A\n');
    assert.deepEqual([gap.status, gap.body.message.slice(0, 20)], [400, 'Column 2 has no name']);
  });

  it('reads the line in which spreadsheets name the separator', async () => {
    const lines = [
      'sep=;',
      'sep=,',
      'sep=\t',
      'sep=\\t',
      '"sep=;"',
      'SEP=|',
      '\ufeffsep=;',
      '\ufeff"sep=\t"',
      'sep=;;;',
      '\r\nsep=;',
    ];
    for (const [index, line] of lines.entries()) {
      const separator = ['|', '\t', '\\t', ','].find((each) => line.includes(each)) ?? ';';
      const cells = [
        ['serialNumber', 'name'],
        [`B-${index}`, '"A, B; C"'],
      ];
      const rows = cells.map((row) => row.join(separator === '\\t' ? '\t' : separator));
      const { body } = await sendCsv([line, ...rows, ''].join('\r\n'));
      assert.deepEqual([body.created, body.failed], [1, 0], JSON.stringify([line, body]));
    }
    const { items } = (await api.get('/assets')).body;
    assert.deepEqual([...new Set(items.map(({ name }: { name: string }) => name))], ['A, B; C']);
    const { status, body } = await sendCsv('sep=:\nserialNumber:name\nA:B\n');
    assert.equal(status, 400);
    assert.match(body.message, /^The first line names a separator .* comma, semicolon, tab or vertical bar/);
  });

  it("warns of serial numbers in another form than a logger's, as a single registration does", async () => {
    const { body } = await sendCsv('serialNumber\n282C02424EED\n28-2C-02-42-4E-EE\n2.82E11\na b\n');
    const warned = body.results.map(({ warnings = [] }: { warnings?: string[] }) => warnings.length);
    assert.deepEqual(warned, [0, 1, 1, 0]);
    assert.match(body.results[1].warnings[0], /12 hexadecimal digits/);
  });

  it('refuses a body that is not a list of devices as a whole', async () => {
    for (const [raw, type, message] of [
      ['', 'text/csv', /must not be empty/],
      ['serialNumber\n', 'text/csv', /1 to 10000 devices/],
      ['serialNumber,colour\nA,red\n', 'text/csv', /^Column 2 has an unknown name: .*waterType/],
      ['name\nA\n', 'text/csv', /column serialNumber$/],
      ['serialNumber,serialNumber\nA,A\n', 'text/csv', /each column once/],
      ['serialNumber\n"A', 'text/csv', /line 2 is not: the double quote of a cell is not closed$/],
      ['serialNumber,name\nA,1\n\nB,2\nC,"D\nE,3\nF,4\n', 'text/csv', /line 5 is not: the double quote/],
      ['serialNumber,name\nA,"B"C\n', 'text/csv', /line 2 is not: separate cells by commas/],
      ['serialNumber,"name\nA,B\n', 'text/csv', /line 1 is not: the double quote/],
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

  it('numbers rows by the lines of the file, whatever stands between them', async () => {
    const linesOf = ({ body }: Awaited<ReturnType<typeof sendCsv>>) =>
      body.results.map(({ line }: { line: number }) => line);
    const csv = await sendCsv(
      'sep=;\n\nserialNumber;name\n;\nL-1;"two\nlines"\n\n"";""\nL-2;x\r\nL-3;y\rL-4;z',
    );
    assert.deepEqual(linesOf(csv), [5, 9, 10, 11]);
    const json = await send(
      '\n[ {"serialNumber": "L-5"},\n\n  {\n"serialNumber": "L-6"},{"serialNumber":\n"L-7"}\n]',
      'application/json',
    );
    assert.deepEqual(linesOf(json), [2, 4, 5]);
  });

  it('shows in a dry run what each row would do, and stores nothing', async () => {
    await sendCsv('serialNumber\nOLD-1\n');
    const rows = 'serialNumber,floor,group\nNEW-1,1,\nnew-1,2,\nOLD-1,,\nNEW-2,top,\nNEW-3,,nowhere\n';
    const headers = { 'content-type': 'text/csv' };
    const dry = await api.post('/assets/import?dryRun=true', undefined, { raw: rows, headers });
    assert.equal(dry.body.dryRun, true);
    assert.deepEqual(await serials(), ['OLD-1']);
    const { body: audit } = await api.get('/audit?subject=import');
    assert.equal(audit.items.length, 1);
    const done = await sendCsv(rows);
    const outcomes = ({ body }: typeof done) =>
      body.results.map(({ outcome }: { outcome: string }) => outcome);
    assert.deepEqual(outcomes(dry), ['created', 'unchanged', 'unchanged', 'failed', 'failed']);
    assert.deepEqual(outcomes(done), outcomes(dry));
    assert.deepEqual(counts(dry), counts(done));
    assert.deepEqual(
      dry.body.results.map(({ error }: { error: string | null }) => error),
      done.body.results.map(({ error }: { error: string | null }) => error),
    );
  });

  it('accepts a file of failed rows as it is, once they are corrected', async () => {
    const file = Buffer.from('serialNumber;name;floor\nF-1;ok;1\n\nF-2;"a; b";top\n');
    const failed = failedCsvRows(file, new Map([[4, 'floor must be "a" number']]));
    assert.equal(
      failed,
      'line;error;serialNumber;name;floor\r\n4;"floor must be ""a"" number";F-2;"a; b";top\r\n',
    );
    const { body } = await sendCsv(failed.replace('top', '3'));
    assert.deepEqual([body.created, body.failed], [1, 0], JSON.stringify(body));
  });

  for (const [what, file] of [
    ['commas', '\nserialNumber,floor\nF-1,top\n'],
    ['a separator that its first line names', 'sep=|\nserialNumber|floor\nF-1|top\n'],
  ] as const) {
    it(`accepts rows with ${what} that have failed twice, once they are corrected`, async () => {
      const errors = new Map([[3, 'floor must be a number']]);
      const once = failedCsvRows(Buffer.from(file), errors);
      const at = once.split('\r\n').findIndex((line) => line.includes('F-1')) + 1;
      const twice = failedCsvRows(Buffer.from(once), new Map([[at, 'floor must be a number']]));
      const { body } = await sendCsv(twice.replace('top', '3'));
      assert.deepEqual([body.created, body.failed], [1, 0], JSON.stringify(body));
    });
  }

  it('replays the answer under an Idempotency-Key, and refuses the key for other rows', async () => {
    const key = { 'idempotency-key': 'import-1' };
    const first = await sendCsv('serialNumber\nA-1\n', key);
    const again = await sendCsv('serialNumber\nA-1\n', key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await sendCsv('serialNumber\nA-2\n', key)).status, 422);
    assert.deepEqual(await serials(), ['A-1']);
  });

  it('registers each device once for two concurrent imports of the same rows in opposite orders', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) => ({ serialNumber: `SAME-${n}` }));
    const answers = await Promise.all([sendJson(rows), sendJson([...rows].reverse())]);
    const [created, unchanged, failed] = [0, 1, 2].map((index) =>
      answers.reduce((sum, answer) => sum + counts(answer)[index], 0),
    );
    assert.deepEqual([created, unchanged, failed], [1_500, 1_500, 0]);
    assert.equal((await api.get('/assets')).body.totalItems, 1_500);
  });

  it('takes three statements for all groups in the rows, not some for each', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `Group ${n}`);
    for (const name of names) await api.post('/groups', { name });
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      serialNumber: `NAMED-${n}`,
      group: names[n % 20],
    }));
    const statements = await statementsOf(dms.service.sql, async () =>
      assert.deepEqual(counts(await sendJson(rows)), [1_000, 0, 0]),
    );
    const lookUps = statements.filter((text) => / from "groups"|join groups/.test(text));
    assert.equal(lookUps.length, 3, lookUps.join('\n'));
  });

  it('takes at most six statements for a thousand rows, not one for each', async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ serialNumber: `MANY-${n}` }));
    const statements = await statementsOf(dms.service.sql, () => sendJson(rows));
    assert.ok(statements.length <= 6, statements.join('\n'));
  });
});
