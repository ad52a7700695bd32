/** The checks of `dms doctor`. Each returns a finding, with a remedy if there is a fault. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { parseHttpDate } from '../../client/src/http-fields.ts';
import { readClock } from '../db/database-clock.ts';
import { findSchemaFault, findUnreleasedFault } from '../db/schema-check.ts';
import { readCommandSettings } from '../process/config.ts';
import { isOlderThanAYear, TIME_ZONE_RULES } from '../process/time-zone-rules.ts';
import { API_INFO, VERSION } from '../process/version.ts';
import { ANSWER_MS_MAX, connect, fetchFrom } from './api.ts';
import { findConnectFault, mailServerAddress } from './find-mail-server.ts';
import { findUdpListener } from './find-udp-listener.ts';
import type { Login } from './logins.ts';
import { serverVersion, withDatabase } from './with-database.ts';

export interface Finding {
  state: 'good' | 'warning' | 'bad';
  detail: string;
  /** Absent when nothing has to be done. */
  todo?: string;
}

export interface Check {
  name: string;
  look(): Promise<Finding>;
}

/** Tolerance between the clocks of two machines. */
const SKEW_MS_MAX = 2_000;
/** On the same machine. */
const GATEWAY_MS_MAX = 1_000;
const SMTP_URL_FORM = 'smtp://user:password@host:587 or smtps://user:password@host';
const DISK_GIB_MIN = 2;
const GIB = 1024 ** 3;
/** The first version with `uuidv7()`, which makes the ids of rows. */
const POSTGRES_MIN = 18;

const good = (detail: string): Finding => ({ state: 'good', detail });
const bad = (detail: string, todo: string): Finding => ({ state: 'bad', detail, todo });
const warning = (detail: string, todo: string): Finding => ({ state: 'warning', detail, todo });

/** Work from everywhere. */
export const apiChecks = (login: Login): Check[] => [
  {
    name: 'API',
    async look() {
      const version = await findVersion(login.url);
      if (version === null)
        return bad(
          `another program answers at ${login.url}`,
          'dms login URL, with the address of the service',
        );
      if (version === VERSION) return good(`${login.url} answers, version ${VERSION}`);
      const detail = `${login.url} has version ${version}, this command ${VERSION}`;
      return warning(detail, 'use the command of the version that runs');
    },
  },
  {
    name: 'key',
    async look() {
      const { totalItems } = await connect(login).dms.listAssets({ limit: 1 });
      return good(`it is valid: ${totalItems} devices`);
    },
  },
  {
    name: 'clock of the API',
    async look() {
      const startedAt = Date.now();
      const response = await fetchFrom(login.url, '/livez');
      const there = parseHttpDate(response.headers.get('date') ?? '', new Date());
      if (there === null)
        return bad('the answer has no valid Date', 'check the address: something else may answer there');
      // The header has whole seconds.
      return skewFinding(there.getTime() + 500 - (startedAt + Date.now()) / 2, SKEW_MS_MAX + 500);
    },
  },
  {
    name: 'time zones of the API',
    async look() {
      const response = await fetchFrom(login.url, '/readyz');
      // A proxy may block this path.
      const body = (await response.json().catch(() => ({}))) as { timeZoneRules?: string | null };
      return timeZoneFinding(body.timeZoneRules, new Date());
    },
  },
];

/** The version of the service at the address; null when another program answers. */
async function findVersion(url: string): Promise<string | null> {
  const response = await fetchFrom(url, '/openapi.json');
  const { info } = (await response.json().catch(() => ({}))) as {
    info?: { title?: string; version?: string };
  };
  return info?.title === API_INFO.title ? (info.version ?? null) : null;
}

/** Work on the machine of the service. */
export const machineChecks = (): Check[] => [
  {
    name: 'PostgreSQL',
    look: () =>
      withDatabase(async (sql) => {
        const version = await serverVersion(sql);
        if (version >= POSTGRES_MIN) return good(`version ${version} answers`);
        return bad(`version ${version}`, `the service needs PostgreSQL ${POSTGRES_MIN} or later`);
      }),
  },
  {
    name: 'schema',
    look: () =>
      withDatabase(async (sql) => {
        const fault = await findSchemaFault(sql);
        if (fault === null) return good('it is one that this version knows');
        const isUnreleased = (await findUnreleasedFault(sql)) !== null;
        return bad(fault, isUnreleased ? 'set DATABASE_URL to a new database' : 'npm run dms -- migrate');
      }),
  },
  {
    name: 'clock of PostgreSQL',
    look: () =>
      withDatabase(async (sql) => {
        const startedAt = Date.now();
        const now = await readClock(sql);
        return skewFinding(now.getTime() - (startedAt + Date.now()) / 2, SKEW_MS_MAX);
      }),
  },
  { name: 'Temporal', look: lookAtTemporal },
  { name: 'port of the API', look: () => lookAtPort(readCommandSettings().port) },
  { name: 'port of the gateway', look: () => lookAtCoapPort(readCommandSettings().coapPort) },
  ...mailServerChecks(),
  { name: 'disk', look: lookAtDisk },
  { name: 'time zones', look: async () => timeZoneFinding(TIME_ZONE_RULES, new Date()) },
];

/** `rules` is the release of the time zone database; absent if unknown. */
export function timeZoneFinding(rules: string | null | undefined, now: Date): Finding {
  const isOld = rules ? isOlderThanAYear(rules, now) : null;
  if (isOld === false) return good(`the rules are ${rules}`);
  const detail = isOld
    ? `the rules are ${rules}, older than a year`
    : 'the version of their rules is not known';
  return warning(detail, 'renew them: docs/operating.md, Time zones');
}

function skewFinding(skewMs: number, maxMs: number): Finding {
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1);
  if (Math.abs(skewMs) <= maxMs) return good('it agrees with that of this machine');
  const detail = `it is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  return bad(detail, 'let NTP set the clocks of all machines (timedatectl status)');
}

async function lookAtTemporal(): Promise<Finding> {
  // Loaded here, because the Temporal client takes a second to load.
  const { findTemporal } = await import('./find-temporal.ts');
  const { address, namespace, fault } = await findTemporal();
  if (fault === null) return good(`${address} answers, namespace ${namespace}`);
  return bad(
    `${address}: ${fault}`,
    'check TEMPORAL_ADDRESS; a new namespace needs: npm run dms -- temporal setup',
  );
}

/** A port that the service itself uses is fine. */
async function lookAtPort(port: number): Promise<Finding> {
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  if (isFree) return good(`${port} is free`);
  const version = await findVersion(`http://127.0.0.1:${port}`).catch(() => null);
  if (version !== null) return good(`a service listens at ${port}`);
  return warning(`something else listens at ${port}`, 'choose another one with PORT');
}

async function lookAtCoapPort(port: number): Promise<Finding> {
  const listener = await findUdpListener(port, GATEWAY_MS_MAX);
  if (listener === 'none') return good(`${port} is free: no gateway listens on this machine`);
  if (listener === 'gateway') return good(`a gateway listens at ${port}`);
  return warning(`something else listens at ${port}`, 'choose another one with COAP_PORT');
}

/** None for a service that sends no mail. */
function mailServerChecks(): Check[] {
  const { smtpUrl } = readCommandSettings();
  return smtpUrl === null ? [] : [{ name: 'mail server', look: () => lookAtMailServer(smtpUrl) }];
}

/** The URL may contain a password, which no finding repeats. */
async function lookAtMailServer(smtpUrl: string): Promise<Finding> {
  const address = mailServerAddress(smtpUrl);
  if (address === null)
    return bad('SMTP_URL is not a URL of a mail server', `write it as ${SMTP_URL_FORM}, / ? # @ as % codes`);
  const name = `${address.host} port ${address.port}`;
  const fault = await findConnectFault(address, ANSWER_MS_MAX);
  if (fault === null) return good(`${name} accepts connections`);
  return bad(
    `${name}: ${fault}`,
    'check host and port in SMTP_URL, and whether this machine may connect to it',
  );
}

async function lookAtDisk(): Promise<Finding> {
  const { dataDir } = readCommandSettings();
  const folder = existsSync(dataDir) ? dataDir : '.';
  const { bavail, bsize } = await statfs(folder);
  const gib = (bavail * bsize) / GIB;
  const detail = `${gib.toFixed(1)} GiB are free in ${folder}`;
  return gib >= DISK_GIB_MIN ? good(detail) : warning(detail, 'make room, or shorten the retentions');
}
