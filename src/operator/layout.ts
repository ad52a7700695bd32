/** The frame of every page: navigation, the signed-in person, styles and scripts. */
import { type Content, html, rendered, toText } from './html.ts';
import { fingerprintOf } from './page-fingerprint.ts';
import { live } from './parts.ts';
import type { Session } from './session.ts';

export interface LayoutOptions {
  title: string;
  session: Session | null;
  /** Current entry of the navigation. */
  section?: string;
  /** The address whose live parts are watched. */
  watch?: string;
  notice?: Content;
  withCurve?: boolean;
}

/** Returns the path of a cached file, by its name. */
export type StaticPath = (name: string) => string;

export type Layout = (options: LayoutOptions, content: Content) => string;

const SECTIONS = [
  ['Now', '/operator'],
  ['Fleet', '/operator/fleet'],
  ['Groups', '/operator/groups'],
  ['Profiles', '/operator/profiles'],
  ['Jobs', '/operator/jobs'],
  ['Alerts', '/operator/alerts'],
  ['Webhooks', '/operator/webhooks'],
  ['Notifications', '/operator/channels'],
  ['Access', '/operator/audit'],
] as const;

export const createLayout =
  (pathOf: StaticPath): Layout =>
  ({ title, session, section, watch, notice, withCurve }, content) => {
    const said = notice && html`<p class="notice" role="status">${notice}</p>`;
    const main = toText(html`${watch ? live('notice', said) : said}
${content}`);
    const scripts = ['operator.mjs', ...(withCurve ? ['curve.mjs'] : [])];
    return toText(html`${DOCTYPE}<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#181f22">
<title>${title} · Device monitoring</title>
<link rel="icon" href="${pathOf('icon.svg')}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${pathOf('icon-180.png')}">
<link rel="manifest" href="${pathOf('app.webmanifest')}">
${withCurve && html`<link rel="stylesheet" href="${pathOf('uplot.css')}">`}
${['base.css', 'operator.css'].map((name) => html`<link rel="stylesheet" href="${pathOf(name)}">`)}
${withCurve && html`<script src="${pathOf('uplot.js')}" defer></script>`}
${scripts.map((name) => html`<script type="module" src="${pathOf(name)}"></script>`)}
</head>
<body${watch && html` data-watch="${watch}" data-fingerprint="${fingerprintOf(main)}"`}${session && html` data-drawn-for="${session.organizationId}"`}>
<a class="skip" href="#main">Skip to the content</a>
${watch && html`<p id="connection" aria-live="polite"></p>`}
${session && header(session, section)}
<main id="main">
${rendered(main)}
</main>
<footer class="foot">Times are in <span data-zone>UTC</span>. <a href="/docs/states">What the states mean</a></footer>
</body>
</html>
`);
  };

const DOCTYPE = html`<!doctype html>
`;

const header = (
  { name, role, organizationName }: Session,
  section: string | undefined,
) => html`<header class="top">
<a class="brand" href="/operator"><span aria-hidden="true" class="mark"></span><span>${organizationName}</span></a>
<nav aria-label="Sections">${SECTIONS.map(
  ([label, href]) => html`<a href="${href}"${label === section && html` aria-current="page"`}>${label}</a>`,
)}</nav>
<div class="who"><span>${name} <span class="quiet">${role}</span></span>
<form method="post" action="/operator/sign-out" class="inline"><button class="plain">Sign out</button></form></div>
</header>`;
