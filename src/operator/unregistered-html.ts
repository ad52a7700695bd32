import type { Answers, UnregisteredView } from './answers.ts';
import { toFormUrl } from './forms.ts';
import { type Html, html } from './html.ts';
import { ACTION, button, type KeyedRow, live, nextPage, table, time } from './parts.ts';
import type { ReplacedLogger } from './past-devices.repository.ts';

interface UnregisteredOptions {
  /** Loggers that were replaced, by serial number in lower case. */
  replaced: ReadonlyMap<string, ReplacedLogger>;
  mayChange: boolean;
}

export const unregisteredHtml = (
  devices: Answers['listUnregisteredDevices'],
  { replaced, mayChange }: UnregisteredOptions,
): Html => html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Unregistered devices</h1>
<p class="quiet">They send with a valid token of this organization, and nothing of it is stored.</p>
${live(
  'unregistered',
  html`${table({
    caption: 'Unregistered devices',
    head: ['Serial number', 'First contact', 'Last contact', 'Messages', ACTION],
    rows: devices.items.map((device) =>
      deviceRow(device, replaced.get(device.serialNumber.toLowerCase()), mayChange),
    ),
    empty: 'Every device that sends is registered.',
  })}${nextPage('/operator/unregistered', new URLSearchParams(), devices.nextCursor)}`,
)}`;

const deviceRow = (
  { serialNumber, firstSeenAt, lastSeenAt, count }: UnregisteredView,
  replaced: ReplacedLogger | undefined,
  mayChange: boolean,
): KeyedRow => ({
  key: serialNumber,
  cells: [
    html`<code>${serialNumber}</code>${replaced && replacedHint(replaced)}`,
    time(firstSeenAt),
    time(lastSeenAt),
    count.toLocaleString('en'),
    mayChange &&
      html`<div class="row">${registerForm(serialNumber, { back: '/operator/unregistered' })}${removeButton(serialNumber)}</div>`,
  ],
});

const replacedHint = ({ assetId, name, replacedAt }: ReplacedLogger): Html =>
  html` <span class="quiet">was replaced at <a href="/operator/devices/${assetId}">${name}</a> ${time(replacedAt.toISOString())}, and still sends</span>`;

/** `back` is the page after it; left out: the page of the new device. Loggers have serial numbers in upper case. */
export const registerForm = (
  serialNumber: string,
  { back, name = '' }: { back?: string; name?: string },
): Html => html`<form method="post" action="${toFormUrl('registerAsset')}" class="row">
${back !== undefined && html`<input type="hidden" name="return" value="${back}">`}
<input type="hidden" name="serialNumber" value="${serialNumber.toUpperCase()}">
<input name="name" maxlength="128" value="${name}" placeholder="name" aria-label="Name of ${serialNumber}">
<button class="main">Register<span class="hidden"> ${serialNumber}</span></button></form>`;

const removeButton = (serialNumber: string): Html =>
  button({
    action: toFormUrl('removeUnregisteredDevice', { serial: serialNumber }),
    label: 'Forget',
    about: serialNumber,
  });
