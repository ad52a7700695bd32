/**
 * The group of an asset, as a value in statements of other slices; null for none. Members of a deleted group have yet to leave
 * it, and count no more. The parameters are SQL.
 */
export const groupOf = (organizationId: string, assetId: string): string => `(
    select id from groups where organization_id = ${organizationId} and deleted_at is null and id = (
      select group_id from assets where organization_id = ${organizationId} and id = ${assetId}
    )
  )`;
