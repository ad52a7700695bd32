/**
 * Renders Markdown as HTML. Raw HTML in it is shown as text, comments are left out, and `resolve` decides on
 * links: a document cannot add a script or a foreign address.
 */
import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { type Html, html, rendered, toText } from '../operator/html.ts';
import { DIAGRAM_LANGUAGE } from './diagrams.ts';

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

/** The text from a heading to the next one, for the search. */
export interface Passage {
  /** Null: the whole page. */
  id: string | null;
  heading: string;
  text: string;
}

export interface Rendered {
  title: string;
  body: Html;
  headings: Heading[];
  passages: Passage[];
}

/** Null: the target is not on the site. */
type Resolve = (target: string) => string | null;

/** The file of a drawn diagram; null: none. */
type FindDiagram = (text: string) => string | null;

/** Renders section by section, and yields to other work after each. */
export async function renderMarkdown(
  markdown: string,
  resolve: Resolve,
  findDiagram: FindDiagram = () => null,
): Promise<Rendered> {
  const ids = new Map<Token, string>();
  const marked = new Marked({ renderer: rendererOf(resolve, findDiagram, ids) });
  const slugs = createSlugs();
  const tokens: Token[] = [];
  const bodies: string[] = [];
  for (const section of sectionsOf(markdown)) {
    const lexed = marked.lexer(section);
    marked.walkTokens(lexed, (token) => {
      if (token.type === 'heading') ids.set(token, slugs(plainText(token)));
    });
    tokens.push(...lexed);
    bodies.push(marked.parser(lexed));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const headings = [...ids].map(([token, id]) => ({
    depth: (token as Tokens.Heading).depth,
    text: plainText(token),
    id,
  }));
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? '',
    body: rendered(bodies.join('')),
    headings,
    passages: passagesOf(tokens, ids),
  };
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const SECTION = /^#{1,3} /;

/**
 * Each begins with a heading, except text before the first one. Links are always defined where they are used.
 */
function sectionsOf(markdown: string): string[] {
  const sections: string[][] = [[]];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    if (!isCode && SECTION.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections.map((lines) => `${lines.join('\n')}\n`);
}

function rendererOf(resolve: Resolve, findDiagram: FindDiagram, ids: Map<Token, string>): RendererObject {
  return {
    heading(token) {
      const id = ids.get(token) ?? '';
      const link = toText(html`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`);
      return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)} ${link}</h${token.depth}>\n`;
    },
    html: ({ text }) => (text.trim().startsWith('<!--') ? '' : toText(text)),
    code({ text, lang }) {
      const code = html`<pre tabindex="0" data-language="${lang}"><code>${text}</code></pre>
`;
      const drawn = lang === DIAGRAM_LANGUAGE ? findDiagram(text) : null;
      return toText(drawn === null ? code : diagram(drawn, code));
    },
    table(token) {
      const row = (cells: Tokens.TableCell[]) =>
        html`<tr>${cells.map((cell) => rendered(this.tablecell(cell)))}</tr>`;
      return toText(html`<div class="scroll" tabindex="0"><table>
<thead>${row(token.header)}</thead>
<tbody>${token.rows.map(row)}</tbody>
</table></div>
`);
    },
    link({ href, tokens }) {
      const text = rendered(this.parser.parseInline(tokens));
      const to = resolve(href);
      return toText(
        to === null
          ? html`<span class="elsewhere" title="${href}">${text}</span>`
          : html`<a href="${to}">${text}</a>`,
      );
    },
    image({ href, text }) {
      const to = resolve(href);
      return to === null ? toText(text) : toText(html`<img src="${to}" alt="${text}">`);
    },
  };
}

const diagram = (path: string, code: Html): Html => html`<figure class="diagram">
<img src="${path}" alt="Diagram, as text below">
<details><summary>The diagram as text</summary>
${code}</details></figure>
`;

function passagesOf(tokens: Token[], ids: Map<Token, string>): Passage[] {
  const passages: Passage[] = [{ id: null, heading: '', text: '' }];
  for (const token of tokens) {
    const id = ids.get(token);
    const isTitle = (token as Tokens.Heading).depth === 1;
    if (id !== undefined && !isTitle) passages.push({ id, heading: plainText(token), text: '' });
    else if (id === undefined) (passages.at(-1) as Passage).text += `${plainText(token)} `;
  }
  return passages;
}

/** The visible text, without markup. */
function plainText(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flat().map(inline).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(blocks).join(' ');
  if (token.type === 'blockquote') return blocks(token as Tokens.Blockquote);
  const nested = (token as { tokens?: Token[] }).tokens;
  if (nested) return nested.map(plainText).join('');
  return 'text' in token ? String(token.text) : '';
}

const inline = ({ tokens }: { tokens: Token[] }) => tokens.map(plainText).join('');
const blocks = ({ tokens }: { tokens: Token[] }) => tokens.map(plainText).join(' ');

/** Anchors of headings in the form of GitHub, so that a link works on both: repetitions get a number. */
export function createSlugs(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
