/** The alert definitions of a device, and when they were in force. */
import type { SettingsPeriod } from '../devices/settings.ts';
import { type AlertDefinition, definitionsOf } from './alert-definition.ts';

export interface RulesInForce {
  /** Begin, in Unix milliseconds. */
  from: number;
  /** A definition that other settings leave unchanged keeps its `rule`, even if its position changes. */
  definitions: readonly AlertDefinition[];
  /** Seconds between two readings; null: unknown. */
  periodSeconds: number | null;
}

/** `settings` are ordered by time, oldest first. The first ones count from the beginning of time. */
export function rulesInForce(settings: readonly SettingsPeriod[]): RulesInForce[] {
  const numbered = createNumbers();
  const rules: RulesInForce[] = [nothingSince(Number.NEGATIVE_INFINITY)];
  for (const [index, { from, to, config, measurementPeriodSeconds }] of settings.entries()) {
    rules.push({
      from: from.getTime(),
      definitions: numbered(definitionsOf(config ?? {})),
      periodSeconds: measurementPeriodSeconds,
    });
    if (to !== null && settings[index + 1]?.from.getTime() !== to.getTime())
      rules.push(nothingSince(to.getTime()));
  }
  return rules;
}

const nothingSince = (from: number): RulesInForce => ({ from, definitions: [], periodSeconds: null });

/**
 * Ignores calendars of a definition, which change with the offset from UTC while the definition stays the
 * same.
 */
function createNumbers() {
  const numbers = new Map<string, number>();
  return (definitions: readonly AlertDefinition[]): AlertDefinition[] => {
    const counts = new Map<string, number>();
    return definitions.map((definition) => {
      const { channel, bounds, severity } = definition;
      const terms = JSON.stringify([channel, bounds.lowC, bounds.highC, bounds.hysteresisC, severity]);
      const count = counts.get(terms) ?? 0;
      counts.set(terms, count + 1);
      const key = `${terms} ${count}`;
      numbers.set(key, numbers.get(key) ?? numbers.size);
      return { ...definition, rule: numbers.get(key) as number };
    });
  };
}
