/** The cost of late readings: statements of one frame, by its content. */
import assert from 'node:assert/strict';
import { FRIDGE } from '../support/fleet.ts';
import { useDevice } from './harness.ts';

const OF_LATE_READINGS = /lead\(from_at\)|started_at <= n\.from_at|has_next|update alerts a set started_at/;

describe('A frame', () => {
  const device = useDevice();
  const { reading, send } = device;
  const ahead = (minute: number) => 24 * 60 + minute;

  type Sent = { sql: string; bindings: unknown[] };
  async function sentOf(readings: object[]): Promise<Sent[]> {
    const seen: Sent[] = [];
    const onQuery = (each: Sent) => void seen.push(each);
    const { sql } = device.dms.service;
    sql.on('query', onQuery);
    await send(readings);
    sql.off('query', onQuery);
    return seen;
  }
  const statementsOf = async (readings: object[]): Promise<number> =>
    (await sentOf(readings)).filter(({ sql }) => OF_LATE_READINGS.test(sql)).length;
  const series = (from: number, values: number[]) =>
    values.map((value, index) => reading(ahead(from + index), value));

  beforeEach(async () => {
    device.setClock(Date.parse(device.at(ahead(-60))));
    await device.confirmProfile(FRIDGE);
    device.setClock(Date.parse(device.at(ahead(900))));
    await send(series(800, [5]));
  });

  it('takes no statement for excursions in late data without late readings', async () => {
    assert.equal(await statementsOf(series(801, [9, 12, 5])), 0);
  });

  it('takes two statements for any number of late readings within the bounds', async () => {
    assert.equal(await statementsOf(series(1, [5])), 2);
    assert.equal(await statementsOf(series(10, Array<number>(500).fill(5))), 2);
  });

  it('takes one more for the readings around late ones in breach, however many they are', async () => {
    assert.equal(await statementsOf(series(1, [9, 5])), 3);
    const [warm, cold] = [Array<number>(200).fill(9), Array<number>(200).fill(1)];
    assert.equal(await statementsOf(series(10, [...warm, ...cold, 5])), 3);
  });

  it('reads an hour around a late reading in breach of long ago while another excursion in late data goes on', async () => {
    device.setClock(Date.parse(device.at(ahead(3_000))));
    await send(series(900, [9]));
    const read = (await sentOf(series(10, [9]))).find(({ sql }) => sql.includes('has_next'));
    const [from = [], to = []] = (read?.bindings ?? [])
      .slice(3, 5)
      .map((array) => String(array).match(/[^{}",]+/g) ?? []);
    const rangeAround = (minute: number) => [minute - 60, minute + 60].map((each) => device.at(ahead(each)));
    assert.deepEqual(
      from.map((each, index) => [each, to[index]].map((at) => new Date(at as string).toISOString())),
      [10, 900].map(rangeAround),
    );
  });

  it('takes one more to extend excursions, and none when the frame is repeated', async () => {
    await send([...series(10, [9, 5]), ...series(20, [9, 5])]);
    const frame = [...series(9, [9]), ...series(19, [9])];
    assert.equal(await statementsOf(frame), 4);
    assert.equal(await statementsOf(frame), 0);
  });
});
