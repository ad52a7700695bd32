/** Devices and groups whose maintenance runs or is planned: alerts in that time notify no person. */
import { isPlanned } from '../mutes/mute.ts';
import type { CurrentMute } from '../mutes/mutes.repository.ts';
import { alertTabs } from './alerts-html.ts';
import type { Option } from './form-layout.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { endLabel } from './mute-html.ts';
import { ACTION, clock, live, nameLink, table, textOfLines, time } from './parts.ts';
import type { ShownAsset } from './shown-assets.repository.ts';

interface MaintenanceOptions {
  /** The earliest end first. */
  mutes: readonly CurrentMute[];
  /** By asset id. */
  devices: ReadonlyMap<string, ShownAsset>;
  groups: readonly Option[];
  now: Date;
  link: FormLink;
}

export const maintenanceHtml = ({ mutes, devices, groups, now, link }: MaintenanceOptions): Html => html`
<h1>Maintenance</h1>
${alertTabs({})}
<p class="quiet">Alerts of these devices open as always, and nobody is notified from the beginning of the maintenance until its end.</p>
${live(
  'maintenance',
  table({
    caption: 'Devices and groups under maintenance, the earliest end first',
    head: ['Device or group', 'Begins', 'Until', 'Reason', 'By', ACTION],
    rows: mutes.map(({ assetId, groupId, from, until, reason, by }): Content[] => [
      assetId === null ? groupLink(groupId, groups) : deviceLink(assetId, devices),
      isPlanned({ from }, now) ? time(from.toISOString()) : 'it has begun',
      clock(until.toISOString()),
      textOfLines(reason),
      by.name,
      assetId === null
        ? link('unmuteGroup', { groupId: String(groupId) }, { label: endLabel({ from }, now) })
        : link('unmuteAsset', { assetId }, { label: endLabel({ from }, now) }),
    ]),
    empty: 'No device is under maintenance, and none is planned.',
  }),
)}`;

const deviceLink = (id: string, devices: ReadonlyMap<string, ShownAsset>): Content => {
  const { name, serialNumber } = devices.get(id) ?? { name: id, serialNumber: id };
  return nameLink(id, name, serialNumber);
};

const groupLink = (id: string | null, groups: readonly Option[]): Html =>
  html`Group <a class="name" href="/operator/groups/${id}">${groups.find(({ value }) => value === id)?.label ?? id}</a>`;
