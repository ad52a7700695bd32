/**
 * Secrets from devices stay inside: loggers and devices over HTTP send every kind of message with secrets in
 * every place, and tables, answers, log lines, metrics and runs are searched for them.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { formatKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { coapRequest } from '../support/coap-datagram.ts';
import { useCollector } from '../support/collector.ts';
import { apply, createProfile, eventually, FACTORY, FRIDGE, register, untilEnded } from '../support/fleet.ts';
import { detailsOf, runOf } from '../support/job-runs.ts';
import { type Logger, openLogger } from '../support/logger.ts';
import { bytes, encoded, type Field, message, text, uint } from '../support/protobuf.ts';
import { findSecrets, type Secrets, storedRows } from '../support/secret-search.ts';
import { useService } from '../support/service.ts';

const TOKEN_OPTION = 2_051;
const SERIAL = '282C02AABB01';
const UNREGISTERED = '282C02AABB02';
const REFUSING = '282C02AABB03';
/** Text fields: the token, and others that may contain one by mistake. */
const INFO_TEXTS = [15, 16];
const REPORT_TEXTS = [11, 13, 16, 24, 32, 61];

describe('Secrets that devices send', () => {
  let jobId: string;
  let metrics: string;
  const secrets: Secrets = {};
  const lines: string[] = [];
  const answers: string[] = [];
  const statuses = new Set<string>();

  const collector = useCollector();
  const dms = useService(() => ({
    log: createLog('trace', { write: (line) => void lines.push(line) }),
    settings: {
      traces: { endpoint: collector.url, sampledShare: 1, delayMs: 20 },
      coap: { port: 0, isTokenRequired: true, tokenOption: TOKEN_OPTION, addressTrustMs: HOUR_MS },
    },
  }));
  before(async () => {
    await createSecrets();
    for (const serial of [SERIAL, REFUSING]) await register(dms, serial);
    jobId = await applyToLogger();
    for (const token of Object.values(secrets)) await sendEverything(token);
    await failInside(secrets['the device token'] as string);
    await untilEnded(dms, jobId);
    metrics = await (await fetch(dms.metricsUrl)).text();
  });

  async function createSecrets(): Promise<void> {
    const revoked = await dms.issueKey(dms.id, 'device');
    await createKeysRepository(dms.service.sql).revoke(revoked.id);
    secrets['the device token'] = (await dms.issueKey(dms.id, 'device')).token;
    secrets['the customer key'] = (await dms.issueKey(dms.id, 'customer')).token;
    secrets['a revoked device token'] = revoked.token;
    secrets['an unknown device token'] = formatKey('device', randomBytes(32));
    secrets['a malformed device token'] = `dev_${randomBytes(16).toString('hex')}`;
  }

  /** The whole life of a change, so that it has a run and outcomes. */
  async function applyToLogger(): Promise<string> {
    const logger = await open({ token: secrets['the device token'] });
    await logger.measure();
    await logger.report();
    const slug = await createProfile(dms, FRIDGE);
    const job = await apply(dms, slug, { serialNumbers: [SERIAL] });
    await eventually(
      () =>
        runOf(dms, job)
          .describe()
          .catch(() => null),
      (run) => run !== null,
    );
    logger.applyAnswer(await logger.measure());
    await logger.report({ errors: { codes: [20_738], at: new Date(0) } });
    await logger.close();
    return job;
  }

  const open = (options: { token?: string; optionToken?: string; serial?: string }): Promise<Logger> =>
    openLogger({ serial: SERIAL, coapPort: dms.coapPort, tokenOption: TOKEN_OPTION, ...options });

  async function sendEverything(token: string): Promise<void> {
    for (const serial of [SERIAL, UNREGISTERED]) {
      for (const place of [{ token }, { token: '', optionToken: token }]) {
        const logger = await open({ serial, ...place });
        await sendMessages(logger);
        await sendInOtherPlaces(logger, token);
        answers.push(...logger.received.map((datagram) => datagram.toString('latin1')));
        for (const datagram of logger.received)
          statuses.add(`${(datagram[1] as number) >> 5}.${(datagram[1] as number) & 31}`);
        await logger.close();
      }
    }
    await sendOverHttp(token);
  }

  async function sendMessages(logger: Logger): Promise<void> {
    for (const confirmable of [false, true]) {
      await logger.measure({ confirmable, signal: 40 });
      await logger.report({ confirmable });
      await logger.report({ confirmable, order: [1, 2] });
    }
    await logger.sendInfo({ version: 0x0702, rssi: -70 });
    await logger.send('t', Buffer.alloc(0));
  }

  async function sendInOtherPlaces(logger: Logger, token: string): Promise<void> {
    const serial = Buffer.from(logger.serial, 'hex');
    const send = (path: string, fields: Field[]) => logger.send(path, encoded(fields));
    for (const field of INFO_TEXTS) await send('i', [bytes(1, serial), uint(3, 0x0702), text(field, token)]);
    await send('i', [
      bytes(1, serial),
      text(16, token),
      message(14, [uint(1, 4), text(3, token), text(5, token)]),
    ]);
    for (const field of REPORT_TEXTS) await send('c', [bytes(25, serial), uint(21, 1), text(field, token)]);
    for (const path of ['m', 'c', 'i', 't', token]) await logger.send(path, Buffer.from(token));
    const query = coapRequest({
      path: 'm',
      payload: Buffer.from(token),
      type: 0,
      code: 2,
      id: 60_001,
      options: [
        [15, Buffer.from(token)],
        [9_998, Buffer.from(token)],
      ],
    });
    await logger.exchange(query);
  }

  async function sendOverHttp(token: string): Promise<void> {
    const device = dms.with(token);
    const reading = { channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() };
    for (const serial of [SERIAL, UNREGISTERED, token]) {
      for (const client of [device, dms.device]) {
        const sent = [
          await client.get(`/devices/${serial}/pending-config`),
          await client.post(`/devices/${serial}/config-reports`, FACTORY),
          await client.post(`/devices/${serial}/config-reports`, { ...FACTORY, cloudToken: token }),
          await client.post(`/devices/${serial}/measurements`, { readings: [reading] }),
          await client.post(`/devices/${serial}/measurements`, { readings: [{ ...reading, type: token }] }),
          await client.post(`/devices/${serial}/measurements`, undefined, { raw: `{"readings":"${token}` }),
        ];
        answers.push(...sent.map(({ text: body, headers }) => body + JSON.stringify(headers)));
      }
    }
    await dms.api.post('/assets', { serialNumber: token });
    await dms.api.put('/devices/config-profiles/vaccine-fridge/apply', { serialNumbers: [token] });
    await refuseChange(token);
  }

  /** The reason becomes a part of the job. */
  async function refuseChange(token: string): Promise<void> {
    await apply(dms, 'vaccine-fridge', { serialNumbers: [REFUSING] });
    await dms.device.get(`/devices/${REFUSING}/pending-config`);
    const errors = [{ message: `login with ${token} failed` }];
    const { body } = await dms.device.post(`/devices/${REFUSING}/config-reports`, { ...FACTORY, errors });
    assert.equal(body.syncStatus, 'failed');
  }

  /** A defect: the error message of PostgreSQL contains the whole row. */
  async function failInside(token: string): Promise<void> {
    const tables = ['device_states', 'device_infos'];
    for (const table of tables)
      await query(dms.service.sql, `alter table ${table} add constraint broken check (false) not valid`);
    const logger = await open({ token });
    for (const reply of [await logger.measure(), await logger.sendInfo({ version: 0x0702 })])
      assert.equal(reply.code, '5.00');
    await logger.close();
    for (const table of tables) await query(dms.service.sql, `alter table ${table} drop constraint broken`);
  }

  const foundIn = (what: string) => findSecrets(secrets, what);
  const leaksOf = (texts: string[]) => texts.filter((each) => foundIn(each).length > 0);

  it('searches traffic of every kind', async () => {
    for (const code of ['2.1', '2.5', '4.0', '4.1', '4.4']) assert.ok(statuses.has(code), `no ${code}`);
    assert.match(lines.join(''), /CoAP handler of i failed/);
    assert.match(lines.join(''), /device refused/);
    assert.match(metrics, /dms_coap_refused_total\{reason="wrong_token"\}/);
    const [state] = await query<{ info: object }>(dms.service.sql, 'select info from device_infos');
    assert.ok(state?.info, 'no device info is stored');
    for (const secret of Object.values(secrets))
      assert.deepEqual(foundIn(Buffer.from(`x${secret}y`).toString('base64')).length, 1);
  });

  it('finds no secret in a table', async () => {
    const rows = await storedRows(dms.service.sql);
    const leaks = rows.flatMap(({ table, text: row }) => foundIn(row).map((name) => `${table}: ${name}`));
    assert.deepEqual([...new Set(leaks)], []);
  });

  it('refuses a secret as a serial number, by 400 in a body and by 404 in a path', async () => {
    for (const [name, token] of Object.entries(secrets)) {
      assert.equal((await dms.api.post('/assets', { serialNumber: token })).status, 400, name);
      assert.equal((await dms.device.get(`/devices/${token}/pending-config`)).status, 404, name);
    }
  });

  it('finds no secret in an answer', () => assert.deepEqual(leaksOf(answers), []));

  it('finds no secret in a log line', () => assert.deepEqual(leaksOf(lines), []));

  it('finds no secret in a metric', () => assert.deepEqual(leaksOf(metrics.split('\n')), []));

  it('finds no secret in a span of a trace', async () => {
    const names = () => new Set(collector.spans.map(({ name }) => name));
    const expected = ['CoAP m', 'CoAP i', 'reportConfig', 'batch of messages', 'transaction', 'completeJob'];
    await eventually(
      async () => expected.filter((name) => !names().has(name)),
      (missing) => missing.length === 0,
    );
    assert.ok(collector.spans.some(({ hasFailed }) => hasFailed));
    assert.deepEqual(leaksOf(collector.bytes.map((sent) => sent.toString('latin1'))), []);
  });

  it('finds no secret in a run of Temporal, neither in its description nor in its history', async () => {
    const run = runOf(dms, jobId);
    const texts = [
      toText(await run.describe()),
      toText(await run.fetchHistory()),
      await detailsOf(dms, jobId),
    ];
    assert.deepEqual(findSecrets({ serial: SERIAL }, texts.join()), ['serial'], 'payloads are searched');
    assert.deepEqual(leaksOf(texts), []);
  });
});

/** Payloads are encoded in base64. */
const toText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
