import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { QUEUE } from './notification-queue.statements.ts';

export interface OpenedAlert {
  organizationId: string;
  alertId: string;
  type: string;
}

export interface EndedAlert {
  organizationId: string;
  alertId: string;
}

export type NotificationQueueRepository = ReturnType<typeof createNotificationQueueRepository>;

export function createNotificationQueueRepository(sql: Sql) {
  return {
    /**
     * In the transaction of the alerts: openings for every channel that is to know of them, and ends where an opening
     * was queued. It updates no row, and its lock only keeps the channel from being deleted: frames never wait for a
     * gathering.
     */
    async insert(opened: OpenedAlert[], ended: EndedAlert[], at: Date): Promise<void> {
      await queryPrepared(sql, 'notification_alerts_queue', QUEUE, {
        openedIn: opened.map(({ organizationId }) => organizationId),
        opened: opened.map(({ alertId }) => alertId),
        types: opened.map(({ type }) => type),
        openedAt: opened.map(() => at.toISOString()),
        endedIn: ended.map(({ organizationId }) => organizationId),
        ended: ended.map(({ alertId }) => alertId),
        endedAt: ended.map(() => at.toISOString()),
      });
    },
  };
}
