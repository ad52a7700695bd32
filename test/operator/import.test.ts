/** Registering devices from a file at the operators' page. */
import assert from 'node:assert/strict';
import { toText } from '../../src/operator/html.ts';
import { importedHtml, ROWS_SHOWN } from '../../src/operator/import-html.ts';
import { register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { OPERATOR_ORIGIN, signIn, visit } from './visitor.ts';

describe("Importing a file at the operators' page", () => {
  const dms = useService({ withWorker: false });
  let cookie: string;
  let url: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Ada', role: 'write' });
    url = `${dms.baseUrl}/operator/import`;
  });

  function fileForm(
    content: string | Uint8Array,
    { name = 'devices.csv', type = 'text/csv' } = {},
  ): FormData {
    const form = new FormData();
    form.append('file', new File([content], name, { type }));
    return form;
  }
  const send = (form: FormData, headers?: Record<string, string>) => visit(url, { cookie, form, headers });

  it('shows the result of each row, failed ones first, and writes one row of the audit trail', async () => {
    await register(dms, '282C02424E01');
    const csv =
      'serialNumber,name,floor\n282C02424E00,Fridge <1>,2\n282C02424E01,,\n282C02424E02,Attic,high\n';
    const { status, text } = await send(fileForm(csv, { name: '<b>.csv' }));
    assert.equal(status, 200, text);
    const rows = [...text.matchAll(/<tr><td[^>]*>(\d)<\/td>.*?<\/tr>/gs)].map(([row, number]) => [
      number,
      row,
    ]);
    assert.deepEqual(
      rows.map(([number]) => number),
      ['4', '2', '3'],
    );
    assert.match(rows[0]?.[1] ?? '', /282C02424E02.*data-label="Name">Attic<.*floor must be a number/s);
    assert.match(rows[1]?.[1] ?? '', /data-label="Name">Fridge &lt;1&gt;</);
    assert.match(rows[1]?.[1] ?? '', /href="\/operator\/devices\/[0-9a-f-]{36}">282C02424E00/);
    assert.match(text, /1 *<\/li>.*registered before/s);
    const [, failed = ''] =
      text.match(/download="failed-rows\.csv" href="data:text\/csv;charset=utf-8,([^"]+)"/) ?? [];
    assert.match(
      decodeURIComponent(failed),
      /^line,error,serialNumber,name,floor\r\n4,"floor must be a number[^"]*",282C02424E02,Attic,high\r\n$/,
    );
    assert.doesNotMatch(text, /<b>/);
    const { body } = await dms.api.get('/assets?serialNumber=282C02424E00');
    assert.deepEqual([body.items[0].name, body.items[0].floor], ['Fridge <1>', 2]);
    const { body: audit } = await dms.api.get('/audit?subject=import');
    assert.deepEqual(
      [audit.items[0].actor.name, audit.items[0].after],
      ['Ada', { created: 1, unchanged: 1, failed: 1 }],
    );
  });

  it('gathers equal mistakes, and creates the groups that are missing before the next check', async () => {
    const rows = Array.from(
      { length: 7 },
      (_, index) => `282C02424F0${index},${index === 6 ? 'STRAẞE' : 'Straße'} <rooms>,`,
    );
    const csv = `serialNumber,group,floor\n${rows.join('\n')}\n282C02424F07,STRASSE <rooms>,\n282C02424F08,straße <ROOMS>,x\n282C02424F09,,x\n`;
    const form = fileForm(csv);
    form.append('step', 'check');
    const { text } = await send(form);
    assert.match(
      text,
      /What is wrong.*8 rows<\/strong>: group must be the name of a group that exists[^<]*<[^>]*>\(line 2, 3, 4, 5, 6, …\)/s,
    );
    assert.match(text, /2 rows<\/strong>: floor must be a number/);
    assert.match(text, /No group is named <strong>Straße &lt;rooms&gt;<\/strong>\..*Create this group/s);
    const again = new FormData();
    again.append('rows', csv);
    again.append('step', 'groups');
    const checked = await send(again);
    assert.equal(checked.status, 200, checked.text);
    assert.match(checked.text, /Nothing is registered yet.*Register 8 devices/s);
    assert.match(checked.text, /2 rows<\/strong>: floor must be a number/);
    const { body } = await dms.api.get('/groups');
    assert.equal(body.items.filter(({ name }: { name: string }) => name === 'Straße <rooms>').length, 1);
  });

  it('counts warnings and shows them before other rows, and says which rows repeat a serial number', async () => {
    const serials = ['282C02424F10', '282C02424F10', '28-2C-02-42-4F-11', '2.82C+11'];
    const form = fileForm(`serialNumber\n${serials.join('\n')}\n`);
    form.append('step', 'check');
    const { text } = await send(form);
    assert.match(text, /1 with a warning/);
    assert.match(text, /1 row repeats the serial number of an earlier line/);
    assert.doesNotMatch(text, /registered before/);
    const lines = [...text.matchAll(/<tr><td[^>]*>(\d)</g)].map(([, line]) => line);
    assert.deepEqual(lines, ['5', '3', '4', '2']);
    assert.match(text, /<tbody><tr><td[^>]*>5<.*a spreadsheet has made a number of it/s);
    assert.match(text, />repeated<\/span><\/td><td[^>]*>an earlier line has this serial number/);
    const [, failed = ''] = text.match(/download="failed-rows\.csv" href="data:[^,]+,([^"]+)"/) ?? [];
    assert.match(
      decodeURIComponent(failed),
      /5,"[^"]+; a spreadsheet has made a number of it: [^"]+",2\.82C\+11/,
    );
  });

  it('shows a limited number of rows, and counts the others by result', () => {
    const resultsOf = (failed: number) =>
      Array.from({ length: 10_000 }, (_, index) => {
        const hasFailed = index >= 10_000 - failed;
        return {
          row: index + 1,
          line: index + 2,
          serialNumber: 'A',
          outcome: hasFailed ? ('failed' as const) : ('created' as const),
          id: hasFailed ? null : 'b',
          error: hasFailed ? 'no' : null,
        };
      });
    const textOf = (failed: number) =>
      toText(
        importedHtml(
          { dryRun: false, created: 10_000 - failed, unchanged: 0, failed, results: resultsOf(failed) },
          { name: 'a.csv', bytes: Buffer.from('serialNumber\nA\n'), isJson: false },
        ),
      );
    assert.equal(textOf(5).match(/<tr><td[^>]*>/g)?.length, ROWS_SHOWN);
    assert.match(textOf(5), /<tbody><tr><td[^>]*>9997<.*Not shown: 9,800 rows without a fault/s);
    assert.match(textOf(3_000), /Not shown: 9,800 rows, 2,800 of which failed/);
  });

  it('keeps neither whole names nor megabytes of failed rows in the page', () => {
    const failed = 120;
    const results = Array.from({ length: failed }, (_, index) => ({
      row: index + 1,
      line: index + 2,
      serialNumber: 'A',
      outcome: 'failed' as const,
      id: null,
      error: 'no',
    }));
    const bytes = Buffer.from(`serialNumber,name\n${`A,${"'".repeat(12_000)}\n`.repeat(failed)}`);
    const file = { name: 'a.csv', bytes, isJson: false };
    const text = toText(importedHtml({ dryRun: true, created: 0, unchanged: 0, failed, results }, file));
    assert.match(text, /failed rows are too many.*in smaller parts/);
    assert.ok(text.length < 200_000, `${text.length} characters`);
  });

  it('checks a file without registering anything, and registers the same rows by one button', async () => {
    const csv = 'serialNumber,name\n282C02424EC0,"A ""quoted"" <name>"\n282C02424EC1,\n282C 4,\n';
    const form = fileForm(csv, { name: 'checked.csv' });
    form.append('step', 'check');
    const { status, text } = await send(form);
    assert.equal(status, 200, text);
    assert.match(text, /Check of checked\.csv.*Nothing is registered yet.*Register 2 devices/s);
    assert.match(text, /<tbody><tr><td[^>]*>4<\/td>/);
    assert.equal((await dms.api.get('/assets?q=282C02424EC')).body.items.length, 0);
    const [, shown = ''] = text.match(/<textarea[^>]*>\n([^<]*)<\/textarea>/) ?? [];
    const again = new FormData();
    again.append('rows', shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
    again.append('name', 'checked.csv');
    assert.match((await send(again)).text, /Imported checked\.csv/);
    const { body } = await dms.api.get('/assets?q=282C02424EC');
    assert.deepEqual(
      body.items.map(({ name }: { name: string }) => name),
      ['A "quoted" <name>', '282C02424EC1'],
    );
  });

  it('keeps the rows of a file with a mistake, and names the line of it', async () => {
    const csv = 'serialNumber,name\nA,1\n\nB,"2\nC,3\n';
    const { status, text } = await send(fileForm(csv));
    assert.equal(status, 400);
    assert.match(text, /id="fault">The file must be CSV, and line 4 is not: the double quote/);
    assert.match(
      text,
      /aria-invalid="true" autofocus>\nserialNumber,name\nA,1\n\nB,&quot;2\nC,3\n<\/textarea>/,
    );
  });

  it('accepts JSON as well, with any type from the browser', async () => {
    const json = JSON.stringify([{ serialNumber: '282C02424F00', name: 'From JSON' }]);
    const { status, text } = await send(fileForm(`\ufeff \n${json}`, { name: 'a.txt', type: '' }));
    assert.equal(status, 200, text);
    assert.equal((await dms.api.get('/assets?q=From JSON')).body.items.length, 1);
  });

  it('explains a file in neither format, a missing file, and one that is too large', async () => {
    const cases: Array<[FormData, number, RegExp]> = [
      [
        fileForm('what,is,this\n1,2,3\n'),
        400,
        /Column 1, &quot;what&quot;, has an unknown name: the first line must name the columns, of serialNumber/,
      ],
      [fileForm('{"serialNumber": "A"}'), 400, /must be a list of devices/],
      [
        fileForm(Uint8Array.from([0x73, 0xff, 0xfe])),
        400,
        /The file must be UTF-8: in a spreadsheet, save it as &quot;CSV UTF-8&quot;/,
      ],
      [fileForm('', { name: '' }), 400, /Choose a file/],
      [new FormData(), 400, /Choose a file/],
      [fileForm(new Uint8Array(8 * 1024 * 1024 + 1)), 413, /at most/],
      [fileForm(new Uint8Array(10 * 1024 * 1024)), 413, /at most/],
    ];
    for (const [form, expected, message] of cases) {
      const { status, text } = await send(form);
      assert.equal(status, expected, text);
      assert.match(text, message);
      assert.doesNotMatch(text, /\ufffd/, 'characters that were lost would be imported');
    }
  });

  it('refuses other bodies, cut-off forms, forms of other sites, and people who may only read', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(url, { method: 'POST', headers: { cookie, origin: OPERATOR_ORIGIN, ...headers }, body });
    assert.equal((await post({ 'content-type': 'text/csv' }, 'serialNumber\nA\n')).status, 415);
    for (const body of [
      '',
      '--x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nserial',
    ]) {
      const { status } = await post({ 'content-type': 'multipart/form-data; boundary=x' }, body);
      assert.equal(status, 400, body);
    }
    const file = fileForm('serialNumber\n282C02424E09\n');
    assert.equal((await send(file, { origin: 'https://evil.example' })).status, 403);
    const reader = await signIn(dms, { role: 'read' });
    assert.equal((await visit(url, { cookie: reader, form: file })).status, 403);
    assert.equal((await visit(url, { cookie: reader })).status, 403);
    assert.equal((await dms.api.get('/assets?serialNumber=282C02424E09')).body.items.length, 0);
  });
});
