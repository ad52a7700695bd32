/**
 * HTML as values. What is put into a template is escaped, whatever it is, unless a template made it: so text from outside
 * can be no markup. Values of attributes stand in double quotes, which `html` checks.
 */
const MADE_HERE = Symbol('html');

export interface Html {
  readonly [MADE_HERE]: string;
}

/** Nothing is shown of `null`, `undefined` and `false`. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  const text = parts.map((part, index) => {
    if (index < values.length && endsInOpenAttribute(part)) throw new Error(`Quote the attribute: ${part}`);
    return part + toText(values[index]);
  });
  return { [MADE_HERE]: text.join('') };
}

/** `<a href=`: the value would not be quoted. */
const endsInOpenAttribute = (part: string) =>
  /=\s*$/.test(part) && part.lastIndexOf('<') > part.lastIndexOf('>');

export const isHtml = (value: unknown): value is Html =>
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
