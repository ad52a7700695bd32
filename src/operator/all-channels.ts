import { CHANNELS_MAX } from '../notifications/notification-channel.ts';
import type { ChannelView } from './answers.ts';
import type { Ask } from './page-deps.ts';
import type { Session } from './session.ts';

/** All channels of the organization, in one page of their list. */
export const listChannels = async (ask: Ask, session: Session): Promise<ChannelView[]> =>
  (await ask(session, 'listNotificationChannels', { query: { limit: String(CHANNELS_MAX) } })).items;
