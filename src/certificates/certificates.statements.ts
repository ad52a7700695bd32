/** Text, because it changes rows of two tables at once. */
import { REMOVED_AFTER } from './certificate-contents.statements.ts';

/** No row when the content is gone. Lists the replaced content for removal. */
export const UPSERT = `
  with kept as (
    delete from certificate_removals where organization_id = :organizationId and content_id = :contentId
    returning organization_id, content_id
  ), stored as (
    insert into certificates (organization_id, serial_key, content_id, size_bytes, sha256)
    select organization_id, :serialKey, content_id, :sizeBytes::integer, :sha256::bytea from kept
    on conflict on constraint certificates_pkey do update
      set content_id = excluded.content_id, size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
        uploaded_at = excluded.uploaded_at
    returning new.*, old.content_id as replaced_id
  ), replaced as (
    insert into certificate_removals (organization_id, content_id, due_at)
    select organization_id, replaced_id, now() + ${REMOVED_AFTER} from stored where replaced_id is not null
  )
  select * from stored`;
