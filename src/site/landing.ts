/** The page at the root of the service for browsers. It shows nothing of any customer. */
import { type Html, html } from '../operator/html.ts';
import { REFERENCE_PATH, SITE_NAME } from './layout.ts';
import { DOCS_PATH } from './links.ts';

export const landing = (hasOperatorsPage: boolean): Html => html`<h1>${SITE_NAME}</h1>
<p>This address answers programs and loggers. For people there is:</p>
<ul class="cards">
<li><a href="${DOCS_PATH}">Documentation</a><span>from the first request to running it</span></li>
<li><a href="${REFERENCE_PATH}">API reference</a><span>each operation, to read and to try</span></li>
${
  hasOperatorsPage &&
  html`<li><a href="/operator">Operators’ page</a><span>the fleet, its alerts, jobs and webhooks</span></li>
`
}<li><a href="/readyz">Health</a><span>whether the service can do its work</span></li>
</ul>`;
