/** The reference of the API as pages: an overview, and one for each tag of the OpenAPI document. */
import {
  type ApiDocument,
  type ApiOperation,
  answerOf,
  type DocumentedOperation,
  documentedOperation,
  isForCustomers,
  type Content as MediaContent,
  operationsOf,
  parametersOf,
} from '../http/api-document.ts';
import { type Content, type Html, html } from '../operator/html.ts';
import type { Document } from './documents.ts';
import { hrefOf } from './links.ts';
import { createSlugs, type Rendered } from './markdown.ts';
import { type FieldRow, rowsOf, toRow } from './reference-fields.ts';
import { SAMPLE_URL, sampleOf, toCurl, toPython, toTypeScript } from './samples.ts';

export const REFERENCE_FILE = 'openapi.json';
const REFERENCE = 'api';
const EVENTS = 'Events';

/** The page of a tag is named by the tag. */
export const referenceDocuments = ({ tags }: ApiDocument): Document[] => {
  const slugs = createSlugs();
  return [
    { path: REFERENCE, file: REFERENCE_FILE, label: 'All operations' },
    ...tags.map(({ name }) => ({
      path: `${REFERENCE}/${slugs(name)}`,
      file: `${REFERENCE_FILE}#${name}`,
      label: name,
    })),
  ];
};

export function renderReference(document: ApiDocument, { file, label }: Document): Rendered {
  if (file === REFERENCE_FILE) return overview(document);
  const parts = label === EVENTS ? eventsIn(document) : operationsIn(document, label);
  const description = document.tags.find(({ name }) => name === label)?.description ?? '';
  return {
    title: label,
    body: html`<h1 id="${REFERENCE}">${label}</h1>
<p>${inline(description)}</p>
${parts.map(({ section }) => section)}`,
    headings: parts.map(({ id, text }) => ({ depth: 2, id, text })),
    passages: [
      { id: null, heading: '', text: description },
      ...parts.map(({ id, text, words }) => ({ id, heading: text, text: words })),
    ],
  };
}

/** A section of a page, with the words by which the search finds it. */
interface Part {
  id: string;
  text: string;
  words: string;
  section: Html;
}

const withTag = (document: ApiDocument, tag: string): ApiOperation[] =>
  operationsOf(document).filter((each) => documentedOperation(document, each).tags.includes(tag));

const operationsIn = (document: ApiDocument, tag: string): Part[] =>
  withTag(document, tag).map((operation) => toPart(document, operation));

function toPart(document: ApiDocument, operation: ApiOperation): Part {
  const documented = documentedOperation(document, operation);
  const { summary, description = '' } = documented;
  return {
    id: operation.id,
    text: summary,
    words: [operation.id, operation.method, operation.path, description].join(' '),
    section: html`<section class="operation" aria-labelledby="${operation.id}">
${heading(operation.id, summary)}
<p class="endpoint"><span class="method">${operation.method}</span> <code>${operation.path}</code></p>
<p>${inline(description)}</p>
${parameters(document, documented)}
${body(document, documented)}
${samples(document, operation)}
${answer(document, documented)}
${attempt(document, operation)}
</section>`,
  };
}

const heading = (id: string, text: string) =>
  html`<h2 id="${id}">${text} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>`;

function parameters(document: ApiDocument, documented: DocumentedOperation): Content {
  const rows = parametersOf(document, documented).map(({ name, schema, required = false, description }) =>
    toRow(document, name, schema, required, description),
  );
  return rows.length > 0 && fieldTable('Parameters', rows);
}

function body(document: ApiDocument, { requestBody }: DocumentedOperation): Content {
  const [type, content] = Object.entries(requestBody?.content ?? {}).at(-1) ?? [];
  if (!content) return null;
  const { items } = content.schema;
  const rows = rowsOf(document, items ?? content.schema);
  if (rows.length === 0) return html`<p>The body is ${type}.</p>`;
  return fieldTable(items ? 'Body: a list of' : 'Body', rows);
}

const fieldTable = (
  caption: string,
  rows: FieldRow[],
): Html => html`<div class="scroll" tabindex="0"><table class="fields">
<caption>${caption}</caption>
<thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>${rows.map(
  ({ name, type, isRequired, text }) =>
    html`<tr><td><code>${name}</code>${isRequired && html` <small>required</small>`}</td><td>${type}</td><td>${inline(text)}</td></tr>`,
)}</tbody>
</table></div>`;

function samples(document: ApiDocument, operation: ApiOperation): Html {
  const sample = sampleOf(document, operation);
  const shown = [
    ['curl', 'sh', toCurl(sample)],
    ['TypeScript', 'ts', toTypeScript(sample)],
    ['Python', 'py', toPython(sample)],
  ] as const;
  return html`<div class="samples">${shown.map(
    ([label, language, code], index) =>
      html`<details name="sample-${operation.id}"${index === 0 && html` open`}><summary>${label}</summary>${codeBlock(code, language)}</details>`,
  )}</div>`;
}

const codeBlock = (code: string, language: string): Html =>
  html`<pre tabindex="0" data-language="${language}"><code>${code}
</code></pre>`;

function answer(document: ApiDocument, documented: DocumentedOperation): Html {
  const statuses = Object.keys(documented.responses);
  const done = statuses.filter((status) => status.startsWith('2'));
  const failed = statuses.filter((status) => status >= '400');
  const content = answerOf(document, documented);
  const json = content['application/json'];
  return html`<p>Answered with ${done.join(' or ')}${types(content)}. Failures: ${failed.map(
    (status, index) => html`${index > 0 && ', '}${status}`,
  )}, as in <a href="/docs/errors">Errors</a>.</p>
${json && html`<details><summary>The answer</summary>${example(json)}${answerFields(document, json)}</details>`}`;
}

const types = (content: Record<string, MediaContent>): string =>
  Object.keys(content).length === 0 ? '' : ` and ${Object.keys(content).join(' or ')}`;

const example = ({ example: value }: MediaContent): Content =>
  value !== undefined && codeBlock(JSON.stringify(value, null, 2), 'json');

function answerFields(document: ApiDocument, { schema }: MediaContent): Content {
  const rows = rowsOf(document, schema);
  return rows.length > 0 && fieldTable('Fields', rows);
}

/** Hidden until the script shows it, because it sends by script, with the key of the reader. */
function attempt(document: ApiDocument, operation: ApiOperation): Content {
  const documented = documentedOperation(document, operation);
  if (!isForCustomers(documented) || (operation.body !== null && operation.body !== 'application/json'))
    return null;
  const sample = sampleOf(document, operation);
  const inputs = parametersOf(document, documented).filter(({ in: place }) => place !== 'header');
  const idOf = (name: string) => `${operation.id}-${name}`;
  return html`<details class="attempt" hidden><summary>Try it</summary>
<form data-method="${operation.method}" data-path="${operation.path}">
${inputs.map(
  ({ name, required = false }) => html`<label for="${idOf(name)}">${name}</label>
<input id="${idOf(name)}" name="${name}" autocomplete="off"${required && html` required`}>`,
)}
${
  operation.body !== null &&
  html`<label for="${idOf('body')}">Body</label>
<textarea id="${idOf('body')}" name="body" rows="6" spellcheck="false">${JSON.stringify(sample.body ?? {}, null, 2)}</textarea>`
}
<button type="submit">Send ${operation.method} with your key</button>
<pre tabindex="0" role="status" hidden></pre>
</form></details>`;
}

const eventsIn = (document: ApiDocument): Part[] =>
  Object.entries(document.webhooks).map(([type, { post }]) => {
    const content = Object.values(post.requestBody?.content ?? {})[0];
    return {
      id: type,
      text: type,
      words: `${post.summary} ${post.description ?? ''}`,
      section: html`<section class="operation" aria-labelledby="${type}">
${heading(type, type)}
<p>${inline(`${post.summary}. ${post.description ?? ''}`)}</p>
${content && [example(content), fieldTable('Fields', rowsOf(document, content.schema))]}
</section>`,
    };
  });

function overview(document: ApiDocument): Rendered {
  const pages = referenceDocuments(document).slice(1);
  return {
    title: 'API reference',
    body: html`<h1 id="${REFERENCE}">API reference</h1>
<p>Every operation, with its parameters, examples and answers. The same as a document for programs:
<a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). Requests carry a key: <code>Authorization: Bearer …</code>.
With <strong>Your key</strong> above, examples have it filled in, and each operation can be sent from its page.</p>
${codeBlock(`export DMS_KEY=…\n${toCurl(sampleOf(document, operationsOf(document)[0] as ApiOperation))}`, 'sh')}
<p>The clients have a function for each operation:</p>
${codeBlock(`const dms = createClient({ baseUrl: '${SAMPLE_URL}', apiKey: process.env.DMS_KEY ?? '' });`, 'ts')}
${codeBlock(`dms = Client("${SAMPLE_URL}", os.environ["DMS_KEY"])`, 'py')}
${pages.map((page) => overviewOf(document, page))}`,
    headings: [],
    passages: [{ id: null, heading: '', text: 'API reference: every operation' }],
  };
}

function overviewOf(document: ApiDocument, page: Document): Content {
  const operations = withTag(document, page.label);
  const title = html`<h2><a href="${hrefOf(page)}">${page.label}</a></h2>`;
  if (operations.length === 0) return title;
  return html`${title}
<ul class="operations">${operations.map(
    (operation) =>
      html`<li><a href="${hrefOf(page)}#${operation.id}">${documentedOperation(document, operation).summary}</a>
<span><span class="method">${operation.method}</span> <code>${operation.path}</code></span></li>`,
  )}</ul>`;
}

/** Text with code between backticks. */
const inline = (text: string): Content =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
