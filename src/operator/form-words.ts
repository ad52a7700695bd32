/** Descriptions and refusals of operations in the words of a form: the schemas name fields and values as JSON does. */

/** A clause about null says what an empty input says by itself. */
const CLAUSE_OF_NULL = /(^|[;.,]\s*)null\b[^.;]*[.;]?/gi;

/** Null: nothing is left to say. */
export function toHelp(description: string): string | null {
  const text = description.replace(CLAUSE_OF_NULL, '$1').trim();
  return text.replace(/[;,]$/, '').trim() || null;
}

/**
 * "lowC must be lower than highC" as "At least must be lower than At most". `labels` has the label of each
 * input by its path. Other words stay: they may be a serial number.
 */
export function faultInWords(message: string, labels: ReadonlyMap<string, string>): string {
  const byLength = [...labels].sort(([a], [b]) => b.length - a.length);
  const names = new Map(byLength.map(([path, label]) => [path.split('.').at(-1) ?? path, label]));
  const subject = byLength.find(([path]) => startsWithWord(message, toJsonPath(path)));
  const text = subject ? subject[1] + message.slice(toJsonPath(subject[0]).length) : message;
  return text
    .replace(/\bleft out\b/, 'left empty')
    .replace(
      /\b(\w+) is (true|false)\b/g,
      (_, name, value) => `${names.get(name) ?? name} is ${value === 'true' ? '' : 'not '}ticked`,
    )
    .replace(/\b[a-z]+[A-Z]\w*\b/g, (name) => names.get(name) ?? name);
}

/** `steps.0.afterMinutes` as refusals name it: "steps[0].afterMinutes". */
export const toJsonPath = (path: string): string => path.replace(/\.(\d+)/g, '[$1]');

export const startsWithWord = (text: string, word: string): boolean =>
  text.startsWith(word) && !/\w/.test(text.charAt(word.length));
