/** Text: the clock of the database decides in one statement whether the heartbeat ends an outage. */

/** Another process of the same kind may have recorded the outage first. */
export const RENEW = `
  with outage as (
    insert into ingress_outages (ingress, started_at, ended_at)
    select ingress, beat_at, now() from ingress_heartbeats
    where ingress = :ingress and now() - beat_at > make_interval(secs => :outageMinSeconds)
    on conflict do nothing
  )
  insert into ingress_heartbeats (ingress, beat_at) values (:ingress, now())
  on conflict (ingress) do update set beat_at = excluded.beat_at`;
