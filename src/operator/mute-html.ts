import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { time } from './parts.ts';

type Device = Answers['getAsset'];

export const muteNotice = ({ mute }: Pick<Device, 'mute'>): Content =>
  mute && html`<p>${mutedFor(mute)} until ${time(mute.until)} by ${mute.by.name}: ${mute.reason}</p>`;

const mutedFor = ({ groupId }: NonNullable<Device['mute']>): Html =>
  html`<strong>Under maintenance${groupId !== null && ', with its group,'}</strong>`;
