/** Environment to settings: validated, frozen, all faults at once. The only file that reads process.env. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import Joi from 'joi';
import { SCHEDULE_MS } from '../deliveries/delivery.ts';
import { PROBE_PLAN, type ProbePlan } from '../endpoints/endpoint-health.ts';

export interface Settings {
  databaseUrl: string;
  databasePoolSize: number;
  statementTimeoutMs: number;
  temporalAddress: string;
  temporalNamespace: string;
  taskQueue: string;
  host: string;
  port: number;
  metricsPort: number;
  requestTimeoutMs: number;
  customerLimit: { perSecond: number; burst: number };
  deviceLimit: { perSecond: number; burst: number };
  failedKeysPerMinute: number;
  coap: CoapSettings;
  /** Encrypts webhook secrets at rest: key id → 32 bytes; the highest id seals, all open. */
  secretsKeys: Record<number, Buffer>;
  webhookAllowedRanges: string[];
  webhooks: DeliverySettings;
  /** Months of readings that ended longer ago are dropped. */
  measurementsRetentionDays: number;
  /** How long a job's workflow goes without a look when no signal comes. */
  jobPollIntervalMs: number;
  jobSignalIntervalMs: number;
  sweepIntervalMs: number;
  logLevel: string;
}

export interface CoapSettings {
  /** UDP; 0 for a free one. */
  port: number;
  /** Without one, a device is known by its serial if a single organization has registered it. */
  isTokenRequired: boolean;
  /** Number of the CoAP option that carries the device token; null when loggers send it in their messages only. */
  tokenOption: number | null;
}

/** How deliveries go: data, so that tests run days in milliseconds. */
export interface DeliverySettings {
  scheduleMs: readonly number[];
  probePlan: ProbePlan;
  disableAfterMs: number;
  /** Requests in flight to one endpoint, and per second while it drains. */
  perEndpointMax: number;
  drainPerSecondMax: number;
  drainTickMs: number;
  deadlineMs: number;
  connectTimeoutMs: number;
  /** Longer than any attempt. */
  leaseSeconds: number;
  secretGracePeriodMs: number;
  retentionDays: number;
}

/** What `npm start` takes from the environment on top, before it knows its own servers. */
export interface StartSettings {
  dataDir: string;
  port: WantedPort;
  coapPort: WantedPort;
  databaseUrl: string | null;
  temporalAddress: string | null;
  /** For child processes. */
  env: NodeJS.ProcessEnv;
  cacheDir: string;
}

export interface WantedPort {
  port: number;
  /** It was asked for: then no other one will do. */
  isGiven: boolean;
}

const PORT_DEFAULT = 8080;
const COAP_PORT_DEFAULT = 5683;
const DISABLE_AFTER_MS = 75 * 3_600_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LEASE_DEADLINES = 4;
const port = () => Joi.number().port();
const wholeNumber = (fallback: number) => Joi.number().integer().min(0).default(fallback);

const shared = {
  DATABASE_URL: Joi.string().uri({ scheme: ['postgres', 'postgresql'] }),
  TEMPORAL_ADDRESS: Joi.string().pattern(/^[^\s:]+:\d+$/, 'host:port'),
  PORT: port(),
  DATA_DIR: Joi.string().default('.data'),
  HOST: Joi.string().default('127.0.0.1'),
  METRICS_PORT: Joi.number().integer().min(0).max(65_535),
  TEMPORAL_NAMESPACE: Joi.string().default('default'),
  TEMPORAL_TASK_QUEUE: Joi.string().default('device-monitoring'),
  TEMPORAL_CLI_PATH: Joi.string(),
  DATABASE_POOL_SIZE: Joi.number().integer().min(4).max(500).default(20),
  STATEMENT_TIMEOUT_SECONDS: wholeNumber(60),
  REQUEST_TIMEOUT_SECONDS: Joi.number().integer().min(1).default(60),
  RATE_LIMIT_PER_SECOND: wholeNumber(100),
  RATE_LIMIT_BURST: Joi.number().integer().min(1).default(200),
  DEVICE_RATE_LIMIT_PER_SECOND: wholeNumber(0),
  DEVICE_RATE_LIMIT_BURST: Joi.number().integer().min(1).default(1_000),
  FAILED_KEYS_PER_MINUTE: wholeNumber(20),
  COAP_PORT: Joi.number().integer().min(0).max(65_535),
  COAP_REQUIRE_TOKEN: Joi.boolean().default(true),
  COAP_TOKEN_OPTION: Joi.number().integer().min(1).max(64_999),
  SECRETS_KEYS: Joi.string()
    .pattern(/^\d+:[A-Za-z0-9+/]{43}=(,\d+:[A-Za-z0-9+/]{43}=)*$/)
    .messages({ 'string.pattern.base': '{{#label}} must be id:key pairs, each key 32 bytes in base64' }),
  WEBHOOK_ALLOWED_RANGES: Joi.string()
    .allow('')
    .default('')
    .custom((text: string, helpers) =>
      rangesIn(text).every((range) => ipaddr.isValidCIDR(range))
        ? text
        : helpers.message({ custom: '{{#label}} must be CIDR ranges, separated by commas' }),
    ),
  JOB_POLL_SECONDS: Joi.number().integer().min(1).default(300),
  JOB_SIGNAL_INTERVAL_MS: Joi.number().integer().min(10).default(1_000),
  SWEEP_INTERVAL_SECONDS: Joi.number().min(0.1).default(5),
  WEBHOOK_REQUESTS_PER_ENDPOINT: Joi.number().integer().min(1).max(1_000).default(16),
  WEBHOOK_DRAIN_PER_SECOND: Joi.number().integer().min(1).max(10_000).default(1_000),
  WEBHOOK_DEADLINE_SECONDS: Joi.number().min(1).max(60).default(15),
  WEBHOOK_SECRET_GRACE_HOURS: Joi.number().min(0).max(168).default(24),
  WEBHOOK_RETENTION_DAYS: Joi.number().integer().min(1).max(365).default(7),
  MEASUREMENTS_RETENTION_DAYS: Joi.number().integer().min(1).max(36_500).default(730),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
};

type Env = Record<string, string | undefined>;

/** The validated values, by the names above; those with a default are always there. */
interface Values {
  DATABASE_URL?: string;
  TEMPORAL_ADDRESS?: string;
  PORT?: number;
  DATA_DIR: string;
  HOST: string;
  METRICS_PORT?: number;
  TEMPORAL_NAMESPACE: string;
  TEMPORAL_TASK_QUEUE: string;
  DATABASE_POOL_SIZE: number;
  STATEMENT_TIMEOUT_SECONDS: number;
  REQUEST_TIMEOUT_SECONDS: number;
  RATE_LIMIT_PER_SECOND: number;
  RATE_LIMIT_BURST: number;
  DEVICE_RATE_LIMIT_PER_SECOND: number;
  DEVICE_RATE_LIMIT_BURST: number;
  FAILED_KEYS_PER_MINUTE: number;
  COAP_PORT?: number;
  COAP_REQUIRE_TOKEN: boolean;
  COAP_TOKEN_OPTION?: number;
  SECRETS_KEYS?: string;
  WEBHOOK_ALLOWED_RANGES: string;
  JOB_POLL_SECONDS: number;
  JOB_SIGNAL_INTERVAL_MS: number;
  SWEEP_INTERVAL_SECONDS: number;
  WEBHOOK_REQUESTS_PER_ENDPOINT: number;
  WEBHOOK_DRAIN_PER_SECOND: number;
  WEBHOOK_DEADLINE_SECONDS: number;
  WEBHOOK_SECRET_GRACE_HOURS: number;
  WEBHOOK_RETENTION_DAYS: number;
  MEASUREMENTS_RETENTION_DAYS: number;
  LOG_LEVEL: string;
}

/** What the processes cannot do without, and `npm start` finds for itself. */
type ServiceValues = Values & Required<Pick<Values, 'DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'SECRETS_KEYS'>>;

export function readSettings(env: Env = process.env): Settings {
  return settingsOf(
    validated<ServiceValues>(env, {
      ...shared,
      DATABASE_URL: shared.DATABASE_URL.required(),
      TEMPORAL_ADDRESS: shared.TEMPORAL_ADDRESS.required(),
      SECRETS_KEYS: shared.SECRETS_KEYS.required(),
    }),
  );
}

export function readStartSettings(env: Env = process.env): StartSettings {
  const values = validated<Values>(env, shared);
  return Object.freeze({
    dataDir: resolve(values.DATA_DIR),
    port: wanted(values.PORT, PORT_DEFAULT),
    coapPort: wanted(values.COAP_PORT, COAP_PORT_DEFAULT),
    databaseUrl: values.DATABASE_URL ?? null,
    temporalAddress: values.TEMPORAL_ADDRESS ?? null,
    env: { ...env },
    cacheDir: join(homedir(), '.cache', 'device-monitoring-service'),
  });
}

const wanted = (given: number | undefined, fallback: number): WantedPort => ({
  port: given ?? fallback,
  isGiven: given !== undefined,
});

/** Settings of `npm start`, once its servers run: what the environment says, else what suits one machine. */
export function settingsForStart(
  start: StartSettings,
  found: {
    databaseUrl: string;
    temporalAddress: string;
    port: number;
    coapPort: number;
    metricsPort: number;
  },
): Settings {
  return readSettings({
    WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8,::1/128',
    COAP_REQUIRE_TOKEN: 'false',
    SECRETS_KEYS: secretsKeysIn(start.dataDir),
    ...start.env,
    DATABASE_URL: found.databaseUrl,
    TEMPORAL_ADDRESS: found.temporalAddress,
    PORT: String(found.port),
    COAP_PORT: String(found.coapPort),
    METRICS_PORT: start.env.METRICS_PORT ?? String(found.metricsPort),
  });
}

/** Where `npm start` keeps what it writes. */
export const readDataDir = (env: Env = process.env): string => resolve(env.DATA_DIR || '.data');

/** What the command line needs: the database, from the environment or from what `npm start` wrote. */
export function readDatabaseUrl(env: Env = process.env): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const file = join(readDataDir(env), 'local.json');
  if (!existsSync(file)) {
    throw new Error('No database: start the service first (npm start), or set DATABASE_URL or DATA_DIR');
  }
  return (JSON.parse(readFileSync(file, 'utf8')) as { databaseUrl: string }).databaseUrl;
}

/** One key, made at the first start and kept with the data that it protects. */
function secretsKeysIn(dataDir: string): string {
  const file = join(dataDir, 'secrets.key');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, `1:${randomBytes(32).toString('base64')}`, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8').trim();
}

function validated<T extends Values>(env: Env, keys: Record<string, Joi.Schema>): T {
  const known = Object.fromEntries(
    Object.keys(keys).map((key) => [key, env[key] === '' ? undefined : env[key]]),
  );
  const result = Joi.object(keys).validate(known, { abortEarly: false, errors: { wrap: { label: false } } });
  if (!result.error) return result.value as T;
  const faults = result.error.details.map(({ message }) => `  ${message}`);
  throw new Error(`The environment is not right:\n${faults.join('\n')}`);
}

function settingsOf(values: ServiceValues): Settings {
  const settings: Settings = {
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_SECONDS * 1000,
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    host: values.HOST,
    port: values.PORT ?? PORT_DEFAULT,
    metricsPort: values.METRICS_PORT ?? 0,
    requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
    customerLimit: { perSecond: values.RATE_LIMIT_PER_SECOND, burst: values.RATE_LIMIT_BURST },
    deviceLimit: {
      perSecond: values.DEVICE_RATE_LIMIT_PER_SECOND,
      burst: values.DEVICE_RATE_LIMIT_BURST,
    },
    failedKeysPerMinute: values.FAILED_KEYS_PER_MINUTE,
    coap: {
      port: values.COAP_PORT ?? COAP_PORT_DEFAULT,
      isTokenRequired: values.COAP_REQUIRE_TOKEN,
      tokenOption: values.COAP_TOKEN_OPTION ?? null,
    },
    secretsKeys: secretsKeysOf(values.SECRETS_KEYS),
    webhookAllowedRanges: rangesIn(values.WEBHOOK_ALLOWED_RANGES),
    webhooks: {
      scheduleMs: SCHEDULE_MS,
      probePlan: PROBE_PLAN,
      disableAfterMs: DISABLE_AFTER_MS,
      perEndpointMax: values.WEBHOOK_REQUESTS_PER_ENDPOINT,
      drainPerSecondMax: values.WEBHOOK_DRAIN_PER_SECOND,
      drainTickMs: 1_000,
      deadlineMs: values.WEBHOOK_DEADLINE_SECONDS * 1000,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      leaseSeconds: values.WEBHOOK_DEADLINE_SECONDS * LEASE_DEADLINES,
      secretGracePeriodMs: values.WEBHOOK_SECRET_GRACE_HOURS * 3_600_000,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    measurementsRetentionDays: values.MEASUREMENTS_RETENTION_DAYS,
    jobPollIntervalMs: values.JOB_POLL_SECONDS * 1000,
    jobSignalIntervalMs: values.JOB_SIGNAL_INTERVAL_MS,
    sweepIntervalMs: values.SWEEP_INTERVAL_SECONDS * 1000,
    logLevel: values.LOG_LEVEL,
  };
  return Object.freeze(settings);
}

const rangesIn = (text: string) => text.split(',').filter((range) => range !== '');

function secretsKeysOf(text: string): Record<number, Buffer> {
  const pairs = text.split(',').map((pair) => pair.split(':') as [string, string]);
  return Object.fromEntries(pairs.map(([id, key]) => [Number(id), Buffer.from(key, 'base64')]));
}
