/** The panel of a curve: its span, the devices in the picture, its exports, and the place for the picture. */
import { COMPARED_MAX } from '../statistics/comparison.ts';
import { type CurveSpan, NAMED_SPANS, spanQuery } from './curve-span.ts';
import { type Content, type Html, html } from './html.ts';
import { type Tab, tabs } from './parts.ts';

export interface ShownDevice {
  id: string;
  name: string;
  serialNumber: string;
}

export interface CurvePanel {
  device: ShownDevice;
  span: CurveSpan;
  /** The times as they were typed, when they were refused. */
  typed: Record<'from' | 'to', string | Date>;
  compared: readonly ShownDevice[];
  /** Null: none was looked for. */
  found: readonly ShownDevice[] | null;
  find: string;
}

const pathOf = (id: string) => `/operator/devices/${id}`;

/** The address of the curve with these devices, or of something else about its span. */
export function curveUrl(
  path: string,
  { span, compared }: Pick<CurvePanel, 'compared'> & { span: Record<string, string> },
): string {
  const query = new URLSearchParams(span);
  for (const { id } of compared) query.append('with', id);
  return `${path}?${query}`;
}

/** Links to the named spans. */
export const spanTabs = (path: string, span: CurveSpan, compared: readonly ShownDevice[] = []): Tab[] =>
  Object.entries(NAMED_SPANS).map(([name, { label }]) => ({
    href: curveUrl(path, { span: { span: name }, compared }),
    label,
    isCurrent: name === span.name,
  }));

/** Names, with the serial number where another device has the same one. */
const labelled = (devices: readonly ShownDevice[]) =>
  devices.map(({ id, name, serialNumber }) => ({
    id,
    name: devices.some((other) => other.id !== id && other.name === name)
      ? `${name} (${serialNumber})`
      : name,
  }));

export function curveHtml(panel: CurvePanel): Html {
  const { device, span, compared } = panel;
  const address = { span: spanQuery(span), compared };
  const url = (part: string) => curveUrl(`${pathOf(device.id)}/${part}`, address);
  const shown = labelled([device, ...compared]);
  return html`<section class="panel" aria-label="Curve" id="curve">
<div class="panel-head">${tabs('Span of the curve', spanTabs(pathOf(device.id), span, compared))}
<span class="exports"><a data-spanned href="${url('statistics')}">Statistics</a>
<a data-spanned href="${url('readings.csv')}">CSV</a>
<a data-spanned data-zoned href="${url('statistics.pdf')}">PDF</a></span></div>
${chooser(panel)}
${comparedHtml(panel)}
<div class="curves" data-curve="${JSON.stringify(shown)}"><p class="empty">The curve needs JavaScript. The same numbers are under Statistics.</p></div>
</section>`;
}

/** Works without a script: a span of one's own, and a further device. */
const chooser = (panel: CurvePanel): Html => {
  const { device, span, typed, compared, find, found } = panel;
  const isOpen = span.fault !== null || found !== null;
  return html`<details class="choose"${isOpen && html` open`}><summary>Choose times, or compare…</summary>
${span.fault !== null && html`<p class="problem" role="alert" id="span-fault">${span.fault}</p>`}
<form class="filter" method="get" action="${pathOf(device.id)}#curve">
${span.name !== null && html`<input type="hidden" name="span" value="${span.name}">`}
${compared.map(({ id }) => html`<input type="hidden" name="with" value="${id}">`)}
${timeField('from', 'From', typed.from, span.fault !== null)}
${timeField('to', 'To', typed.to, span.fault !== null)}
${
  compared.length < COMPARED_MAX &&
  html`<label>Compare with <input name="find" value="${find}" placeholder="name or serial number" maxlength="128"></label>`
}
<button>Show</button></form>
${foundHtml(panel)}</details>`;
};

export const timeField = (name: string, label: string, value: string | Date, isFaulty = false): Html =>
  html`<label><span>${label} (<span data-zone-of="curve-${name}">UTC</span>)</span> <input type="datetime-local" id="curve-${name}" name="${name}" value="${typeof value === 'string' ? value : value.toISOString().slice(0, 16)}"${isFaulty && html` aria-invalid="true" aria-describedby="span-fault"`}></label>`;

const withDevices = ({ device, span }: CurvePanel, compared: readonly ShownDevice[]): string =>
  curveUrl(pathOf(device.id), { span: spanQuery(span), compared });

const comparedHtml = (panel: CurvePanel): Content =>
  panel.compared.length > 0 &&
  html`<ul class="compared" aria-label="Devices in the picture">${labelled([panel.device, ...panel.compared])
    .slice(1)
    .map(
      ({ id, name }) =>
        html`<li><a href="${pathOf(id)}">${name}</a> <a data-spanned class="more" href="${withDevices(
          panel,
          panel.compared.filter((each) => each.id !== id),
        )}">Remove<span class="hidden"> ${name}</span></a></li>`,
    )}</ul>`;

function foundHtml(panel: CurvePanel): Content {
  const { compared, found } = panel;
  if (found === null) return null;
  if (found.length === 0)
    return html`<p class="problem" role="status">No other device has this in its name or serial number.</p>`;
  return html`<ul class="compared" aria-label="Devices that match">${found.map(
    (each) =>
      html`<li>${each.name} <code>${each.serialNumber}</code> <a data-spanned href="${withDevices(panel, [...compared, each])}">Add<span class="hidden"> ${each.name}</span></a></li>`,
  )}</ul>`;
}
