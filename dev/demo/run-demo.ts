/** `npm run demo`: a service, a stage for the story, and at its end where to look. */
import type { LocalInstance } from '../local/local-instance.ts';
import { startWebhookReceiver } from '../receiver/webhook-receiver.ts';
import { createServiceClient } from '../simulator/service-client.ts';
import { createDemoApi } from './demo-api.ts';
import { findOrStartService } from './demo-service.ts';
import { DidNotHappen } from './observe.ts';
import { type Told, tell } from './story.ts';

export interface DemoOptions {
  /** What a service of its own gets. */
  env: NodeJS.ProcessEnv;
  /** Waits for Ctrl-C before a service of its own is stopped. */
  keep: boolean;
  /** Unix seconds in hex, 6 digits: no two runs share a serial for half a year. */
  run: string;
  /** whsec_… */
  secret: string;
  print(line: string): void;
  onStop(stop: () => Promise<unknown>): void;
}

const FAILURES = 2;

export async function runDemo({ env, keep, run, secret, print, onStop }: DemoOptions): Promise<void> {
  const service = await findOrStartService({ env, print, onStop });
  const { local } = service;
  if (!local.coapUrl) throw new DidNotHappen('The running service has no CoAP gateway; start it again');
  const client = createServiceClient({ baseUrl: local.baseUrl, key: local.apiKey });
  onStop(client.close);
  const receiver = await startWebhookReceiver({ port: 0, secret, failFirst: FAILURES });
  onStop(receiver.stop);
  const api = createDemoApi(client);
  const told = await tell({
    api,
    receiver,
    secret,
    coapUrl: local.coapUrl,
    deviceToken: local.deviceToken,
    run,
    print,
    onStop,
  });
  // The receiver goes with the demo: the service should not knock at its door for days.
  await api.disableWebhook(told.webhookId);
  print(whereToLook(local, told));
  if (!service.isOurs) return;
  if (keep) {
    print('  The service stays up until Ctrl-C.');
    await new Promise(() => undefined);
  }
  print(
    "  This service was the demo's own and is stopped now. To look around: npm run demo -- --keep, or npm start first.",
  );
}

function whereToLook({ baseUrl, apiKey, temporalUi, temporalAddress }: LocalInstance, told: Told): string {
  const curl = (path: string, more = '') => `api ${more}"$BASE${path}"`;
  return `
Where to look
  Temporal UI   ${temporalUi ? `${temporalUi}/namespaces/default/workflows/apply-profile:${told.jobId}` : `of the server at ${temporalAddress}`}
                (the job's run says in words whom it waits for)
  Docs          ${baseUrl}/docs
  Job           ${baseUrl}/devices/config-jobs/${told.jobId}

  BASE=${baseUrl}
  api() { curl -s "$@" -H 'Authorization: Bearer ${apiKey}'; echo; }

  ${curl(`/devices/config-jobs/${told.jobId}`)}
  ${curl(`/devices/${told.openedAsset.serialNumber}/config`)}
  ${curl(`/assets/${told.openedAsset.id}/measurements?limit=10`)}
  ${curl(`/alerts?assetId=${told.openedAsset.id}`)}
  ${curl(`/webhooks/${told.webhookId}/deliveries`)}
  ${curl(`/devices/config-jobs/${told.jobId}/cancel`, '-X POST ')}
`;
}
