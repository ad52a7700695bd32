/** The whole key of an asset, or of the device that measures for it. */
export interface AssetRef {
  organizationId: string;
  assetId: string;
}
