/** The documentation as a site: every page, every link, and the answers to programs at the same addresses. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { toText } from '../../src/operator/html.ts';
import { diagramFile } from '../../src/site/diagrams.ts';
import { createLinks } from '../../src/site/links.ts';
import { renderMarkdown } from '../../src/site/markdown.ts';
import type { Answer, Client } from '../support/client.ts';
import { useService } from '../support/service.ts';
import { listDiagrams, listDrawn } from './documented-diagrams.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('The documentation site', () => {
  const dms = useService({ withWorker: false });
  let anybody: Client;
  /** Every page that can be reached by links, by path. */
  let pages: Map<string, Answer>;

  before(async () => {
    anybody = dms.with(null);
    pages = await crawl('/docs');
  });

  async function crawl(start: string): Promise<Map<string, Answer>> {
    const found = new Map<string, Answer>();
    const waiting = [start];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (found.has(path)) continue;
      const page = await anybody.get(path, BROWSER);
      found.set(path, page);
      waiting.push(
        ...linksIn(page)
          .map((link) => link.split('#')[0] as string)
          .filter(isOfSite),
      );
    }
    return found;
  }

  it('serves a page for each document of the repository', () => {
    const documents = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(md|sql)$/.test(name),
    );
    const expected = documents.map((name) => `/docs/${name.replace(/(\/README)?\.\w+$/, '')}`);
    assert.deepEqual(
      expected.filter((path) => !pages.has(path)),
      [],
    );
    assert.ok(pages.has('/docs/changelog') && pages.has('/docs/typescript-client'));
  });

  it('answers each page as HTML with a title, a heading and its place in the navigation', () => {
    for (const [path, { status, headers, text }] of pages) {
      assert.equal(status, 200, path);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8', path);
      assert.match(text, /<title>[^<]{3,}<\/title>/, path);
      assert.equal(text.match(/<h1[ >]/g)?.length, 1, `headings of ${path}`);
      const isListed = !/^\/docs\/decisions\//.test(path);
      assert.equal(text.includes('aria-current="page"'), isListed, path);
    }
  });

  it('links only existing pages and headings, served files, and other sites', async () => {
    const broken: string[] = [];
    const others = new Map<string, Answer>();
    for (const [path, page] of pages) {
      for (const link of linksIn(page)) {
        // These require a session, or are elsewhere.
        if (/^https?:|^\/operator$/.test(link)) continue;
        const [target = '', anchor] = link.split('#');
        const to = target === '' ? path : target;
        const found = pages.get(to) ?? others.get(to) ?? (await anybody.get(to, BROWSER));
        others.set(to, found);
        if (found.status !== 200) broken.push(`${path}: ${link}`);
        else if (anchor !== undefined && !found.text.includes(` id="${decodeURIComponent(anchor)}"`))
          broken.push(`${path}: ${link}`);
      }
    }
    assert.deepEqual(broken, []);
  });

  it('leads from each page to the next one, and back', () => {
    const rel = (page: string, name: string) => new RegExp(`rel="${name}" href="([^"]+)"`).exec(page)?.[1];
    let path = '/docs';
    const seen = [path];
    for (
      let next = rel(pages.get(path)?.text ?? '', 'next');
      next;
      next = rel(pages.get(path)?.text ?? '', 'next')
    ) {
      assert.equal(rel(pages.get(next)?.text ?? '', 'prev'), path);
      path = next;
      seen.push(path);
    }
    assert.equal(new Set(seen).size, pages.size);
  });

  it('shows the diagrams of the documents as pictures of the service, with their text', async () => {
    const diagrams = listDiagrams();
    assert.ok(diagrams.length > 0);
    assert.deepEqual(
      listDrawn().sort(),
      [...new Set(diagrams.map(diagramFile))].sort(),
      'Run npm run diagrams: the pictures are those of other diagrams',
    );
    const shown = [...pages.values()].flatMap(({ text }) => [
      ...text.matchAll(/<figure class="diagram">\n<img src="(\/docs\/static\/[^"]+\.svg)"/g),
    ]);
    assert.equal(shown.length, diagrams.length);
    for (const [, path] of shown) {
      const { status, headers, text } = await anybody.get(path as string);
      assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
      assert.doesNotMatch(text, /<script|<foreignObject|href="http|url\(http|@import/i);
    }
  });

  it('forbids by its policy other origins, and scripts and styles within a page', async () => {
    for (const [path, { headers, text }] of [...pages, ['/', await anybody.get('/', BROWSER)] as const]) {
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/, path);
      assert.match(policy, /frame-ancestors 'none'/, path);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/, path);
      assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|<[^>]+ style=|<[^>]+ on\w+=/, path);
    }
  });

  it('redirects old and misspelled addresses to the page', async () => {
    const to = {
      '/docs/': '/docs',
      '/docs/webhooks/': '/docs/webhooks',
      '/docs/webhooks.md': '/docs/webhooks',
      '/docs/decisions/README.md': '/docs/decisions',
    };
    for (const [from, expected] of Object.entries(to)) {
      const { status, headers } = await anybody.get(from, BROWSER);
      assert.deepEqual([status, headers.location], [301, expected], from);
    }
  });

  it('answers an unknown path with a page for people, and with the usual error for programs', async () => {
    const forPeople = await dms.with(null).send('HEAD', '/docs/nothing', undefined, BROWSER);
    assert.deepEqual(
      [forPeople.status, forPeople.headers['content-type']],
      [404, 'text/html; charset=utf-8'],
    );
    for (const path of [
      '/docs/nothing',
      '/docs/api/nothing',
      '/docs/__proto__',
      '/docs/..%2fpackage.json',
      '/',
    ]) {
      const { status, body } = await anybody.get(path);
      assert.deepEqual([status, body.success], [404, false], path);
    }
  });

  it('shows people at / where to go, without a key, and nothing of a customer', async () => {
    const { status, text } = await anybody.get('/', BROWSER);
    assert.equal(status, 200);
    for (const link of ['/docs', '/docs/api', '/operator', '/readyz'])
      assert.ok(text.includes(`href="${link}"`), link);
  });

  it('serves an icon at the address that every browser requests', async () => {
    const { status, headers, text } = await anybody.get('/favicon.ico');
    assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
    assert.match(text, /^<svg/);
  });

  it('accepts only reads', async () => {
    for (const path of ['/', '/docs', '/docs/webhooks', '/favicon.ico']) {
      const { status, headers } = await anybody.post(path, {});
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], path);
    }
  });

  it('serves an index of the words of every page, which browsers cache until the documents change', async () => {
    const path = /data-index="([^"]+)"/.exec(pages.get('/docs')?.text ?? '')?.[1] as string;
    const { headers, body } = await anybody.get(path);
    assert.match(String(headers['cache-control']), /immutable/);
    const index = MiniSearch.loadJS<never>(body.index, body.options);
    const find = (text: string) =>
      index.search(text, { prefix: true, combineWith: 'AND' }).map(({ id }) => id as string);
    assert.ok(find('hysteresis').length > 3);
    assert.ok(find('idempotency mismatch').includes('/docs/errors#idempotency-mismatch'));
    assert.ok(find('notification_channels').some((id) => id.startsWith('/docs/schema')));
    assert.ok(
      find('listNotificationChannels').includes('/docs/api/notification-channels#listNotificationChannels'),
    );
    assert.ok(find('quiet hours').some((id) => id.startsWith('/docs/alerts-and-channels')));
    const zipped = await fetch(dms.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(zipped.headers.get('content-encoding'), 'gzip');
    assert.deepEqual(await zipped.json(), body);
  });
});

describe('Markdown of the documentation', () => {
  const render = async (markdown: string) =>
    toText((await renderMarkdown(markdown, (target) => (target === '/docs' ? target : null))).body);

  it('shows raw HTML as text, and leaves comments out', async () => {
    const shown = await render(
      '<script>alert(1)</script>\n\nText <img src=x onerror=alert(1)>, <!-- hidden -->\n\n<!-- hidden -->',
    );
    assert.doesNotMatch(shown, /<script|<img|hidden/);
    assert.match(shown, /&lt;script&gt;alert\(1\)/);
  });

  it('escapes code, languages and descriptions of pictures', async () => {
    const shown = await render(
      '```"><b>\n</code><b>\n```\n\n`<b>` !["><b>](/x) | a |\n\n| <b> |\n|---|\n| <b> |',
    );
    assert.doesNotMatch(shown, /<b>/);
  });

  it('makes links only of targets that the site allows', async () => {
    const shown = await render(
      '[a](javascript:alert(1)) [b](//elsewhere.example) [c](data:text/html,x) ![d](http://elsewhere.example/x.png) [e](/docs)',
    );
    assert.deepEqual(shown.match(/(?:href|src)="[^"]*"/g), ['href="/docs"']);
  });

  it('numbers repeated headings as GitHub does', async () => {
    const { headings } = await renderMarkdown('# A `b_c` [d](x)\n\n## E, f & g\n\n## E, f & g', () => null);
    assert.deepEqual(
      headings.map(({ id }) => id),
      ['a-b_c-d', 'e-f--g', 'e-f--g-1'],
    );
  });
});

describe('Links between documents', () => {
  const resolve = createLinks(
    [
      { path: '', file: 'README.md', label: 'a' },
      { path: 'decisions', file: 'docs/decisions/README.md', label: 'b' },
      { path: 'contract', file: 'docs/contract.md', label: 'c' },
    ],
    { 'docs/shape.svg': '/shape' },
  );

  it('leads to the page of the document, its heading, or the file', () => {
    assert.equal(resolve('docs/contract.md', '../README.md'), '/docs');
    assert.equal(resolve('README.md', 'docs/contract.md#1-http'), '/docs/contract#1-http');
    assert.equal(resolve('docs/contract.md', '#1-http'), '/docs/contract#1-http');
    assert.equal(resolve('docs/decisions/README.md', '../contract.md'), '/docs/contract');
    assert.equal(resolve('docs/contract.md', 'decisions/'), '/docs/decisions');
    assert.equal(resolve('README.md', 'docs/shape.svg'), '/shape');
  });

  it('leads nowhere for files that are not served, other hosts, and scripts', () => {
    for (const target of [
      'deploy/nginx.conf',
      '//elsewhere.example/README.md',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///README.md',
    ])
      assert.equal(resolve('README.md', target), null, target);
  });
});

const isOfSite = (path: string) => path.startsWith('/docs') && !path.startsWith('/docs/static');

const linksIn = ({ text }: Answer): string[] =>
  [...text.matchAll(/<(?:a|img|link|script)\b[^>]*?(?:href|src)="([^"]+)"/g)].map(
    ([, link]) => link as string,
  );
