import type { Database } from '../db/database.ts';
import { testedSchema } from '../deliveries/deliveries.schemas.ts';
import { shownAs } from '../http/audit.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { created, noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams, listQuery } from '../http/schemas.ts';
import { orNotFound } from '../process/errors.ts';
import { channelView, NO_SUCH_CHANNEL } from './notification-channel.ts';
import type { ChannelsRepository } from './notification-channels.repository.ts';
import {
  changeChannelBody,
  channelListSchema,
  channelSchema,
  createChannelBody,
} from './notification-channels.schemas.ts';
import type { ChannelsService } from './notification-channels.service.ts';

interface ChannelsRoutesDeps {
  channels: Pick<ChannelsRepository, 'list' | 'find'>;
  channelsIn(sql: Database): Pick<ChannelsRepository, 'find'>;
  service: ChannelsService;
  /** Limits concurrent tests. */
  tests: ConcurrencyLimit;
}

const tag = 'Notification channels';
const path = '/notification-channels';
const itemPath = `${path}/{channelId}`;
const params = idParams('channelId');

export function notificationChannelsRoutes(deps: ChannelsRoutesDeps): Route[] {
  const { channels, channelsIn, service, tests } = deps;
  const shown = shownAs(
    channelSchema,
    (sql, organizationId, channelId) => channelsIn(sql).find({ organizationId, channelId }),
    channelView,
  );
  return [
    route({
      method: 'GET',
      path,
      operationId: 'listNotificationChannels',
      summary: 'List notification channels, newest first',
      description: 'Secrets are never shown.',
      tag,
      query: listQuery,
      responses: { 200: channelListSchema },
      async handle({ caller, query: { limit, cursor: before = null } }) {
        const found = await channels.list(caller.organizationId, { before, limit: limit + 1 });
        return ok(pageOf(found, limit, ({ id }) => id, channelView));
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'createNotificationChannel',
      summary: 'Create a notification channel',
      description:
        'People are notified there of alerts that open from now on, and when those are over. What happens within a few seconds is in one message. 409 when there are 100 channels already, and for e-mail when the service has no mail server. An e-mail address is unconfirmed until its owner has pressed the button behind the link that is sent there; until then it gets nothing else.',
      tag,
      body: createChannelBody,
      responses: { 201: channelSchema },
      errors: [404, 409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const channel = await service.add(transact, caller.organizationId, body);
        return created(channelView(channel), { Location: `${path}/${channel.id}` });
      },
    }),
    route({
      method: 'GET',
      path: itemPath,
      operationId: 'getNotificationChannel',
      summary: 'Get a notification channel',
      description: 'With what came of the latest attempt to send a message there.',
      tag,
      params,
      responses: { 200: channelSchema },
      errors: [404],
      async handle({ caller: { organizationId }, params: { channelId } }) {
        const channel = orNotFound(await channels.find({ organizationId, channelId }), NO_SUCH_CHANNEL);
        return ok(channelView(channel));
      },
    }),
    route({
      method: 'PATCH',
      path: itemPath,
      operationId: 'updateNotificationChannel',
      summary: 'Change a notification channel',
      description:
        'What is left out stays; the type cannot be changed. Types, groups and delay decide about alerts that open from then on; all else holds at once. 409 for another e-mail address when the service has no mail server.',
      tag,
      params,
      body: changeChannelBody,
      responses: { 200: channelSchema },
      errors: [404, 409],
      audit: { subject: 'channelId', shown },
      async handle({ caller: { organizationId }, params: { channelId }, body, transact }) {
        return ok(channelView(await service.change(transact, { organizationId, channelId }, body)));
      },
    }),
    route({
      method: 'DELETE',
      path: itemPath,
      operationId: 'deleteNotificationChannel',
      summary: 'Delete a notification channel',
      description:
        'What it has not sent is dropped; a message that is being sent right now may still arrive. 409 while an escalation names it in a step.',
      tag,
      params,
      responses: { 204: null },
      errors: [404, 409],
      audit: { subject: 'channelId', shown },
      async handle({ caller: { organizationId }, params: { channelId }, transact }) {
        await service.remove(transact, { organizationId, channelId });
        return noContent();
      },
    }),
    route({
      method: 'POST',
      path: `${itemPath}/test`,
      operationId: 'testNotificationChannel',
      summary: 'Send one test message now and tell what came of it',
      description:
        'Also to a disabled channel, and in quiet hours. A test is sent once; lastError of the channel shows what came of it; by e-mail five an hour. statusCode is null for e-mail. error is "not reachable" when the host name has no address or none that is allowed. 409 for e-mail when the service has no mail server, or the address is unconfirmed.',
      tag,
      params,
      responses: { 200: testedSchema },
      errors: [404, 409],
      // Idempotency would hold a transaction until the receiver answers. A repeated request is one more test.
      idempotent: false,
      async handle({ caller, params: { channelId }, transact }) {
        const { organizationId } = caller;
        const { verdict, statusCode, durationMs, error } = await tests.run(caller, () =>
          service.test(transact, { organizationId, channelId }),
        );
        return ok({ delivered: verdict === 'delivered', statusCode, durationMs, error });
      },
    }),
    route({
      method: 'POST',
      path: `${itemPath}/confirm-again`,
      operationId: 'confirmNotificationChannelAgain',
      summary: 'Send the link that confirms an e-mail address again',
      description:
        'The link works for 24 hours, and the earlier one no more. At most five links an hour, for a channel and for a mailbox, from your organization. 409 when the address is confirmed, and for other types.',
      tag,
      params,
      responses: { 202: channelSchema },
      errors: [404, 409],
      audit: { subject: 'channelId', shown },
      async handle({ caller: { organizationId }, params: { channelId }, transact }) {
        const channel = await service.confirmAgain(transact, { organizationId, channelId });
        return { status: 202, body: channelView(channel) };
      },
    }),
  ];
}
