/** The environment as settings of the service. The only file of src/ that reads process.env. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Env, splitList, type Values, validateEnvironment } from './environment.ts';
import { readTemporalProfile, type TemporalProfile } from './temporal-settings.ts';
import type { TraceSettings } from './tracing.ts';

export const PORT_DEFAULT = 8080;
export const COAP_PORT_DEFAULT = 5683;
const DRAIN_TICK_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LEASE_DEADLINES = 4;
/** Longer than the waits of an attempt before its deadline begins, such as for the look-up of a name. */
const LEASE_MARGIN_SECONDS = 20;

/** Settings that no environment changes, because one value serves everybody; tests set others. */
const FIXED_SETTINGS = {
  /** How long a message of a device waits for a lock on that device. */
  deviceLockTimeoutMs: 1_500,
  /** What a worker does at the same time; another worker does as much again. */
  atOnce: {
    jobStepsMax: 100,
    endpointStepsMax: 200,
    escalationStepsMax: 10,
    /** Per task queue. */
    workflowTasksMax: 40,
  },
  /** How long values for metrics that are read from the database are cached. */
  metricsMaxAgeMs: 10_000,
  /** How long a workflow waits for a signal before it reads its rows again. */
  jobPollIntervalMs: 300_000,
  /** Minimum time between two signals to one job. */
  jobSignalIntervalMs: 1_000,
  /** A run that has not read its rows for this long is looked up, and started if it is missing. */
  runCheckIntervalMs: 15_000,
  /** A run fails, and is started again, when no worker has known its step for this long: after an upgrade. */
  unknownStepsGiveUpMs: 600_000,
  /** Some sweeps take place only after 12 and after 60 intervals, and DmsSweepsStopped expects them. */
  sweepIntervalMs: 5_000,
};

/** Exports, and certificates in both directions, at the same time: they are sent or received in many pieces. */
const TRANSFERS = {
  exports: { perKeyMax: 4, perProcessMax: 16 },
  uploads: { perKeyMax: 4, perProcessMax: 16 },
  /** A slow one holds about 300 KB. */
  downloads: { perKeyMax: 64, perProcessMax: 256 },
};

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(env: Env = process.env) {
  const temporal = readTemporalProfile(env);
  const values = validateEnvironment(withProfile(env, temporal), [
    'DATABASE_URL',
    'TEMPORAL_ADDRESS',
    'SECRETS_KEYS',
  ]);
  return Object.freeze({
    ...FIXED_SETTINGS,
    databaseUrl: values.DATABASE_URL,
    /** URL of the server itself, if databaseUrl belongs to a pooler; else the same. */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    databasePooler: values.DATABASE_POOLER,
    /** A streaming standby for reads that may lag; null: none. */
    databaseReplicaUrl: values.DATABASE_REPLICA_URL ?? null,
    /** A replica that lags more is not read. */
    replicaLagMaxMs: values.DATABASE_REPLICA_LAG_SECONDS * 1000,
    /** Whether the tenants' tables are distributed by organization (Citus). */
    isDatabaseDistributed: values.DATABASE_DISTRIBUTED,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_SECONDS * 1000,
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    temporalAccess: temporal.access,
    /** Task queue of jobs; the queues of endpoints and escalations are derived from it. */
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    /** A file with the bundled workflows; null: the bundle of the build, or a new one. */
    workflowBundlePath: values.WORKFLOW_BUNDLE ?? null,
    host: values.HOST,
    port: values.PORT ?? PORT_DEFAULT,
    metricsPort: values.METRICS_PORT ?? 0,
    /** Null: traces are off. */
    traces: toTraceSettings(values),
    requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
    /** A client that reads nothing of its answer for this long is disconnected. */
    writeTimeoutMs: values.WRITE_TIMEOUT_SECONDS * 1000,
    /** `poolSize`: of a separate pool of database connections. */
    transfers: { poolSize: values.DATABASE_TRANSFER_POOL_SIZE, ...TRANSFERS },
    customerLimit: { perSecond: values.RATE_LIMIT_PER_SECOND, burst: values.RATE_LIMIT_BURST },
    deviceLimit: { perSecond: values.DEVICE_RATE_LIMIT_PER_SECOND, burst: values.DEVICE_RATE_LIMIT_BURST },
    failedKeysPerMinute: values.FAILED_KEYS_PER_MINUTE,
    coap: {
      /** UDP; 0: a free port. */
      port: values.COAP_PORT ?? COAP_PORT_DEFAULT,
      /** Without a token, a device is identified by its serial if exactly one organization has registered it. */
      isTokenRequired: values.COAP_REQUIRE_TOKEN,
      /**
       * Number of the CoAP option that carries the device token; null: loggers send it in their messages only.
       */
      tokenOption: values.COAP_TOKEN_OPTION ?? null,
      /** For how long after a token its address and port stand in for it in configuration reports. */
      addressTrustMs: values.COAP_ADDRESS_TRUST_SECONDS * 1000,
    },
    /** Encrypts webhook secrets at rest: key id → 32 bytes; the highest id encrypts, all decrypt. */
    secretsKeys: parseSecretsKeys(values.SECRETS_KEYS),
    webhookAllowedRanges: splitList(values.WEBHOOK_ALLOWED_RANGES),
    /**
     * Name servers for the names of receivers, `address` or `address:port`; empty: the servers of the system.
     */
    dnsServers: splitList(values.DNS_SERVERS),
    /** Addresses and ranges of proxies whose X-Forwarded-For is trusted. */
    trustedProxies: splitList(values.TRUSTED_PROXIES),
    webhooks: toDeliverySettings(values),
    /** The mail server of notifications; null: none. */
    smtp: toSmtpSettings(values),
    /** E-mails within an hour. */
    mailLimits: {
      perAddress: values.MAILS_PER_ADDRESS_PER_HOUR,
      perOrganization: values.MAILS_PER_ORGANIZATION_PER_HOUR,
    },
    /** Minimum time between two notifications of a channel; alerts in between go into the next one. */
    notificationIntervalMs: values.NOTIFICATION_INTERVAL_SECONDS * 1000,
    /** Months of readings that ended longer ago are dropped. */
    measurementsRetentionDays: values.MEASUREMENTS_RETENTION_DAYS,
    /**
     * Jobs that ended longer ago are removed with their targets, except targets that show which profile a
     * device runs.
     */
    jobRetentionDays: values.JOB_RETENTION_DAYS,
    /** Alerts that were resolved longer ago are removed. */
    alertRetentionDays: values.ALERT_RETENTION_DAYS,
    /** Months of the audit trail that ended longer ago are dropped. */
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    /** Number of devices that are offered a change in one transaction. */
    applyChunkSize: values.APPLY_CHUNK_SIZE,
    /** The request of a job for more devices queues them, and its run offers the change. */
    largeJobDevices: values.LARGE_JOB_DEVICES,
    /** How long a stopping process keeps serving after it has reported that it is not ready. */
    lameDuckMs: values.LAME_DUCK_SECONDS * 1000,
    /** Public URL of the operators' page; null: there is none. */
    operatorUrl: values.OPERATOR_URL ?? null,
    /**
     * The identity provider that signs people in to the operators' page; null: people sign in by links only.
     */
    oidc: toOidcSettings(values),
    /** Base URL for links to runs; null: none are shown. */
    temporalUiUrl: values.TEMPORAL_UI_URL ?? null,
    /** Files of fonts for letters that those of the PDF lack. */
    pdfFonts: splitList(values.PDF_FONTS),
    logLevel: values.LOG_LEVEL,
  });
}

const toDeliverySettings = (values: Values) => ({
  /** Requests in flight to one endpoint. */
  perEndpointMax: values.WEBHOOK_REQUESTS_PER_ENDPOINT,
  /** Requests per second to one endpoint while its backlog drains. */
  drainPerSecondMax: values.WEBHOOK_DRAIN_PER_SECOND,
  drainTickMs: DRAIN_TICK_MS,
  deadlineMs: values.WEBHOOK_DEADLINE_SECONDS * 1000,
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  /** Longer than any attempt, also to hand over an e-mail. */
  leaseSeconds: Math.max(
    values.WEBHOOK_DEADLINE_SECONDS * LEASE_DEADLINES,
    Math.max(values.WEBHOOK_DEADLINE_SECONDS, values.SMTP_TIMEOUT_SECONDS) + LEASE_MARGIN_SECONDS,
  ),
  secretGracePeriodMs: values.WEBHOOK_SECRET_GRACE_HOURS * 3_600_000,
  retentionDays: values.WEBHOOK_RETENTION_DAYS,
});

const toSmtpSettings = ({ SMTP_URL, SMTP_FROM, SMTP_TIMEOUT_SECONDS }: Values) =>
  SMTP_URL === undefined || SMTP_FROM === undefined
    ? null
    : {
        /** smtp:// or smtps://, with user and password if the server requires them. */
        url: SMTP_URL,
        /** The sender: an address, or `Name <address>`. */
        from: SMTP_FROM,
        /** Limits the whole conversation with the server. */
        timeoutMs: SMTP_TIMEOUT_SECONDS * 1000,
      };

function toOidcSettings(values: Values) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET_FILE: file } = values;
  if (issuer === undefined || clientId === undefined) return null;
  return {
    issuer,
    clientId,
    /** Null: the client has none, and authenticates by PKCE alone. */
    clientSecret:
      file === undefined ? (values.OIDC_CLIENT_SECRET ?? null) : readFileSync(file, 'utf8').trim(),
    /** Claim that contains the name of the organization. */
    organizationClaim: values.OIDC_ORGANIZATION_CLAIM,
    /** Claim that contains admin, write or read; without it, read. */
    roleClaim: values.OIDC_ROLE_CLAIM,
  };
}

const toTraceSettings = (values: Values): TraceSettings | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        sampledShare: values.OTEL_TRACES_SAMPLER_ARG,
      };

function parseSecretsKeys(text: string): Record<number, Buffer> {
  const pairs = text.split(',').map((pair) => pair.split(':') as [string, string]);
  return Object.fromEntries(pairs.map(([id, key]) => [Number(id), Buffer.from(key, 'base64')]));
}

export type TemporalSettings = Pick<Settings, 'temporalAddress' | 'temporalNamespace' | 'temporalAccess'>;

/** Settings for the commands for Temporal, which may run without what other settings need. */
export function readTemporalSettings(env: Env = process.env): TemporalSettings {
  const temporal = readTemporalProfile(env);
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('TEMPORAL_')));
  const values = validateEnvironment(withProfile(own, temporal), ['TEMPORAL_ADDRESS']);
  return {
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE,
    temporalAccess: temporal.access,
  };
}

/** Completes the environment by values of a configuration file. */
const withProfile = (env: Env, { address, namespace }: TemporalProfile): Env => ({
  ...env,
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: namespace,
});

/** Settings for commands, unchecked. The folder is that in which `npm start` has written the URL of its database. */
export const readCommandSettings = (env: Env = process.env) => ({
  databaseUrl: env.DATABASE_DIRECT_URL || env.DATABASE_URL || null,
  operatorUrl: env.OPERATOR_URL?.replace(/\/+$/, '') || null,
  smtpUrl: env.SMTP_URL || null,
  dataDir: resolve(env.DATA_DIR || '.data'),
  port: Number(env.PORT) || PORT_DEFAULT,
  coapPort: Number(env.COAP_PORT) || COAP_PORT_DEFAULT,
});

/**
 * Where the command line finds the API, and its key; stored logins are files of the user (XDG Base Directory
 * 0.8).
 */
export const readRemoteSettings = (env: Env = process.env) => ({
  url: env.DMS_URL || null,
  apiKey: env.DMS_KEY || null,
  loginFile: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'dms', 'logins.json'),
});
/** Environment for programs that a command runs. */
export const programEnvironment = (added: Env): Env => ({ ...process.env, ...added });
