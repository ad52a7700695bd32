import { labelOfChannel, type NamedChannel } from '../notifications/notification-channel.ts';
import type { Option } from './form-layout.ts';

/** Names or addresses of the channels that exist, in the order of the ids. */
export const labelsOf = (channels: readonly NamedChannel[], ids: readonly string[]): string[] =>
  ids.flatMap((id) => {
    const channel = channels.find((each) => each.id === id);
    return channel ? [labelOfChannel(channel)] : [];
  });

/** The groups that a channel or an escalation is limited to, after the alerts; empty: all devices. */
export function inGroups(ids: readonly string[], groups: readonly Option[]): string {
  if (ids.length === 0) return '';
  const names = ids.map((id) => groups.find(({ value }) => value === id)?.label ?? 'a deleted group');
  return `, in ${names.join(', ')}`;
}
