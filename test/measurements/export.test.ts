/** Readings of many assets in one answer. */
import assert from 'node:assert/strict';
import { CSV as CSV_FORMAT, exportLines } from '../../src/measurements/export.ts';
import type { ExportScope } from '../../src/measurements/export-scopes.repository.ts';
import { eventually, register } from '../support/fleet.ts';
import { startSlowReader } from '../support/slow-reader.ts';
import { ago, reading, series } from './fixtures.ts';
import { useLogger } from './harness.ts';
import { insertReadings } from './stored-readings.ts';

const RANGE = `from=${ago(2_000)}&to=${ago(-60)}`;
const CSV = { headers: { accept: 'text/csv' } };

describe('An export of measurements', () => {
  const logger = useLogger();
  const { newSerial } = logger;
  const get = (query: string, options = {}) => logger.org.api.get(`/measurements?${query}`, options);
  const linesOf = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  /** Adds some readings of another asset; returns its id. */
  async function addAsset(serial: string, readings: object[]): Promise<string> {
    const id = await register(logger.org, serial);
    await logger.send(readings, {}, serial);
    return id;
  }

  it('writes a line of JSON for each reading, as in the history, asset by asset, newest first', async () => {
    await logger.send(series(600));
    const serial = newSerial('Other');
    const other = await addAsset(serial, [reading({ channel: 2, type: 'humidity', value: 41 })]);
    await register(logger.org, newSerial('Silent'));
    const { status, headers, text } = await get(`${RANGE}&all=true`);
    assert.deepEqual([status, headers['content-type']], [200, 'application/x-ndjson']);
    const first = { assetId: logger.assetId, serialNumber: logger.serial };
    const expected = [
      ...(await logger.history('?limit=500')).items.map((item: object) => ({ ...first, ...item })),
      ...(await logger.history(`?limit=500&to=${ago(500.5)}`)).items.map((item: object) => ({
        ...first,
        ...item,
      })),
      { assetId: other, serialNumber: serial, ...(await logger.historyOf(other)).items[0] },
    ];
    assert.equal(expected.length, 601);
    assert.deepEqual(linesOf(text), expected);
  });

  it('writes a table for clients that prefer CSV', async () => {
    await logger.send([reading({ value: 4.25 })]);
    const { headers, text } = await get(`${RANGE}&all=true`, CSV);
    assert.match(String(headers['content-type']), /^text\/csv/);
    const [header, line, rest] = text.split('\r\n');
    assert.equal(
      header,
      'assetId,serialNumber,channel,position,type,value,unit,measuredAt,receivedAt,late,error',
    );
    assert.ok(line?.startsWith(`${logger.assetId},${logger.serial},1,probe,temperature,4.25,°C,`), line);
    assert.equal(rest, '');
  });

  it('writes readings from `from` to before `to` of the assets in the query, including archived ones', async () => {
    const [early, late] = [ago(20), ago(10)];
    await logger.send([reading({ measuredAt: early }), reading({ measuredAt: late })]);
    const others = [
      await addAsset(newSerial('Second'), [reading({ measuredAt: early })]),
      await addAsset(newSerial('Third'), [reading({ measuredAt: early })]),
    ];
    await logger.org.api.delete(`/assets/${others[0]}`);
    const chosen = `assetIds=${others[0]},${logger.assetId.toUpperCase()},${logger.assetId}`;
    const found = linesOf((await get(`from=${early}&to=${late}&${chosen}`)).text);
    assert.deepEqual(
      found.map(({ assetId, measuredAt }) => [assetId, measuredAt]),
      [logger.assetId, others[0]].map((id) => [id, early]),
    );
    const all = linesOf((await get(`${RANGE}&all=true`)).text);
    assert.deepEqual([...new Set(all.map(({ assetId }) => assetId))], [logger.assetId, others[1]]);
  });

  it('reads a hundred assets without readings in one statement, and stops when its client has gone', async () => {
    const scopes = Array.from({ length: 1_000 }, (_, index) => scopeOf(index));
    const asked: number[] = [];
    const deps = {
      history: {
        lister: () => () => Promise.reject(new Error('none has many')),
        listFew: async ({ assetIds }: { assetIds: string[] }) => {
          asked.push(assetIds.length);
          return assetIds.map(() => []);
        },
      },
      pace: <T>(_organizationId: string, piece: () => Promise<T>) => piece(),
    };
    const range = { organizationId: 'o', from: new Date(0), to: new Date(), format: CSV_FORMAT };
    const lines = exportLines(deps, iterate(scopes), range);
    assert.match(String((await lines.next()).value), /^assetId,/);
    assert.deepEqual(asked, [100], 'the header is sent with what the first statement found');
    await lines.next();
    await lines.return(undefined);
    assert.deepEqual(asked, [100, 100]);
  });

  it('refuses a query without range or choice, with two choices, and with invalid ids', async () => {
    const id = logger.assetId;
    for (const query of [
      'all=true',
      `from=${ago(1)}&all=true`,
      RANGE,
      `${RANGE}&all=false`,
      `${RANGE}&all=true&assetIds=${id}`,
      `${RANGE}&assetIds=`,
      `${RANGE}&assetIds=${id},x`,
      `${RANGE}&assetIds=${Array.from({ length: 101 }, (_, index) => id.slice(0, -3) + (100 + index)).join()}`,
    ]) {
      assert.equal((await get(query)).status, 400, query);
    }
  });

  it('answers 404 when an asset is unknown or of another organization', async () => {
    const stranger = await logger.dms.addOrganization();
    const foreign = await register(stranger, newSerial('Foreign'));
    assert.equal((await get(`${RANGE}&assetIds=${logger.assetId},${foreign}`)).status, 404);
    assert.equal((await get(`${RANGE}&all=true`)).text, '');
  });

  it('holds no connection while its client reads slowly, and ends when the client has gone', async () => {
    const { sql } = logger.dms.service;
    const { org, assetId } = logger;
    await insertReadings(sql, { organizationId: org.id, assetId, count: 50_000 });
    const { token } = await logger.dms.issueKey(org.id, 'customer');
    const from = new Date(Date.now() - 60 * 86_400_000).toISOString();
    const reader = startSlowReader(logger.dms.baseUrl, {
      path: `/measurements?from=${from}&to=${ago(-50_000)}&all=true`,
      token,
      headers: {},
    });
    assert.equal(await reader.status, 200);
    const activity = async () => {
      const { rows } = await sql.raw(
        `select state, max(query_start) as at from pg_stat_activity
         where datname = current_database() and application_name like '%transfers' group by state`,
      );
      return rows.map(({ state, at }: { state: string; at: Date }) => [state, at.getTime()]);
    };
    const isQuiet = async () => {
      const before = await activity();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const after = await activity();
      return after.length === 1 && after[0][0] === 'idle' && String(after) === String(before);
    };
    await eventually(isQuiet, (quiet) => quiet);
    reader.stop();
  });
});

const scopeOf = (index: number): ExportScope => ({
  organizationId: 'organization',
  assetId: String(index),
  serialNumber: String(index),
  layout: { model: 'model', channelTypes: null },
});

async function* iterate<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}
