/**
 * `npm run demo`: finds or starts a service, runs the story against it, and prints links for a closer look.
 */
import { type LocalInstance, readLocalInstance } from '../local/local-instance.ts';
import { startWebhookReceiver } from '../receiver/webhook-receiver.ts';
import { createServiceClient, type ServiceClient } from '../simulator/service-client.ts';
import { type Asset, createDemoApi } from './demo-api.ts';
import { findOrStartService } from './demo-service.ts';
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
  const local = readLocalInstance();
  if (!local) throw new DidNotHappen('There is no service to clean up: start it first (npm start)');
  const client = createServiceClient({ baseUrl: local.baseUrl, key: local.apiKey });
  try {
    print(`Archived ${await cleanUp(client)} devices of demos and simulations; their history is kept.`);
  } finally {
    await client.close();
  }
}

export async function runDemo({ env, keep, run, secret, print, onStop }: DemoOptions): Promise<void> {
  const service = await findOrStartService({ env, print, onStop });
  const { local } = service;
  if (!local.coapUrl) throw new DidNotHappen('The running service has no CoAP gateway; start it again');
  const client = createServiceClient({ baseUrl: local.baseUrl, key: local.apiKey });
  onStop(client.close);
  const receiver = await startWebhookReceiver({ port: 0, secret, failFirst: FAILURES });
  onStop(receiver.stop);
  const api = createDemoApi(client);
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
  // The receiver ends with the demo, and the service should not retry for days.
  await api.disableWebhook(result.webhookId);
  print(`\n${whatStays(service.isOurs, keep)}`);
  // Addresses of a service that ends now would lead nowhere.
  if (!service.isOurs || keep) print(whereToLook(local, result));
  if (service.isOurs && keep) await new Promise(() => undefined);
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
async function cleanUp(client: ServiceClient): Promise<number> {
  const found = (await Promise.all(SEARCHED.map((text) => search(client, text)))).flat();
  const ours = found.filter(({ name }) => NAMES.some((each) => each.test(name)));
  for (const { id } of ours) await client.send('DELETE', `/assets/${id}`);
  return ours.length;
}

type Named = Asset & { name: string };

async function search(client: ServiceClient, text: string): Promise<Named[]> {
  const found: Named[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/assets?q=${encodeURIComponent(text)}&limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const { body } = await client.send('GET', path);
    const page = body as { items: Named[]; nextCursor: string | null };
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
