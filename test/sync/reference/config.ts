/**
 * Configurations by the contract: keys compare as a whole, and DISABLED entries at the end make no
 * difference.
 */
export type Config = Record<string, unknown>;

const isDisabled = (entry: { condition?: string; type?: string }) =>
  entry.condition === 'DISABLED' || entry.type === 'DISABLED';

export function trimmed(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const list = [...value];
  while (list.length > 0 && isDisabled(list.at(-1))) list.pop();
  return list;
}

export const same = (a: unknown, b: unknown) => JSON.stringify(trimmed(a)) === JSON.stringify(trimmed(b));
/** The keys that both have, with different values. */
export const conflicts = (a: Config, b: Config) =>
  Object.keys(a).filter((key) => key in b && !same(a[key], b[key]));
const TOGETHER = [
  ['alarmRules', 'calendars'],
  ['measurementPeriodBase', 'measurementPeriodFactor'],
];
/** The keys that a change loses to a later one: rules and calendars go together, base and factor too. */
export const overwritten = (change: Config, later: Config) => {
  const differing = conflicts(change, later);
  const isLost = (key: string) =>
    differing.includes(key) ||
    TOGETHER.some((keys) => keys.includes(key) && keys.some((each) => differing.includes(each)));
  return Object.keys(change).filter((key) => key in later && isLost(key));
};
/** Whether the configuration has every key of the part, with the same value. */
export const contains = (config: Config, part: Config) =>
  Object.keys(part).every((key) => key in config && same(config[key], part[key]));
export const only = (config: Config, keep: (key: string) => boolean): Config =>
  Object.fromEntries(Object.entries(config).filter(([key]) => keep(key)));
