/**
 * HTML as values. Everything that is put into a template is escaped unless a template made it, so text from
 * outside can be no markup. Values of attributes are in double quotes, which `html` checks.
 */
const MADE_HERE = Symbol('html');

export interface Html {
  readonly [MADE_HERE]: string;
}

/** `null`, `undefined` and `false` show nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  if (!checked.has(parts)) checkQuotes(parts);
  const text = parts.map((part, index) => part + toText(values[index]));
  return { [MADE_HERE]: text.join('') };
}

/** A template is the same object each time that it is filled. */
const checked = new WeakSet<TemplateStringsArray>();

function checkQuotes(parts: TemplateStringsArray): void {
  let before = '';
  for (const part of parts.slice(0, -1)) {
    before += part;
    if (endsInOpenAttribute(before)) throw new Error(`Quote the attribute: ${part}`);
  }
  checked.add(parts);
}

/** `<a href=`: the value would not be quoted. */
function endsInOpenAttribute(text: string): boolean {
  const tag = text.slice(text.lastIndexOf('<'));
  return /=\s*$/.test(tag) && !tag.includes('>') && tag.split('"').length % 2 === 1;
}

/** Only for markup by a renderer of the service, which has already escaped foreign text. */
export const rendered = (markup: string): Html => ({ [MADE_HERE]: markup });

const isHtml = (value: unknown): value is Html =>
  typeof value === 'object' && value !== null && MADE_HERE in value;

export function toText(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (isHtml(content)) return content[MADE_HERE];
  if (Array.isArray(content)) return content.map(toText).join('');
  return escaped(String(content));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
