/** The operations of the API that the demo calls. An error response ends the demo with its message. */
import { messageOf } from '../simulator/register-assets.ts';
import type { ServiceClient } from '../simulator/service-client.ts';
import { DidNotHappen } from './observe.ts';

export interface Job {
  id: string;
  status: string;
  total: number;
  counts: Record<string, number>;
  deadlineAt: string;
}

export interface Asset {
  id: string;
  serialNumber: string;
}

export interface Alert {
  id: string;
  type: string;
  status: string;
  serialNumber: string;
  details: { value?: number };
}

export interface Delivery {
  id: string;
  eventType: string;
  state: string;
  attemptCount: number;
  attempts: Array<{
    number: number;
    at: string;
    durationMs: number;
    statusCode: number | null;
    error: string | null;
  }>;
}

interface Items<T> {
  items: T[];
}

export function createDemoApi(client: ServiceClient) {
  async function ask<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object): Promise<T> {
    const answer = await client.send(method, path, body);
    if (answer.status >= 300) {
      throw new DidNotHappen(`${method} ${path} was answered ${messageOf(answer.status, answer.body)}`);
    }
    return answer.body as T;
  }
  return {
    async register(serialNumber: string, name: string): Promise<Asset> {
      const { id } = await ask<{ id: string }>('POST', '/assets', { serialNumber, name });
      return { id, serialNumber };
    },
    asset: (id: string) => ask<{ status: string }>('GET', `/assets/${id}`),
    createProfile: (profile: object) =>
      ask<{ profile: { slug: string } }>('POST', '/devices/config-profiles', profile),
    apply: (slug: string, serialNumbers: string[]) =>
      ask<{ jobId: string }>('PUT', `/devices/config-profiles/${slug}/apply`, { serialNumbers }),
    job: (id: string) => ask<Job>('GET', `/devices/config-jobs/${id}`),
    waitingTargets: async (id: string) =>
      (await ask<Items<{ serialNumber: string }>>('GET', `/devices/config-jobs/${id}/targets?state=waiting`))
        .items,
    createWebhook: (url: string, events: string[], secret: string) =>
      ask<{ id: string }>('POST', '/webhooks', { url, events, secret }),
    disableWebhook: (id: string) => ask('PATCH', `/webhooks/${id}`, { status: 'disabled' }),
    async alertOf(assetId: string): Promise<Alert | null> {
      const { items } = await ask<Items<Alert>>('GET', `/alerts?assetId=${assetId}`);
      return items.find(({ type }) => type === 'high_temp') ?? null;
    },
    /** The first delivery of an event of that type; null when there is none yet. */
    async delivery(webhookId: string, eventType: string): Promise<Delivery | null> {
      const { items } = await ask<Items<Delivery>>('GET', `/webhooks/${webhookId}/deliveries`);
      const found = items.find((each) => each.eventType === eventType);
      return found ? ask<Delivery>('GET', `/webhooks/${webhookId}/deliveries/${found.id}`) : null;
    },
  };
}

export type DemoApi = ReturnType<typeof createDemoApi>;
