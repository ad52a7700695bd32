/** The real service on real sockets in this process, with its own database and task queue. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ComposeOptions } from '../../src/compose/resources.ts';
import { compose, type Service } from '../../src/compose/service.ts';
import type { Role } from '../../src/http/role.ts';
import type { KeyKind } from '../../src/http/route.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../../src/keys/keys.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { readSettings, type Settings } from '../../src/process/config.ts';
import { createLog, type Log } from '../../src/process/log.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { type Client, createClient } from './client.ts';
import { collectUnscoped } from './scoped-statements.ts';
import { newDatabase, servers } from './servers.ts';
import { useStarted } from './use-started.ts';

export interface TestOrganization {
  id: string;
  /** Key of the client `api`. */
  keyId: string;
  /** A client with a customer key. */
  api: Client;
  /** A client with a device token. */
  device: Client;
  /** A client with another key, or none. */
  with(token: string | null): Client;
}

export interface TestService extends TestOrganization {
  service: Service;
  settings: Settings;
  baseUrl: string;
  /** Port of the CoAP gateway, on loopback. */
  coapPort: number;
  metricsUrl: string;
  /** Another organization on the same service. */
  addOrganization(): Promise<TestOrganization>;
  issueKey(organizationId: string, kind: KeyKind, role?: Role): Promise<{ id: string; token: string }>;
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  settings?: Partial<Settings>;
  /** Default: the API and a worker. */
  withWorker?: boolean;
  /** Replaces the clock of the database, to set the time. */
  now?: () => Date;
  /** Default: follows `now`, so that a test that lets time pass lets all of it pass. */
  monotonicMs?: () => number;
  /** Clock of the machine that the service appears to run on. */
  processNow?: () => Date;
  /** Default: a new one. */
  databaseUrl?: string;
  logLevel?: string;
  /** Default: a log with that level. */
  log?: Log;
  /** Looks up names of receivers; the system's way by default. */
  resolve?: ComposeOptions['resolve'];
  /** Default: the production plan, which takes days. */
  deliveryPlan?: ComposeOptions['deliveryPlan'];
  /** Default: seconds, as in production. */
  watchIntervalMs?: number;
}

/** Without limits and with short waits; tests of limits and waits set their own. */
async function testSettings(overrides: Partial<Settings>, databaseUrl: string): Promise<Settings> {
  const { temporalAddress } = await servers();
  const defaults = readSettings({
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    SECRETS_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
    TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
    RATE_LIMIT_PER_SECOND: '0',
    DEVICE_RATE_LIMIT_PER_SECOND: '0',
    FAILED_KEYS_PER_MINUTE: '0',
    // The slash is no part of the links to it.
    OPERATOR_URL: 'https://operators.example/',
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8,::1/128',
    MEASUREMENTS_RETENTION_DAYS: '36500',
    DATABASE_DISTRIBUTED: process.env.DATABASE_DISTRIBUTED,
    AUDIT_RETENTION_DAYS: '36500',
  });
  return {
    ...defaults,
    port: 0,
    metricsPort: 0,
    coap: { ...defaults.coap, port: 0 },
    // Tests block writers, on a machine that may be busy.
    deviceLockTimeoutMs: 10_000,
    jobSignalIntervalMs: 50,
    sweepIntervalMs: 500,
    runCheckIntervalMs: 2_000,
    metricsMaxAgeMs: 0,
    ...overrides,
  };
}

/** A service for the tests of a describe block. A function gives options that come from an earlier hook. */
export const useService = (
  options: TestServiceOptions | (() => TestServiceOptions | Promise<TestServiceOptions>) = {},
): TestService =>
  useStarted(
    async () => startService(typeof options === 'function' ? await options() : options),
    (dms) => dms.stop(),
  );

/** Another organization for each test. */
export function useOrganization(dms: TestService): TestOrganization {
  const organization = {} as TestOrganization;
  beforeEach(async () => void Object.assign(organization, await dms.addOrganization()));
  return organization;
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { workflowBundle } = await servers();
  const settings = await testSettings(options.settings ?? {}, options.databaseUrl ?? (await newDatabase()));
  const log = options.log ?? createLog(options.logLevel ?? 'silent');
  const { now, processNow, resolve, deliveryPlan, watchIntervalMs } = options;
  const { monotonicMs = now && (() => now().getTime()) } = options;
  const service = compose({
    settings,
    log,
    now,
    monotonicMs,
    processNow,
    resolve,
    deliveryPlan,
    watchIntervalMs,
    hasWorkflowThreads: false,
  });
  const unscoped = collectUnscoped(service.sql, service.transferSql);
  const metrics = await service.startMetrics();
  const api = await service.startApi();
  const gateway = await service.startGateway();
  const worker: RunningPart | null =
    options.withWorker === false ? null : await service.startWorker(workflowBundle);
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const issuer = createKeyIssuer(createKeysRepository(service.sql), Date.now);
  const issueKey = (organizationId: string, kind: KeyKind, role?: Role) =>
    issuer.issue({ organizationId, kind, role, expiresAt: null });

  async function addOrganization(): Promise<TestOrganization> {
    const { id } = await createOrganizationsRepository(service.sql).ensure(`test ${randomUUID()}`);
    const tokens = { api: await issueKey(id, 'customer'), device: await issueKey(id, 'device') };
    return {
      id,
      keyId: tokens.api.id,
      api: createClient(baseUrl, tokens.api.token),
      device: createClient(baseUrl, tokens.device.token),
      with: (token) => createClient(baseUrl, token),
    };
  }

  return {
    ...(await addOrganization()),
    service,
    settings,
    baseUrl,
    coapPort: gateway.port,
    metricsUrl: `http://127.0.0.1:${metrics.port}/metrics`,
    addOrganization,
    issueKey,
    async stop() {
      await api.stop(1_000);
      await gateway.stop(1_000);
      await metrics.stop();
      await worker?.stop(1_000);
      await service.close();
      assert.deepEqual([...unscoped], [], 'statements of the query builder without the organization');
    },
  };
}
