import type { Answer } from './client.ts';
import type { TestOrganization } from './service.ts';

/** Payloads of the deliveries of a webhook, oldest first. */
export async function payloadsOf(
  { api }: TestOrganization,
  webhookId: string,
  collection: 'webhooks' | 'cellular-webhooks' = 'webhooks',
) {
  const path = `/${collection}/${webhookId}/deliveries`;
  const { items } = (await api.get(`${path}?limit=500`)).body;
  const all = items.map(({ id }: { id: string }) => api.get(`${path}/${id}`));
  return (await Promise.all<Answer>(all)).map(({ body }) => body.payload).toReversed();
}
