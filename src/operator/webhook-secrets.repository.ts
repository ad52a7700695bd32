import type { Database } from '../db/database.ts';

export type WebhookSecretsRepository = ReturnType<typeof createWebhookSecretsRepository>;

export function createWebhookSecretsRepository(sql: Database) {
  return {
    /** Whether deliveries are signed. The API does not show it. */
    async isSigned(organizationId: string, endpointId: string): Promise<boolean> {
      const found = await sql('endpoints')
        .where({ organization_id: organizationId, id: endpointId })
        .whereNotNull('secret')
        .first('id');
      return found !== undefined;
    },
  };
}
