/** An asset, or the device that measures for it, by its whole key. */
export interface AssetRef {
  organizationId: string;
  assetId: string;
}
