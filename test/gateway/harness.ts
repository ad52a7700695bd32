/**
 * The setup of the gateway's tests: one service with CoAP for a suite, an organization and a logger for each
 * test.
 */
import type { Answer } from '../support/client.ts';
import { apply, configOf, register } from '../support/fleet.ts';
import { type Logger, type LoggerOptions, openLogger, type Reply } from '../support/logger.ts';
import {
  type TestOrganization,
  type TestService,
  type TestServiceOptions,
  useService,
} from '../support/service.ts';

export interface Gateway {
  /** Running from the suite's first hook to its last. */
  readonly dms: TestService;
  /** A new organization with a registered logger. */
  newLogger(options?: Partial<LoggerOptions>): Promise<LoggerSetup>;
}

export interface LoggerSetup {
  org: TestOrganization;
  /** The organization's device token. */
  token: string;
  logger: Logger;
  assetId: string;
  /** Opens another logger with the organization's token; with a new serial number, unless one is given. */
  open(options?: Partial<LoggerOptions>): Promise<Logger>;
  /** Applies a profile to the logger; returns the id of the job. */
  applyProfile(slug: string): Promise<string>;
  asset(): Promise<Answer['body']>;
  history(): Promise<Answer['body'][]>;
  config(): Promise<Answer['body']>;
  /** The logger's part in a job. */
  target(jobId: string): Promise<Answer['body']>;
}

/**
 * Registers the hooks of a suite: the service, without a worker, starts before it and stops after it, and the loggers of
 * a test are closed after the test.
 */
export function useGateway(
  getOptions: () => TestServiceOptions | Promise<TestServiceOptions> = () => ({}),
): Gateway {
  let serialCount = 0;
  const opened: Logger[] = [];

  const dms = useService(async () => ({ withWorker: false, ...(await getOptions()) }));
  afterEach(async () => {
    for (const logger of opened.splice(0)) await logger.close();
  });

  async function open(options: Partial<LoggerOptions>): Promise<Logger> {
    const serial = `282C02${(++serialCount).toString(16).padStart(6, '0').toUpperCase()}`;
    const logger = await openLogger({ serial, coapPort: dms.coapPort, ...options });
    opened.push(logger);
    return logger;
  }

  return {
    dms,
    async newLogger(options = {}) {
      const org = await dms.addOrganization();
      const { token } = await dms.issueKey(org.id, 'device');
      const logger = await open({ token, ...options });
      const assetId = await register(org, logger.serial);
      return {
        org,
        token,
        logger,
        assetId,
        open: (more = {}) => open({ token, ...more }),
        ...requestsOf(org, logger.serial, assetId),
      };
    },
  };
}

const requestsOf = (org: TestOrganization, serial: string, assetId: string) => ({
  applyProfile: (slug: string) => apply(org, slug, { serialNumbers: [serial] }),
  asset: async () => (await org.api.get(`/assets/${assetId}`)).body,
  history: async () => (await org.api.get(`/assets/${assetId}/measurements`)).body.items,
  config: () => configOf(org, serial),
  target: async (jobId: string) => (await org.api.get(`/devices/config-jobs/${jobId}/targets`)).body.items[0],
});

export const codesOf = (replies: Reply[]) => replies.map(({ code }) => code);
