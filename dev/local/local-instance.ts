/** The addresses of a local start, for programs (`local.json`) and for people. */
import { join, relative } from 'node:path';
import { findLocalService, type LocalService } from '../../src/commands/local-service.ts';
import { writePrivately } from '../../src/process/write-privately.ts';

export interface LocalInstance extends LocalService {
  deviceToken: string;
  coapUrl: string;
  /** Null when `npm start` did not start the Temporal server itself. */
  temporalUi: string | null;
  metricsUrl: string;
}

export function writeLocalInstance(dataDir: string, local: LocalInstance): void {
  writePrivately(join(dataDir, 'local.json'), `${JSON.stringify(local, null, 2)}\n`);
}

/** The file of the latest `npm start` in the data folder; null when there was none. */
export const readLocalInstance = (dataDir?: string): LocalInstance | null =>
  findLocalService(dataDir) as LocalInstance | null;

/** A stopped service refuses the connection at once; a running one answers, even on a busy machine. */
const ANSWER_MS = 15_000;

/** The service that runs on the data folder, whose key only that one knows; null when none does. */
export async function findRunning(dataDir?: string): Promise<LocalInstance | null> {
  const local = readLocalInstance(dataDir);
  if (!local) return null;
  const headers = { Authorization: `Bearer ${local.apiKey}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${local.baseUrl}/assets?limit=1`, { headers, signal }).catch(() => null);
  return answer?.ok ? local : null;
}

/** How the service can be used, and by whom. */
export interface Exposure {
  host: string;
  isTokenRequired: boolean;
}

/** Valid once, for 10 minutes. */
interface SignIn {
  operatorLink: string;
}

export function startupBanner(local: LocalInstance & SignIn, dataDir: string, exposure: Exposure): string {
  return `
  Device Monitoring Service is up.

    API           ${local.baseUrl}
    Docs          ${local.baseUrl}/docs
    CoAP          ${local.coapUrl}
    Temporal      ${local.temporalAddress}
    Temporal UI   ${local.temporalUi ?? 'that of the server, if it has one'}
    Metrics       ${local.metricsUrl}
    API key       ${local.apiKey}
    Device token  ${local.deviceToken}

  The operators' page, signed in (once, within 10 minutes; \`npm run dms -- operator link --org local --role admin\` makes another link):

    ${local.operatorLink}

  Try it:

    curl -s ${local.baseUrl}/assets -H 'Authorization: Bearer ${local.apiKey}'

${notices(exposure)}  The same is in ${relative(process.cwd(), join(dataDir, 'local.json'))}; logs and data lie beside it. Ctrl-C stops everything.
`;
}

/** Settings that a trial allows and production must not. */
function notices({ host, isTokenRequired }: Exposure): string {
  const isOpen = !isLoopback(host);
  const notice = isTokenRequired
    ? ''
    : `  CoAP needs no device token: who knows a registered serial number can send readings in its name.
  COAP_REQUIRE_TOKEN=true requires one.

`;
  if (!isOpen) return notice;
  return `${notice}  WARNING: HOST is ${host}, so other machines reach the API and the CoAP gateway, without encryption.

`;
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);
