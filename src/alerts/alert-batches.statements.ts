/** As text, because they work on sets, in the transaction of a batch. */
import { ALERT_COLUMNS } from './alert-columns.ts';

const COLUMNS = `${ALERT_COLUMNS}, a.organization_id as "organizationId", a.is_announced as "isAnnounced"`;

export const INSERT = `
  with n as materialized (
    select uuidv7() as id, n.* from unnest(:organizationIds::uuid[], :assetIds::uuid[], :serialNumbers::text[],
        :types::text[], :details::jsonb[], :startedAt::timestamptz[], :areAnnounced::boolean[], :severities::text[])
      with ordinality
      as n (organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity, position)
  ), inserted as (
    insert into alerts
      (id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity)
    select id, organization_id, asset_id, serial_number, type, details, started_at, is_announced, severity from n
    returning *
  )
  select i.*, n.position from (select ${COLUMNS} from inserted a) as i
  join n on n.organization_id = i."organizationId" and n.id = i.id order by n.position`;

export const ANNOUNCE = `
  with announced as (
    update alerts a set is_announced = true
    from unnest(:organizationIds::uuid[], :alertIds::uuid[]) as n (organization_id, alert_id)
    where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
    returning a.*
  )
  select ${COLUMNS} from announced a order by a.id`;

export const RESOLVE = `
  with resolved as (
    update alerts a set status = 'resolved', updated_at = now(),
      details = a.details || jsonb_strip_nulls(jsonb_build_object('resolution', n.resolution))
    from unnest(:organizationIds::uuid[], :alertIds::uuid[], :resolutions::text[])
      as n (organization_id, alert_id, resolution)
    where a.organization_id = n.organization_id and a.id = n.alert_id and a.status <> 'resolved'
    returning a.*
  )
  select ${COLUMNS} from resolved a`;
