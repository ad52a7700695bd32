import { toField } from './form-fields.ts';
import { type FieldsOptions, fieldsHtml } from './form-html.ts';
import { type Content, type Html, html } from './html.ts';
import type { ShownAsset } from './shown-assets.repository.ts';

/** In place of the ids that the operation takes. */
export const SERIAL_NUMBERS = toField('serialNumbers', {
  type: 'array',
  flags: { description: 'Up to 100, separated by spaces, commas or lines.' },
});

/** Devices that a page has chosen, by id, because no serial number finds an archived one. */
export type ChosenDevices = ReadonlyMap<string, ShownAsset>;

const WHICH = ['serialNumbers', 'groupId', 'all'];

export function exportHtml({ fields, ...more }: FieldsOptions, chosen: ChosenDevices): Html {
  const shown = chosen.size === 0 ? fields : fields.filter(({ name }) => !WHICH.includes(name));
  const { content, unplaced } = fieldsHtml({ ...more, fields: shown });
  return html`<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Export readings</h1>
<p>A table as CSV: a line for each reading, device by device, each newest first.</p>
${unplaced}
<form method="get" action="/operator/exports" class="form">
${chosen.size > 0 && chosenHtml(chosen)}
${content}
<div class="actions"><button class="main" name="step" value="download">Download</button></div></form>`;
}

const chosenHtml = (chosen: ChosenDevices): Content =>
  html`<p>${[...chosen.values()].map(({ name, serialNumber }) => html`<strong>${name}</strong>${name !== serialNumber && html` <code>${serialNumber}</code>`} `)}<a href="/operator/exports">Other devices</a></p>
<input type="hidden" name="assetIds" value="${[...chosen.keys()].join()}">`;
