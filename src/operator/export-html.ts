import { type FieldsOptions, fieldsHtml } from './form-html.ts';
import { type Html, html } from './html.ts';

export function exportHtml({ fault = null, ...fields }: FieldsOptions): Html {
  const { content, isFaultShown } = fieldsHtml({ ...fields, fault });
  return html`<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Export readings</h1>
<p>A table as CSV: a line for each reading, device by device, each newest first.</p>
${fault !== null && !isFaultShown && html`<p class="problem" role="alert">${fault}</p>`}
<form method="get" action="/operator/exports" class="form">
${content}
<div class="actions"><button class="main" name="step" value="download">Download</button></div></form>`;
}
