/** Text, because it runs for every request with an unknown key, prepared, and for many keys at once. */

/** One row for each of `:hashes`, in their order; its columns are null if no key has the hash. */
export const FIND_BY_HASHES = `
  select k.id, k.organization_id, k.name, k.kind, k.role, k.serial_key, k.token_preview, k.created_at, k.expires_at,
    k.revoked_at, k.last_used_at, o.name as organization_name, o.requires_device_tokens
  from unnest(:hashes::bytea[]) with ordinality as h (hash, position)
  left join (api_keys k join organizations o on o.id = k.organization_id) on k.hash = h.hash
  order by h.position`;
