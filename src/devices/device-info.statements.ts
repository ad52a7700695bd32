/** As text, because batches of messages run it for many devices at once. */
export const STORE = `
  insert into device_infos (organization_id, asset_id, info)
  select n.* from unnest(:organizationIds::uuid[], :assetIds::uuid[], :infos::jsonb[]) as n (organization_id, asset_id, info)
  on conflict (organization_id, asset_id) do update set info = excluded.info`;
