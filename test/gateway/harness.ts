/**
 * What the tests of the gateway begin with: a service with CoAP, a customer and a logger. `dms`, `org`, `token`,
 * `logger` and `assetId` are those of the test that runs.
 */
import { configOf, register } from '../support/fleet.ts';
import { type Logger, type LoggerOptions, openLogger, type Reply } from '../support/logger.ts';
import {
  startService,
  type TestOrganization,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export let dms: TestService;
export let org: TestOrganization;
export let token: string;
export let logger: Logger;
export let assetId: string;
let serials = 0;
const loggers: Logger[] = [];

export async function startGateway(options: TestServiceOptions = {}): Promise<void> {
  dms = await startService(options);
}

/** All that the test has opened. */
export async function closeLoggers(): Promise<void> {
  for (const each of loggers.splice(0)) await each.close();
}

const nextSerial = () => `282C02${(++serials).toString(16).padStart(6, '0').toUpperCase()}`;

export async function open(options: Partial<LoggerOptions> = {}): Promise<Logger> {
  const fresh = await openLogger({ serial: nextSerial(), coapPort: dms.coapPort, token, ...options });
  loggers.push(fresh);
  return fresh;
}

export async function newCustomer(): Promise<void> {
  org = await dms.addOrganization();
  token = (await dms.issueKey(org.id, 'device')).token;
}

export async function newDevice(options: Partial<LoggerOptions> = {}): Promise<void> {
  logger = await open(options);
  assetId = await register(org, logger.serial);
}

export const history = async () => (await org.api.get(`/assets/${assetId}/measurements`)).body.items;
export const config = () => configOf(org, logger.serial);
export const codesOf = (replies: Reply[]) => replies.map(({ code }) => code);
