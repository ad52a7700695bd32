/** What a configuration is, as the contract tells it: keys compare whole, a fill of DISABLED makes no difference. */
export type Config = Record<string, unknown>;

const isFill = (entry: { condition?: string; type?: string }) =>
  entry.condition === 'DISABLED' || entry.type === 'DISABLED';

export function trimmed(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const list = [...value];
  while (list.length > 0 && isFill(list.at(-1))) list.pop();
  return list;
}

const same = (a: unknown, b: unknown) => JSON.stringify(trimmed(a)) === JSON.stringify(trimmed(b));
export const clashes = (a: Config, b: Config) =>
  Object.keys(a).filter((key) => key in b && !same(a[key], b[key]));
export const holds = (config: Config, part: Config) =>
  Object.keys(part).every((key) => key in config && same(config[key], part[key]));
export const only = (config: Config, keep: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keep(key)));
export const nullIfEmpty = (config: Config) => (Object.keys(config).length > 0 ? config : null);
