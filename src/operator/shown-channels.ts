/** Notification channels as pages name them: who is notified, and by which step. */
import { CHANNELS_MAX, labelOfChannel, type NamedChannel } from '../notifications/notification-channel.ts';
import type { Answers, ChannelView } from './answers.ts';
import type { Option } from './form-layout.ts';
import type { Ask } from './page-deps.ts';
import type { Session } from './session.ts';

/** All channels of the organization, in one page of their list. */
export const listChannels = async (ask: Ask, session: Session): Promise<ChannelView[]> =>
  (await ask(session, 'listNotificationChannels', { query: { limit: String(CHANNELS_MAX) } })).items;

/** The recipients of the next step of an escalation, or of its last one again; null: none follows. */
export async function findNextRecipients(
  ask: Ask,
  session: Session,
  { escalation }: Answers['getAlert'],
): Promise<string | null> {
  if (!escalation?.nextStepAt) return null;
  const { id: escalationId, step } = escalation;
  const [policy, channels] = await Promise.all([
    // The policy may have been deleted meanwhile.
    ask(session, 'getEscalation', { params: { escalationId } }).catch(() => null),
    listChannels(ask, session),
  ]);
  const { channelIds = [] } = policy?.steps[step] ?? policy?.steps.at(-1) ?? {};
  return recipientsOf(channels, channelIds).join(', ') || 'another channel';
}

/** The channels that a step will reach: it leaves out those that messages may not be sent to. */
export function recipientsOf(channels: readonly ChannelView[], ids: readonly string[]): string[] {
  const active = channels.filter(({ status }) => status === 'active');
  const labels = labelsOf(active, ids);
  return ids.length > 0 && labels.length === 0 ? [NOBODY] : labels;
}

const NOBODY = 'nobody (no channel of the step is active)';

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
