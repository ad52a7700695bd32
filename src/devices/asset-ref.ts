import { toArrayText } from '../db/array-text.ts';

/** The whole key of an asset, or of the device that measures for it. */
export interface AssetRef {
  organizationId: string;
  assetId: string;
}

/** Without the other fields of a device. */
export const refOf = ({ organizationId, assetId }: AssetRef): AssetRef => ({ organizationId, assetId });

/** The keys as bindings of a statement on a set. */
export const assetKeys = (refs: readonly AssetRef[]) => ({
  organizationIds: toArrayText(refs, ({ organizationId }) => organizationId),
  assetIds: toArrayText(refs, ({ assetId }) => assetId),
});
