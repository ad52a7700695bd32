import { type FieldsOptions, fieldsHtml } from './form-html.ts';
import { type Html, html } from './html.ts';

export function exportHtml(options: FieldsOptions): Html {
  const { content, unplaced } = fieldsHtml(options);
  return html`<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Export readings</h1>
<p>A table as CSV: a line for each reading, device by device, each newest first.</p>
${unplaced}
<form method="get" action="/operator/exports" class="form">
${content}
<div class="actions"><button class="main" name="step" value="download">Download</button></div></form>`;
}
