/** Text, because other statements include it, for each of their rows. */

const OF_ASSET = 'asset_id';
const OF_GROUP = 'group_id';

/** The latest end first: a mute that ended early may end right where the next one begins. */
const muteAt = (column: string, organizationId: string, id: string, at: string): string => `
  (select ends_at from mutes
   where organization_id = ${organizationId} and ${column} = ${id} and starts_at <= ${at} and ends_at > ${at}
   order by ends_at desc limit 1)`;

/** The mute that runs or is planned: there is one at most. */
const muteOf = (column: string, organizationId: string, id: string): string => `
  (select starts_at, ends_at, reason, actor, group_id from mutes
   where organization_id = ${organizationId} and ${column} = ${id} and ends_at > now()
   order by ends_at desc limit 1)`;

/**
 * The end of an asset's mute at a time, by itself or by its group; null when it is not muted. The parameters
 * are SQL.
 */
export const mutedUntil = (organizationId: string, assetId: string, groupId: string, at: string): string =>
  `(select max(ends_at) from (${muteAt(OF_ASSET, organizationId, assetId, at)} union all ${muteAt(OF_GROUP, organizationId, groupId, at)}) as muted)`;

const SHOWN = `jsonb_build_object('from', starts_at, 'until', ends_at, 'reason', reason, 'by', actor, 'groupId', group_id)`;

/**
 * The mute of an asset, from `assets a`: its own or its group's, whichever lasts longer; when none runs, the
 * planned one that begins first.
 */
export const MUTE_OF_ASSET = `(select ${SHOWN} from (
    ${muteOf(OF_ASSET, 'a.organization_id', 'a.id')} union all ${muteOf(OF_GROUP, 'a.organization_id', 'a.group_id')}
  ) as muted order by greatest(starts_at, now()), ends_at desc limit 1)`;

/** The mute of a group, from `groups`. */
export const MUTE_OF_GROUP = `(select ${SHOWN} from ${muteOf(OF_GROUP, 'groups.organization_id', 'groups.id')} as muted)`;

/**
 * Mutes of the asset within `:from` to `:to`, the latest `:limit` of them, latest first: its own, and the
 * mutes of its group at the time.
 */
export const LIST_SPANS = `
  select m.starts_at as "from", m.ends_at as "to", m.reason from mutes m
  where m.organization_id = :organizationId and m.asset_id = :assetId
    and m.starts_at < :to::timestamptz and m.ends_at > :from::timestamptz and m.ends_at > m.starts_at
  union all
  select greatest(m.starts_at, g.from_at), least(m.ends_at, g.to_at), m.reason
  from (
    select organization_id, group_id, from_at, lead(from_at) over (order by from_at) as to_at from asset_groups
    where organization_id = :organizationId and asset_id = :assetId
  ) as g
  cross join lateral (
    select starts_at, ends_at, reason from mutes
    where organization_id = g.organization_id and group_id = g.group_id
      and starts_at < coalesce(g.to_at, 'infinity') and ends_at > g.from_at
      and starts_at < :to::timestamptz and ends_at > :from::timestamptz and ends_at > starts_at
  ) as m
  where g.group_id is not null and g.from_at < :to::timestamptz
    and coalesce(g.to_at, 'infinity') > :from::timestamptz
  order by 1 desc, 2 desc limit :limit`;
