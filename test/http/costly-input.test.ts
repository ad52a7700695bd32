/** Input that is cheap to send must not be costly to refuse: one request never occupies the event loop for long. */
import assert from 'node:assert/strict';
import type { Route } from '../../src/http/route.ts';
import type { Answer, SendOptions } from '../support/client.ts';
import { createProfile, HOT_WATER, register } from '../support/fleet.ts';
import { call, exampleBody, forEvery, populate, takesJson } from '../support/operations.ts';
import { startService, type TestService } from '../support/service.ts';
import { refusalOfBody } from './request-reader.ts';

const BUSY_MS_MAX = 100;
const ROUNDS = 5;
const SERIAL = 'COSTLY-1';

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

const ALERT = { type: 'high', channel: 'probe', highC: 8 };
const RULE = { condition: 'DISABLED', slotNumbers: [], action: 'NO_ACTION' };
const REPORT = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3600 };

type Sent = Pick<Answer, 'status' | 'text'>;

describe('Costly input', () => {
  let dms: TestService;
  let slug: string;
  let assetId: string;

  before(async () => {
    dms = await startService({ withWorker: false });
    assetId = await register(dms, SERIAL);
    slug = await createProfile(dms, { slug: 'costly', ...HOT_WATER });
  });
  after(() => dms.stop());

  /**
   * Processor time of one request, client included: unlike the clock, other processes hardly move it. What seems costly
   * is sent again, and the best counts.
   */
  async function busyMs(status: number, send: () => Promise<Sent>): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS && best >= BUSY_MS_MAX; round++) {
      const before = process.cpuUsage();
      const answer = await send();
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / 1000);
      assert.equal(answer.status, status, answer.text.slice(0, 200));
    }
    return best;
  }

  const post = (path: string, raw: string, options: SendOptions = {}) =>
    dms.api.post(path, undefined, { raw, ...options });

  const list = (type: string) => post('/assets', '{}', { headers: { 'content-type': type } });
  const profile = (alerts: number) => {
    const raw = JSON.stringify({ slug: 'many', temperatureAlerts: many(alerts, () => ALERT) });
    return () => post('/devices/config-profiles', raw);
  };
  const report = (alarmRules: unknown[]) => {
    const raw = JSON.stringify({ ...REPORT, alarmRules });
    return () => dms.device.post(`/devices/${SERIAL}/config-reports`, undefined, { raw });
  };
  const asset = (body: unknown) => {
    const raw = JSON.stringify(body);
    return () => post('/assets', raw);
  };
  const get = (path: string, headers: Record<string, string>) => () => dms.api.get(path, { headers });

  const SHAPES: Array<[shape: string, status: number, send: () => Promise<Answer>]> = [
    ['a Content-Type with 15,500 spaces', 415, () => list(`application/json${' '.repeat(15_500)}x`)],
    ['a Content-Type with 5,000 parameters', 415, () => list(`application/json${'; '.repeat(5_000)}x`)],
    ['an object of 90,000 keys', 400, asset(Object.fromEntries(many(90_000, (n) => [`k${n}`, 1])))],
    ['an object of 19,000 keys', 400, asset(Object.fromEntries(many(19_000, (n) => [`k${n}`, 1])))],
    ['a list of 500,000 numbers', 400, asset(many(500_000, () => 1))],
    ['a list of 19,000 empty objects', 400, asset(many(19_000, () => ({})))],
    ['a profile of 23,000 alerts', 400, profile(23_000)],
    ['a profile of 4,000 alerts', 400, profile(4_000)],
    ['a report of 16,000 rules', 400, report(many(16_000, () => RULE))],
    ['a report of 4,000 rules', 400, report(many(4_000, () => RULE))],
    [
      'a report of one rule with 19,000 slots',
      400,
      report([{ ...RULE, slotNumbers: many(19_000, () => 1) }]),
    ],
    [
      'an If-None-Match of 15,000 tags',
      200,
      get(`/devices/${SERIAL}/config`, { 'if-none-match': ','.repeat(15_000) }),
    ],
    [
      'an Accept of 7,500 types',
      200,
      () => dms.api.get(`/assets/${assetId}/measurements`, { headers: { accept: 'a/b;,'.repeat(3_000) } }),
    ],
  ];

  for (const [shape, status, send] of SHAPES) {
    it(`answers ${status} to ${shape} within ${BUSY_MS_MAX} ms of work`, async () => {
      const ms = await busyMs(status, send);
      assert.ok(ms < BUSY_MS_MAX, `${ms} ms of work`);
    });
  }

  it(`answers any text of 1 MB in any field within ${BUSY_MS_MAX} ms of work`, async () => {
    const org = await dms.addOrganization();
    const world = await populate(org);
    /** Nearly all is refused by the shape, which needs no request. */
    const sentTo = async (route: Route, raw: string): Promise<Sent> => {
      const refusal = await refusalOfBody(route, raw);
      if (refusal) return { status: refusal.status, text: refusal.message };
      return call(org, route, world, { options: { raw } });
    };
    await forEvery(dms.service.routes.filter(takesJson), async (route) => {
      const example = exampleBody(route, world);
      const texts = Object.keys(example).filter((field) => typeof example[field] === 'string');
      for (const field of texts) {
        for (const repeated of [' ', 'a-', '0', '%', '://']) {
          const text = repeated.repeat(1_000_000 / repeated.length);
          const raw = JSON.stringify({ ...example, [field]: text });
          const ms = await busyMs(400, () => sentTo(route, raw));
          assert.ok(ms < BUSY_MS_MAX, `${field} of ${JSON.stringify(repeated)}: ${ms} ms of work`);
        }
      }
    });
  });

  it('accepts an apply to 10,000 devices, the largest list of the API', async () => {
    const serialNumbers = many(10_000, (index) => `${index}`.padStart(64, 'X'));
    const { status, body } = await dms.api.put(`/devices/config-profiles/${slug}/apply`, { serialNumbers });
    assert.equal(status, 404);
    assert.match(body.message, /10000/);
  });
});
