import type { AlertRef } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { QUEUE } from './notification-queue.statements.ts';

export interface OpenedAlert extends AlertRef {
  type: string;
  /** The alert was already over when it was recorded. */
  wasOver: boolean;
  /** Channels with a longer delay skip the alert. Null means that no channel skips it. */
  lasted: { from: string; to: string } | null;
}

export type NotificationQueueRepository = ReturnType<typeof createNotificationQueueRepository>;

export function createNotificationQueueRepository(sql: Sql) {
  return {
    /**
     * Queues, in the transaction of the alerts, openings for every channel whose rules match, and ends where
     * an opening is queued. It updates no row, and its lock only keeps the channel from being deleted, so the
     * intake of frames never waits for gathering.
     */
    async insert(opened: OpenedAlert[], ended: AlertRef[], at: Date): Promise<void> {
      await queryPrepared(sql, 'notification_alerts_queue', QUEUE, {
        openedIn: opened.map(({ organizationId }) => organizationId),
        opened: opened.map(({ alertId }) => alertId),
        types: opened.map(({ type }) => type),
        openedAt: opened.map(() => at.toISOString()),
        wereOver: opened.map(({ wasOver }) => wasOver),
        lastedFrom: opened.map(({ lasted }) => lasted?.from ?? null),
        lastedTo: opened.map(({ lasted }) => lasted?.to ?? null),
        endedIn: ended.map(({ organizationId }) => organizationId),
        ended: ended.map(({ alertId }) => alertId),
        endedAt: ended.map(() => at.toISOString()),
      });
    },
  };
}
