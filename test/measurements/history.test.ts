/** The history of an asset over the API, page by page and as a CSV table. */
import assert from 'node:assert/strict';
import { ago, reading, series } from './fixtures.ts';
import { timesOf, useLogger } from './harness.ts';

describe('The history', () => {
  const logger = useLogger();
  const { history, send } = logger;

  it('returns an empty history without measurements', async () => {
    assert.deepEqual(await history(), { items: [], nextCursor: null });
  });

  it('lists readings from the time `from` on, and before the time `to`', async () => {
    const readings = series(4);
    await send(readings);
    const [, second, third] = timesOf(readings as never) as [string, string, string];
    const between = async (bounds: string) => timesOf((await history(bounds)).items);
    assert.deepEqual(await between(`?from=${third}&to=${second}`), [third]);
    assert.deepEqual(await between(`?from=${second}`), timesOf(readings as never).slice(0, 2));
    assert.deepEqual(await between(`?from=${second}&to=${second}`), []);
  });

  it('accepts the first and the last representable time', async () => {
    await send(series(2));
    const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];
    assert.equal((await history(`?from=${first}&to=${last}`)).items.length, 2);
    const of = `assetIds=${logger.assetId}&from=2026-01-01T00:00:00Z&to=${last}`;
    for (const path of [
      `/assets/${logger.assetId}/measurements?from=${ago(60)}&to=${last}&resolution=1d`,
      `/measurements?${of}`,
      `/assets/${logger.assetId}/statistics?from=${first}&to=0001-12-31T00:00:00Z`,
    ]) {
      assert.equal((await logger.org.api.get(path)).status, 200, path);
    }
  });

  it('lists the readings of one channel', async () => {
    const measuredAt = ago(1);
    await send([1, 2].map((channel) => reading({ channel, measuredAt })));
    const { items } = await history('?channel=2');
    assert.deepEqual(
      items.map(({ channel }: { channel: number }) => channel),
      [2],
    );
  });

  it('refuses an invalid query of the history with 400', async () => {
    for (const text of [
      ...['channel=0', 'channel=7', 'channel=probe'],
      ...['from=yesterday', 'from=0000-01-01T00:00Z', 'to=2026-02-30T00:00Z'],
      ...['cursor=MTIz', `cursor=${logger.assetId}`],
    ]) {
      const { status } = await logger.org.api.get(`/assets/${logger.assetId}/measurements?${text}`);
      assert.equal(status, 400, text);
    }
  });

  it('keeps the history of an archived asset', async () => {
    await send([reading({ value: 7 })]);
    await logger.org.api.delete(`/assets/${logger.assetId}`);
    for (const [query, field] of [
      ['', 'value'],
      ['?resolution=1h', 'max'],
    ] as const) {
      const { body } = await logger.org.api.get(`/assets/${logger.assetId}/measurements${query}`);
      assert.deepEqual(
        body.items.map((item: Record<string, number>) => item[field]),
        [7],
        query,
      );
    }
  });

  describe('as a table', () => {
    const COLUMNS = 'channel,position,type,value,unit,measuredAt,receivedAt,late,error';
    const table = (more = '') =>
      logger.org.api.get(`/assets/${logger.assetId}/measurements${more}`, {
        headers: { accept: 'text/csv' },
      });

    it('writes a CSV table with all readings, for any limit', async () => {
      await send(series(1_000));
      await send(series(1_000, { channel: 2 }));
      await send(series(1_000, { channel: 3, type: 'distance' }));
      const { status, headers, text } = await table('?limit=5');
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^text\/csv/);
      const [header, ...lines] = text.split('\r\n');
      assert.equal(header, COLUMNS);
      assert.equal(lines.pop(), '');
      assert.equal(new Set(lines).size, 3_000);
      const { items } = await history('?limit=1');
      const [item] = items;
      assert.equal(lines[0], `3,,distance,${item.value},mm,${item.measuredAt},${item.receivedAt},false,`);
    });

    it('writes a CSV table of the range and channel in the query', async () => {
      const readings = series(4);
      await send([...readings, reading({ channel: 2 })]);
      const [, second] = timesOf(readings as never);
      const { text } = await table(`?from=${second}&channel=1`);
      assert.equal(text.trim().split('\r\n').length, 1 + 2);
    });

    it('writes a CSV table of only a header without measurements', async () => {
      assert.equal((await table()).text, `${COLUMNS}\r\n`);
    });
  });
});
