import { isPlanned } from '../mutes/mute.ts';
import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { clock, textOfLines, time } from './parts.ts';

type Mute = NonNullable<Answers['getAsset']['mute']>;

export const muteNotice = ({ mute }: { mute: Mute | null }, now: Date): Content =>
  mute &&
  html`<p>${stateOf(mute, now)} until ${clock(mute.until)} by ${mute.by.name}: ${textOfLines(mute.reason)}</p>`;

function stateOf({ from, groupId }: Mute, now: Date): Html {
  const withGroup = groupId !== null && ', with its group,';
  return isPlanned({ from }, now)
    ? html`<strong>Maintenance${withGroup}</strong> begins ${time(from)},`
    : html`<strong>Under maintenance${withGroup}</strong>`;
}

/** Such as "begins in 3 h" and "until 14:30". */
export const muteState = ({ from, until }: Pick<Mute, 'from' | 'until'>, now: Date): Html =>
  isPlanned({ from }, now) ? html`begins ${time(from)}` : html`until ${clock(until)}`;

export const endLabel = (mute: { from: Date | string }, now: Date): string =>
  isPlanned(mute, now) ? 'Cancel the maintenance' : 'End the maintenance';
