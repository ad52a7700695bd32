import type { Database } from '../db/database.ts';
import type { Shown } from '../http/audit.ts';
import { created, noContent, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound, orNotFound } from '../process/errors.ts';
import { NO_SUCH_ASSET } from './asset.ts';
import type { AssetsRepository } from './assets.repository.ts';
import { deviceTokenSchema, issuedTokenSchema } from './device-tokens.schemas.ts';

const tag = 'Assets';
const path = '/assets/{assetId}/device-token';
const params = idParams('assetId');
const NO_TOKEN = 'The device has no token of its own';

export interface DeviceTokensRoutesDeps {
  assetsIn(sql: Database): Pick<AssetsRepository, 'find' | 'lock'>;
  tokens: {
    issue(sql: Database, organizationId: string, serialNumber: string): Promise<{ token: string }>;
    /** False when there was none. */
    remove(sql: Database, organizationId: string, serialNumbers: readonly string[]): Promise<boolean>;
    find(
      sql: Database,
      organizationId: string,
      serialNumber: string,
    ): Promise<{ createdAt: Date; tokenPreview: string } | null>;
  };
}

export function deviceTokensRoutes({ assetsIn, tokens }: DeviceTokensRoutesDeps): Route[] {
  const shown: Shown = {
    schema: deviceTokenSchema,
    async find(sql, organizationId, assetId) {
      const asset = await assetsIn(sql).find(organizationId, assetId);
      const token = asset && (await tokens.find(sql, organizationId, asset.serialNumber));
      if (!token) return null;
      const { createdAt, tokenPreview: preview } = token;
      return { serialNumber: asset.serialNumber, preview, createdAt: createdAt.toISOString() };
    },
  };

  /** The lock lets the second of two new tokens replace the first. */
  async function lockSerial(sql: Database, organizationId: string, assetId: string): Promise<string> {
    return orNotFound(await assetsIn(sql).lock(organizationId, assetId), NO_SUCH_ASSET).serialNumber;
  }

  return [
    route({
      method: 'POST',
      path,
      operationId: 'issueDeviceToken',
      summary: 'Issue a token for this device alone',
      description:
        'Good for the serial number that the device has now, over HTTP and CoAP; other hardware needs a new one. The token is in this answer and in no other. The two before it go on for 24 hours.',
      tag,
      params,
      responses: { 201: issuedTokenSchema },
      errors: [404],
      answersSecret: true,
      audit: { subject: 'assetId', shown },
      handle: ({ caller: { organizationId }, params: { assetId }, transact }) =>
        transact(async ({ sql }) => {
          const serialNumber = await lockSerial(sql, organizationId, assetId);
          const { token } = await tokens.issue(sql, organizationId, serialNumber);
          return created({ token });
        }),
    }),
    route({
      method: 'DELETE',
      path,
      operationId: 'deleteDeviceToken',
      summary: 'End the token of this device',
      description: 'Every process refuses it, and earlier ones that go on, within 5 seconds.',
      tag,
      params,
      responses: { 204: null },
      errors: [404],
      audit: { subject: 'assetId', shown },
      handle: ({ caller: { organizationId }, params: { assetId }, transact }) =>
        transact(async ({ sql }) => {
          const serialNumber = await lockSerial(sql, organizationId, assetId);
          if (!(await tokens.remove(sql, organizationId, [serialNumber]))) throw notFound(NO_TOKEN);
          return noContent();
        }),
    }),
  ];
}
