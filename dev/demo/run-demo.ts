/**
 * `npm run demo`: finds or starts a service, runs the story against it, and prints links for a closer look.
 */
import { type Client, createClient, each } from '../../client/src/index.ts';
import { findRunning, type LocalInstance } from '../local/local-instance.ts';
import { startWebhookReceiver } from '../receiver/webhook-receiver.ts';
import { type DemoService, findOrStartService } from './demo-service.ts';
import { DidNotHappen } from './observe.ts';
import { runStory, type StoryResult } from './story.ts';

export interface DemoOptions {
  /** The environment of the demo's own service. */
  env: NodeJS.ProcessEnv;
  /** Waits for Ctrl-C before the demo's own service is stopped. */
  keep: boolean;
  /** Unix seconds in hex, 6 digits: no two runs share a serial for half a year. */
  run: string;
  /** whsec_… */
  secret: string;
  print(line: string): void;
  onStop(stop: () => Promise<unknown>): void;
}

const FAILURES = 2;

/** `npm run demo -- --clean` */
export async function cleanUpAfterDemos(print: DemoOptions['print']): Promise<void> {
  const local = await findRunning();
  if (!local) throw new DidNotHappen('There is no service to clean up: start it first (npm start)');
  print(
    `Archived ${await cleanUp(createClient(local))} devices of demos and simulations; their history is kept.`,
  );
}

export async function runDemo({ env, keep, run, secret, print, onStop }: DemoOptions): Promise<void> {
  const service = await findOrStartService({ env, print, onStop });
  const { local } = service;
  if (!local.coapUrl) throw new DidNotHappen('The running service has no CoAP gateway; start it again');
  const receiver = await startWebhookReceiver({ port: 0, secret, failFirst: FAILURES });
  onStop(receiver.stop);
  const api = createClient(local);
  const result = await runStory({
    api,
    receiver,
    secret,
    coapUrl: local.coapUrl,
    deviceToken: local.deviceToken,
    run,
    print,
    onStop,
  });
  print(closingWords(service, keep, result));
  if (service.isOurs && keep) await new Promise(() => undefined);
}

export function closingWords({ local, isOurs }: DemoService, keep: boolean, result: StoryResult): string {
  // Addresses of a service that ends now would lead nowhere.
  const where = !isOurs || keep ? `\n${whereToLook(local, result)}` : '';
  return `\n${whatStays(isOurs, keep)}${where}`;
}

function whatStays(isOurs: boolean, keep: boolean): string {
  if (!isOurs)
    return 'The devices of the demo transmit no more, which raises alarms: npm run demo -- --clean archives them.';
  if (keep) return 'The service stays up until Ctrl-C.';
  return "This service was the demo's own and ends now. To look around: npm run demo -- --keep, or npm start first.";
}

function whereToLook(
  { baseUrl, apiKey, temporalUi, temporalAddress }: LocalInstance,
  result: StoryResult,
): string {
  const curl = (path: string, more = '') => `api ${more}"$BASE${path}"`;
  return `
Where to look
  Temporal UI   ${temporalUi ? `${temporalUi}/namespaces/default/workflows/apply-profile:${result.jobId}` : `of the server at ${temporalAddress}`}
                (the job's run shows which devices it waits for)
  Page          ${baseUrl}/operator
                (for people; npm run dms -- operator link --org local signs in)
  Docs          ${baseUrl}/docs
  Job           ${baseUrl}/devices/config-jobs/${result.jobId}

  BASE=${baseUrl}
  api() { curl -s "$@" -H 'Authorization: Bearer ${apiKey}'; echo; }

  ${curl(`/devices/config-jobs/${result.jobId}`)}
  ${curl(`/devices/${result.openedAsset.serialNumber}/config`)}
  ${curl(`/assets/${result.openedAsset.id}/measurements?limit=10`)}
  ${curl(`/alerts?assetId=${result.openedAsset.id}`)}
  ${curl(`/webhooks/${result.webhookId}/deliveries`)}
  ${curl(`/devices/config-jobs/${result.jobId}/cancel`, '-X POST ')}
`;
}

/** Names given by the demo and the simulator; a renamed device is kept. */
const NAMES = [/^Demo fridge [0-9A-F]{2}$/, /^Simulated [0-9A-F]{12}$/];
const SEARCHED = ['Demo fridge', 'Simulated'];
const PAGE = 500;

/**
 * Archives devices that demos and simulations have registered, which transmit no longer and would raise alarms. Returns
 * their number.
 */
async function cleanUp(api: Client): Promise<number> {
  const ids: string[] = [];
  for (const q of SEARCHED)
    for await (const { id, name } of each(api.listAssets, { q, limit: PAGE }))
      if (NAMES.some((ours) => ours.test(name))) ids.push(id);
  for (const assetId of ids) await api.archiveAsset({ assetId });
  return ids.length;
}
