/**
 * The examples of the API document are requests that the service accepts, and answers that it gives. That they fit their
 * schemas is checked by Redocly.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Route } from '../../src/http/route.ts';
import type { Answer } from '../support/client.ts';
import { apply, refuse, register } from '../support/fleet.ts';
import { call, type Fixtures, forEvery, populate, stagedJob } from '../support/operations.ts';
import { useService } from '../support/service.ts';

interface Media {
  example?: unknown;
}

interface Response {
  content?: Record<string, Media>;
  $ref?: string;
}

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

/** A file cannot be shown. */
const isFile = (type: string) => type === 'application/pdf';
const SERIAL = '282C02424EED';
/** Create things that other examples name. */
const MAKING = ['createProfile', 'registerAsset', 'importAssets', 'applyProfile'];
/** Needs a mail server: test/notifications/mail-addresses.test.ts has it. */
const WITH_MAIL = 'confirmNotificationChannelAgain';
/** Remove things that other examples name, the widest last. */
const TAKING = [
  'deleteDeviceToken',
  'withdrawDeviceConfig',
  'cancelConfigJob',
  'replaceHardware',
  'deleteGroup',
  'removeUnregisteredDevice',
  'deleteCellularWebhook',
  'deleteWebhook',
  'deleteNotificationChannel',
  'deleteKey',
  'archiveAsset',
];

describe('The examples of the API document', () => {
  const dms = useService({ withWorker: false });
  let operations: Map<string, Operation>;
  let errors: Record<string, { content: Record<string, Media> }>;

  before(async () => {
    const { body: document } = await dms.api.get('/openapi.json');
    const listed = Object.values<Record<string, Operation>>(document.paths).flatMap((item) =>
      Object.values(item),
    );
    operations = new Map(listed.map((each) => [each.operationId, each]));
    errors = document.components.responses;
  });

  const operationOf = ({ operationId }: Route) => operations.get(operationId) as Operation;

  /** Every body and every successful answer, with its place. */
  function* media(): Generator<[where: string, type: string, Media]> {
    for (const { operationId, requestBody, responses } of operations.values()) {
      const answers = Object.entries(responses).map(([status, { content }]) => [status, content] as const);
      for (const [part, content = {}] of [['body', requestBody?.content] as const, ...answers]) {
        for (const [type, each] of Object.entries(content)) yield [`${operationId} ${part}`, type, each];
      }
    }
    for (const [name, { content }] of Object.entries(errors)) {
      for (const [type, each] of Object.entries(content)) yield [name, type, each];
    }
  }

  it('shows every body, every answer and every error, except files', () => {
    const missing = [...media()].filter(([, type, { example }]) => !isFile(type) && example === undefined);
    assert.deepEqual(
      missing.map(([where, type]) => `${where} ${type}`),
      [],
    );
  });

  it('accepts the examples as requests, and shows every field in the answers', async () => {
    const organization = await dms.addOrganization();
    const routes = dms.service.routes;
    const fixtures = { ...(await populate(organization)), serial: SERIAL, slug: 'vaccine-fridge' };
    const send = async (route: Route, its: Fixtures = fixtures) => {
      const { requestBody, responses } = operationOf(route);
      for (const [type, media] of Object.entries(requestBody?.content ?? { none: {} as Media })) {
        const example = inPlace(route.operationId, media.example, its);
        const raw = typeof example === 'string' ? example : JSON.stringify(example);
        const options = raw === undefined ? {} : { raw, headers: { 'content-type': type } };
        const change = isFile(type) || type === 'none' ? { body: undefined } : { options };
        const answer = await call(organization, route, its, isFile(type) ? {} : change);
        const success = String(answer.status);
        assert.ok(answer.status < 300 && success in responses, answer.text);
        assertShown(responses[success]?.content?.['application/json']?.example, answer);
      }
    };
    const named = (name: string) => routes.find(({ operationId }) => operationId === name) as Route;
    for (const name of MAKING) await forEvery([named(name)], send);
    const special = [
      ...MAKING,
      ...TAKING,
      'uploadCalibrationCertificate',
      'retryConfigJob',
      'proceedConfigJob',
      WITH_MAIL,
    ];
    await forEvery([named('uploadCalibrationCertificate')], send);
    await forEvery(
      routes.filter(({ operationId }) => !special.includes(operationId)),
      send,
    );
    const jobId = await failedJob();
    await forEvery([named('retryConfigJob')], (route) => send(route, { ...fixtures, jobId }));
    const stagedId = await stagedJob(organization, 'vaccine-fridge');
    await forEvery([named('proceedConfigJob')], (route) => send(route, { ...fixtures, jobId: stagedId }));
    await forEvery(TAKING.map(named), send);

    /** A job whose only device refuses the change. */
    async function failedJob(): Promise<string> {
      const serial = '282C02424F00';
      await register(organization, serial);
      const id = await apply(organization, 'vaccine-fridge', { serialNumbers: [serial] });
      await refuse(organization, serial);
      return id;
    }
  });

  it('words errors as the service does', async () => {
    const { api, with: withKey, id } = await dms.addOrganization();
    const reader = withKey((await dms.issueKey(id, 'customer', 'read')).token);
    const body = { serialNumber: SERIAL };
    const headers = { 'idempotency-key': 'once' };
    const answers = [
      await api.post('/assets', { name: 'Vaccine fridge 2' }),
      await withKey(null).get('/assets'),
      await reader.post('/assets', body),
      await api.get(`/assets/${randomUUID()}`),
      await api.post('/assets', { ...body, name: 'x'.repeat(1_100_000) }),
      await api.post('/assets', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
      await api.post('/assets', body, { headers }),
      await api.post('/assets', body),
      await api.post('/assets', { serialNumber: '282C02431B07' }, { headers }),
    ];
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 401, 403, 404, 413, 415, 409, 422],
    );
    const registering = operations.get('registerAsset') as Operation;
    const getting = operations.get('getAsset') as Operation;
    for (const { status, body: answer } of refused) {
      const { $ref = '' } = { ...getting.responses, ...registering.responses }[status] as Response;
      const component = errors[$ref.split('/').at(-1) as string];
      assert.deepEqual(answer, component?.content['application/json']?.example, String(status));
    }
  });
});

/** The example with a future time, and with ids of existing things. */
function inPlace(operationId: string, example: unknown, { escalationChannelId }: Fixtures): unknown {
  if (/^mute/.test(operationId))
    return { ...(example as object), until: new Date(Date.now() + 3_600_000).toISOString() };
  if (operationId === 'extendConfigJob')
    return { deadlineAt: new Date(Date.now() + 7 * 86_400_000).toISOString() };
  if (operationId !== 'createEscalation') return example;
  const { steps, ...more } = example as { steps: object[] };
  return { ...more, steps: steps.map((step) => ({ ...step, channelIds: [escalationChannelId] })) };
}

/** Fields that differ from one thing to another. */
const FREE = [
  'schedule',
  'before',
  'after',
  'payload',
  'details',
  'config',
  'preview',
  'deviceConfig',
  'pendingConfig',
];
/** Present only in some cases. */
const OPTIONAL = ['warnings', 'error', 'unconfirmedKeys', 'reportedAt', 'configHash', 'errors'];

function assertShown(example: unknown, { body, status }: Answer): void {
  if (status === 204 || body === undefined) return;
  const hidden = [...hiddenKeys(example, body)];
  assert.deepEqual(hidden, [], 'the example does not show these fields of the answer');
}

/** Keys of the value that the example lacks. An array in the example shows its first item. */
function* hiddenKeys(example: unknown, value: unknown, at = ''): Generator<string> {
  if (Array.isArray(value)) {
    const [shown] = Array.isArray(example) ? example : [];
    if (shown !== undefined) for (const item of value) yield* hiddenKeys(shown, item, `${at}[]`);
    return;
  }
  if (typeof value !== 'object' || value === null || typeof example !== 'object' || example === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (OPTIONAL.includes(key)) continue;
    if (!Object.hasOwn(example, key)) yield `${at}.${key}`;
    else if (!FREE.includes(key)) yield* hiddenKeys(example[key as never], inner, `${at}.${key}`);
  }
}
