/** Notification channels: their operations in every process, and the loop of the worker that sends. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { createPoliciesRepository } from '../escalations/escalation-policies.repository.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import type { RecordAudit } from '../http/audit.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createAlertLinks } from '../notifications/alert-links.service.ts';
import { createGathering, createStepGathering } from '../notifications/gathering.service.ts';
import { openAlerts } from '../notifications/linked-text.ts';
import { createMailAddressesRepository } from '../notifications/mail-addresses.repository.ts';
import { createMailAddresses } from '../notifications/mail-addresses.service.ts';
import { createMailer } from '../notifications/mailer.service.ts';
import { createMessageRenewal } from '../notifications/message-renewal.service.ts';
import { createMessageSender } from '../notifications/message-sender.service.ts';
import { createNotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { createChannelsRepository } from '../notifications/notification-channels.repository.ts';
import { notificationChannelsRoutes } from '../notifications/notification-channels.routes.ts';
import { createChannelsService } from '../notifications/notification-channels.service.ts';
import { addNotificationGauges } from '../notifications/notifications.metrics.ts';
import { createNotificationsRepository } from '../notifications/notifications.repository.ts';
import { createNotifier } from '../notifications/notifier.service.ts';
import { startPeriodic } from '../process/periodic.ts';
import { createSigner } from '../process/signer.ts';
import type { composeDeliveries } from './deliveries.ts';
import type { Resources } from './resources.ts';

/** Each poll reads the channels of all organizations: the more these are, the rarer it is. */
const POLL_SHARE = 0.1;

interface NotificationsNeeds extends Pick<ReturnType<typeof composeDeliveries>, 'send' | 'tests'> {
  recordAudit: RecordAudit;
}

export function composeNotifications(resources: Resources, { send, tests, recordAudit }: NotificationsNeeds) {
  const { settings, sql, secretBox, metrics, cached, transact, deliveryPlan, now, log } = resources;
  const { smtp, webhooks, notificationIntervalMs: gatherIntervalMs } = settings;
  const ownerId = randomUUID();
  const notificationsIn = (handle: Database) => createNotificationsRepository(handle, ownerId);
  const notifications = notificationsIn(sql);
  const notificationAlerts = createNotificationAlertsRepository(sql);
  const mailer = smtp && createMailer(smtp);
  const channels = createChannelsRepository(sql);
  const alertLinks = createAlertLinks({
    signer: createSigner(settings.secretsKeys, 'alert link'),
    baseUrl: settings.operatorUrl,
    listActive: channels.listActive,
    now,
  });
  const sender = createMessageSender({ post: send, mailer, secretBox, alertLinks });
  const addresses = createMailAddresses({
    addresses: createMailAddressesRepository(sql),
    addressesIn: createMailAddressesRepository,
    channelsIn: createChannelsRepository,
    recordAudit,
    limits: settings.mailLimits,
    transact,
    now,
  });
  const service = createChannelsService({
    addresses,
    baseUrl: settings.operatorUrl,
    findOrganizationName: createOrganizationsRepository(sql).findName,
    onFault: (err) => log.warn({ err }, 'The link that confirms an address could not be sent'),
    channelsIn: createChannelsRepository,
    notificationAlertsIn: createNotificationAlertsRepository,
    notifications,
    notificationsIn,
    groupsIn: createGroupsRepository,
    escalationsIn: createPoliciesRepository,
    sender,
    secretBox,
    hasMailServer: mailer !== null,
    allowedRanges: settings.webhookAllowedRanges,
    now,
  });

  function startNotifier() {
    addNotificationGauges(metrics.registry, {
      messageSeconds: cached(() => notifications.findOldestDueSeconds(now())),
      alertSeconds: cached(() => {
        const gatheredBefore = new Date(now().getTime() - gatherIntervalMs);
        return notificationAlerts.findOldestDueSeconds(now(), gatheredBefore);
      }),
    });
    const notifier = createNotifier({
      transact,
      notifications,
      notificationsIn,
      gather: createGathering({
        transact,
        notificationAlertsIn: createNotificationAlertsRepository,
        notificationsIn,
        gatherIntervalMs,
        now,
        onSetAside: resources.onSetAside('notifications'),
      }),
      gatherSteps: createStepGathering({ transact, notificationsIn, gatherIntervalMs, now }),
      renew: createMessageRenewal({
        transact,
        notificationAlerts,
        notificationAlertsIn: createNotificationAlertsRepository,
        notificationsIn,
        now,
      }),
      sender,
      mails: {
        hasRoom: async (channel) => channel.type !== 'email' || addresses.hasRoom(channel, channel.target),
        count: async (claimed) =>
          claimed.type !== 'email' || addresses.countNotification(claimed, claimed.target),
        takeBack: (claimed) => addresses.takeBack(claimed, claimed.target, 'notification'),
      },
      schedule: deliveryPlan.scheduleMs,
      leaseSeconds: webhooks.leaseSeconds,
      gatherIntervalMs,
      now,
      random: Math.random,
      observe: (outcome) => metrics.notifications.inc({ outcome }),
      log,
    });
    const polling = startPeriodic(
      deliveryPlan.pollIntervalMs,
      notifier.look,
      (err) => log.warn({ err }, 'Notification channels were not looked for: it is tried again'),
      { maxShare: POLL_SHARE },
    );
    return {
      async stop(): Promise<void> {
        await polling.stop();
        await notifier.stop();
      },
    };
  }

  return {
    routes: notificationChannelsRoutes({
      channels,
      channelsIn: createChannelsRepository,
      service,
      tests,
    }),
    alertLinks,
    /** Open alerts that a message names; null: it is gone. */
    async listAlertIds(ref: { organizationId: string; id: string }): Promise<string[] | null> {
      const found = await notifications.findContent(ref);
      return found && openAlerts(found.data).map(({ alert }) => alert.id);
    },
    confirmations: { find: addresses.findByToken, confirm: addresses.confirm },
    startNotifier,
    removeEnded: notifications.removeEnded,
    /** To be called after all senders have stopped. */
    close: () => mailer?.close(),
  };
}
