/** Variables of the environment: their types, bounds and defaults. All invalid ones are reported at once. */
import { accessSync, constants } from 'node:fs';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import Joi from 'joi';

export type Env = Record<string, string | undefined>;

/** The validated values by name; variables with a default are always present. */
export type Values = Partial<ValuesOf<typeof optional>> & ValuesOf<typeof withDefault>;

/** Variables that every process of the service needs. */
type RequiredName = 'DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'SECRETS_KEYS';

type ValuesOf<Schemas> = {
  [Name in keyof Schemas]: Schemas[Name] extends Joi.AnySchema<infer Value> ? Value : never;
};

const port = () => Joi.number().integer().min(0).max(65_535);
const wholeNumber = (fallback: number, max: number) =>
  Joi.number().integer().min(0).max(max).default(fallback);
const positive = (fallback: number, max: number) => Joi.number().integer().min(1).max(max).default(fallback);

const databaseUrl = () => Joi.string().uri({ scheme: ['postgres', 'postgresql'] });

const list = (isValid: (item: string) => boolean, items: string) =>
  Joi.string()
    .allow('')
    .default('')
    .custom((text: string, helpers) =>
      splitList(text).every(isValid)
        ? text
        : helpers.message({ custom: `{{#label}} must be ${items}, separated by commas` }),
    );

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

const httpUrl = () => Joi.string().uri({ scheme: ['http', 'https'] });
/** Paths are appended to it. */
const baseUrl = () => httpUrl().replace(/\/+$/, '');

/** The registry of CoAP Option Numbers (IANA), as far as `coap-packet` knows it. */
const OPTIONS_OF_COAP = [
  1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 19, 20, 23, 27, 28, 31, 35, 39, 60, 258, 2_049, 2_053,
];

const optional = {
  DATABASE_URL: databaseUrl(),
  // Bypasses the pooler: for notifications, migrations and commands.
  DATABASE_DIRECT_URL: databaseUrl().when('DATABASE_POOLER', {
    is: Joi.valid('transaction', 'prepared'),
    // biome-ignore lint/suspicious/noThenProperty: Joi's name for it
    then: Joi.required(),
  }),
  DATABASE_REPLICA_URL: databaseUrl(),
  TEMPORAL_ADDRESS: Joi.string().pattern(/^[^\s:]+:\d+$/, 'host:port'),
  TEMPORAL_CLI_PATH: Joi.string(),
  TEMPORAL_UI_URL: baseUrl(),
  OPERATOR_URL: baseUrl(),
  OIDC_ISSUER: httpUrl().custom((text: string, helpers) =>
    isHttpsOrLoopback(text)
      ? text
      : helpers.message({ custom: '{{#label}} must be an https:// URL: http:// is for this machine alone' }),
  ),
  OIDC_CLIENT_ID: Joi.string(),
  OIDC_CLIENT_SECRET: Joi.string(),
  OIDC_CLIENT_SECRET_FILE: Joi.string(),
  WORKFLOW_BUNDLE: Joi.string(),
  PORT: Joi.number().port(),
  COAP_PORT: port(),
  METRICS_PORT: port(),
  // May contain a password, which no message repeats.
  SMTP_URL: Joi.string()
    .pattern(/^smtps?:\/\/[^\s/]+\/?(\?\S*)?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an smtp:// or smtps:// URL' }),
  SMTP_FROM: Joi.string().max(320),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(),
  COAP_TOKEN_OPTION: Joi.number()
    .integer()
    .min(1)
    .max(64_999)
    .invalid(...OPTIONS_OF_COAP)
    .messages({ 'any.invalid': '{{#label}} must be a number that CoAP gives no meaning of its own' }),
  SECRETS_KEYS: Joi.string()
    .pattern(/^\d+:[A-Za-z0-9+/]{43}=(,\d+:[A-Za-z0-9+/]{43}=)*$/)
    .messages({ 'string.pattern.base': '{{#label}} must be id:key pairs, each key 32 bytes in base64' })
    .custom((text: string, helpers) => {
      const ids = splitList(text).map((pair) => Number.parseInt(pair, 10));
      return new Set(ids).size === ids.length
        ? text
        : helpers.message({ custom: '{{#label}} must have another id for each key' });
    }),
};

/** A timer of Node.js that is to wait for longer than 24 days fires at once. */
const SECONDS_MAX = 86_400;
/** More is a typing error: 0 turns a limit off. */
const RATE_MAX = 10_000_000;
const DAYS_MAX = 36_500;

const withDefault = {
  DATA_DIR: Joi.string().default('.data'),
  OIDC_ORGANIZATION_CLAIM: Joi.string().max(256).default('organization'),
  OIDC_ROLE_CLAIM: Joi.string().max(256).default('role'),
  HOST: Joi.string().default('127.0.0.1'),
  TEMPORAL_NAMESPACE: Joi.string().default('default'),
  TEMPORAL_TASK_QUEUE: Joi.string().default('device-monitoring'),
  DATABASE_POOLER: Joi.string<'none' | 'transaction' | 'prepared'>()
    .valid('none', 'transaction', 'prepared')
    .default('none'),
  DATABASE_REPLICA_LAG_SECONDS: Joi.number().min(0.1).max(3_600).default(10),
  DATABASE_DISTRIBUTED: Joi.boolean().default(false),
  DATABASE_POOL_SIZE: Joi.number().integer().min(4).max(500).default(20),
  DATABASE_TRANSFER_POOL_SIZE: positive(4, 100),
  STATEMENT_TIMEOUT_SECONDS: wholeNumber(60, SECONDS_MAX),
  REQUEST_TIMEOUT_SECONDS: positive(60, SECONDS_MAX),
  WRITE_TIMEOUT_SECONDS: positive(30, SECONDS_MAX),
  RATE_LIMIT_PER_SECOND: wholeNumber(100, RATE_MAX),
  RATE_LIMIT_BURST: positive(200, RATE_MAX),
  // Enough for 100,000 loggers of one organization that send a frame every five minutes, all at the same moment.
  DEVICE_RATE_LIMIT_PER_SECOND: wholeNumber(1_000, RATE_MAX),
  DEVICE_RATE_LIMIT_BURST: positive(200_000, RATE_MAX),
  FAILED_KEYS_PER_MINUTE: wholeNumber(20, RATE_MAX),
  COAP_REQUIRE_TOKEN: Joi.boolean().default(true),
  COAP_ADDRESS_TRUST_SECONDS: wholeNumber(3_600, SECONDS_MAX),
  WEBHOOK_ALLOWED_RANGES: list((range) => ipaddr.isValidCIDR(range), 'CIDR ranges'),
  DNS_SERVERS: list(isNameServer, 'IP addresses, each with or without a port'),
  PDF_FONTS: list(isReadable, 'readable files'),
  TRUSTED_PROXIES: list((each) => ipaddr.isValidCIDR(each) || isIP(each) > 0, 'IP addresses or CIDR ranges'),
  // A larger value holds locks for longer, a smaller one takes longer in total.
  APPLY_CHUNK_SIZE: positive(1_000, 20_000),
  LARGE_JOB_DEVICES: positive(20_000, 100_000),
  WEBHOOK_REQUESTS_PER_ENDPOINT: positive(16, 1_000),
  WEBHOOK_DRAIN_PER_SECOND: positive(1_000, 10_000),
  WEBHOOK_DEADLINE_SECONDS: Joi.number().min(1).max(60).default(15),
  MAILS_PER_ADDRESS_PER_HOUR: positive(60, 100_000),
  MAILS_PER_ORGANIZATION_PER_HOUR: positive(600, 100_000),
  SMTP_TIMEOUT_SECONDS: Joi.number().min(1).max(60).default(15),
  NOTIFICATION_INTERVAL_SECONDS: Joi.number().min(0).max(3_600).default(10),
  WEBHOOK_SECRET_GRACE_HOURS: Joi.number().min(0).max(168).default(24),
  // Retries last a little over three days: a delivery dropped earlier would never be sent.
  WEBHOOK_RETENTION_DAYS: Joi.number().integer().min(4).max(365).default(7),
  MEASUREMENTS_RETENTION_DAYS: positive(730, DAYS_MAX),
  JOB_RETENTION_DAYS: positive(365, DAYS_MAX),
  AUDIT_RETENTION_DAYS: positive(730, DAYS_MAX),
  ALERT_RETENTION_DAYS: positive(730, DAYS_MAX),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1).default(1),
  LAME_DUCK_SECONDS: Joi.number().min(0).max(300).default(5),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
};

const schemas: Record<string, Joi.Schema> = { ...optional, ...withDefault };

export const SETTING_NAMES = Object.keys(schemas);

export function validateEnvironment<Name extends RequiredName = never>(
  env: Env,
  required: readonly Name[] = [],
): Values & Required<Pick<Values, Name>> {
  const schema = Joi.object(schemas)
    .fork([...required], (each) => each.required())
    .with('SMTP_URL', 'SMTP_FROM')
    .with('OIDC_ISSUER', ['OIDC_CLIENT_ID', 'OPERATOR_URL'])
    .oxor('OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE');
  // An empty variable counts as unset.
  const set = Object.fromEntries(Object.keys(schemas).map((name) => [name, env[name] || undefined]));
  const result = schema.validate(set, { abortEarly: false, errors: { wrap: { label: false } } });
  if (!result.error) return result.value;
  const faults = result.error.details.map(({ message }) => `  ${message}`);
  throw new Error(`The environment is not right:\n${faults.join('\n')}`);
}

export const splitList = (text: string) => text.split(',').filter((item) => item !== '');

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const isHttpsOrLoopback = (text: string): boolean =>
  URL.canParse(text) && (new URL(text).protocol === 'https:' || LOOPBACK.includes(new URL(text).hostname));

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1`, `[2001:db8::1]:53` */
function isNameServer(text: string): boolean {
  if (isIP(text) > 0) return true;
  const [, v6 = '', v4 = '', port] = /^(?:\[(.+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  return (isIPv6(v6) || isIPv4(v4)) && Number(port) > 0 && Number(port) < 65_536;
}
