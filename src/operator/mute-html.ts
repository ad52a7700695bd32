import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { clock } from './parts.ts';

type Device = Answers['getAsset'];

export const muteNotice = ({ mute }: Pick<Device, 'mute'>): Content =>
  mute && html`<p>${mutedFor(mute)} until ${clock(mute.until)} by ${mute.by.name}: ${mute.reason}</p>`;

const mutedFor = ({ groupId }: NonNullable<Device['mute']>): Html =>
  html`<strong>Under maintenance${groupId !== null && ', with its group,'}</strong>`;
