/** The frame of each page: search, navigation, the previous and the next page. */
import { type Content, type Html, html, toText } from '../operator/html.ts';
import type { Document, Section } from './documents.ts';
import { DOCS_PATH, hrefOf } from './links.ts';
import type { Heading } from './markdown.ts';

export const SITE_NAME = 'Device Monitoring Service';
export const REFERENCE_PATH = `${DOCS_PATH}/api`;

export interface SiteFrame {
  sections: Section[];
  hasOperatorsPage: boolean;
  /** Path of the search index. */
  indexPath: string;
  /** The path of a cached file, by its name. */
  pathOf(name: string): string;
}

export interface PageContent {
  title: string;
  body: Content;
  /** Null for pages without a document. */
  path: string | null;
  headings: Heading[];
  previous?: Document;
  next?: Document;
}

export const sitePage = (frame: SiteFrame, page: PageContent): string =>
  document(
    frame,
    page.title,
    html`${top(frame)}
<div class="columns">
${navigation(frame.sections, page.path)}
<main id="main">
<article>
${page.body}
</article>
${neighbours(page)}
</main>
${contents(page.headings)}
</div>`,
  );

/** A page without navigation and search. */
export const plainPage = (frame: SiteFrame, title: string, body: Html): string =>
  document(frame, title, html`<main id="main" class="plain">${body}</main>`);

const DOCTYPE = html`<!doctype html>
`;

const document = ({ pathOf }: SiteFrame, title: string, content: Html): string =>
  toText(html`${DOCTYPE}<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === SITE_NAME ? title : `${title} · ${SITE_NAME}`}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
${['base.css', 'site.css'].map((name) => html`<link rel="stylesheet" href="${pathOf(name)}">`)}
${['own-key.mjs', 'site.mjs', 'attempt.mjs'].map((name) => html`<script type="module" src="${pathOf(name)}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${content}
</body>
</html>
`);

/** Search and the key of the reader are hidden until the script shows them, because they need scripts. */
const top = ({ indexPath, pathOf, hasOperatorsPage }: SiteFrame) => html`<header class="top">
<a class="brand" href="${DOCS_PATH}"><span aria-hidden="true" class="mark"></span>${SITE_NAME}</a>
<form role="search" class="search" data-index="${indexPath}" data-library="${pathOf('minisearch.mjs')}" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" maxlength="100" spellcheck="false">
<p role="status" class="hidden"></p>
<ol hidden></ol>
</form>
<details class="own" hidden><summary>Your key</summary>
<form><label for="own-key">Key or device token</label>
<input id="own-key" type="password" autocomplete="off" spellcheck="false">
<p>Filled in to the examples of this site, with the address of this service. It stays in this tab.</p></form></details>
<nav aria-label="Other pages"><a class="menu" href="#navigation">Contents</a><a href="${REFERENCE_PATH}">API reference</a>${
  hasOperatorsPage && html`<a href="/operator">Operators’ page</a>`
}</nav>
</header>`;

const navigation = (
  sections: Section[],
  path: string | null,
) => html`<nav id="navigation" aria-label="Documentation">
${sections.map(
  ({ title, documents }) => html`<h2>${title}</h2>
<ul>${documents.map(
    (each) =>
      html`<li><a href="${hrefOf(each)}"${each.path === path && html` aria-current="page"`}>${each.label}</a></li>`,
  )}</ul>
`,
)}</nav>`;

/** Short pages need no table of contents. */
function contents(headings: Heading[]): Content {
  const sections = headings.filter(({ depth }) => depth === 2);
  if (sections.length < 3) return null;
  return html`<nav class="contents" aria-label="On this page"><h2>On this page</h2>
<ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;
}

function neighbours({ previous, next }: PageContent): Content {
  if (!previous && !next) return null;
  return html`<nav class="neighbours" aria-label="Before and after">
${previous && html`<a rel="prev" href="${hrefOf(previous)}"><span>Previous</span>${previous.label}</a>`}
${next && html`<a rel="next" href="${hrefOf(next)}"><span>Next</span>${next.label}</a>`}
</nav>`;
}
