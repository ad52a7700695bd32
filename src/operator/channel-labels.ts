import { labelOfChannel, type NamedChannel } from '../notifications/notification-channel.ts';

/** Names or addresses of the channels that exist, in the order of the ids. */
export const labelsOf = (channels: readonly NamedChannel[], ids: readonly string[]): string[] =>
  ids.flatMap((id) => {
    const channel = channels.find((each) => each.id === id);
    return channel ? [labelOfChannel(channel)] : [];
  });
