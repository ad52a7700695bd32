/** What is said of maintenance on the page of a device, and the form for it. */
import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { confirmed, time } from './parts.ts';

type Device = Answers['getAsset'];

/** Hours from now. */
export const MUTES = ['1', '2', '4', '8', '24', '72', '168'];

export const muteNotice = ({ mute }: Pick<Device, 'mute'>): Content =>
  mute && html`<p>${mutedFor(mute)} until ${time(mute.until)} by ${mute.by.name}: ${mute.reason}</p>`;

const mutedFor = ({ groupId }: NonNullable<Device['mute']>): Html =>
  html`<strong>Under maintenance${groupId !== null && ', with its group,'}</strong>`;

/** A mute of the group is ended there. */
export function muteForm({ id, groupId, mute }: Device): Content {
  if (mute && mute.groupId === null) {
    return confirmed('Who is to know of open alerts of this device is notified at once.', {
      open: 'End the maintenance…',
      action: `/operator/devices/${id}/unmute`,
      label: 'End the maintenance',
    });
  }
  return html`<section class="panel" id="maintenance"><h2>Maintenance</h2>
<form method="post" action="/operator/devices/${id}/mute" class="filter">
<label>Notify nobody for <select name="hours">${MUTES.map(
    (hours) =>
      html`<option value="${hours}">${Number(hours) > 24 ? `${Number(hours) / 24} days` : `${hours} h`}</option>`,
  )}</select></label>
${groupId !== null && html`<label>Of <select name="of"><option value="device">this device</option><option value="group">its group</option></select></label>`}
<label>Reason <input name="reason" required maxlength="500"></label>
<button>Mute</button></form></section>`;
}
