import { labelOfChannel, type NamedChannel } from '../notifications/notification-channel.ts';
import type { ChannelView } from './answers.ts';
import type { Option } from './form-layout.ts';

/** Names or addresses of the channels that exist, in the order of the ids. */
export const labelsOf = (channels: readonly NamedChannel[], ids: readonly string[]): string[] =>
  ids.flatMap((id) => {
    const channel = channels.find((each) => each.id === id);
    return channel ? [labelOfChannel(channel)] : [];
  });

/** The channels that a step will reach: it leaves out those that messages may not be sent to. */
export function recipientsOf(channels: readonly ChannelView[], ids: readonly string[]): string[] {
  const active = channels.filter(({ status }) => status === 'active');
  const labels = labelsOf(active, ids);
  return ids.length > 0 && labels.length === 0 ? [NOBODY] : labels;
}

const NOBODY = 'nobody (no channel of the step is active)';

/** The groups that a channel or an escalation is limited to, after the alerts; empty: all devices. */
export function inGroups(ids: readonly string[], groups: readonly Option[]): string {
  if (ids.length === 0) return '';
  const names = ids.map((id) => groups.find(({ value }) => value === id)?.label ?? 'a deleted group');
  return `, in ${names.join(', ')}`;
}
