import { listChannels } from './all-channels.ts';
import type { Answers } from './answers.ts';
import { recipientsOf } from './channel-labels.ts';
import type { Ask } from './page-deps.ts';
import type { Session } from './session.ts';

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
