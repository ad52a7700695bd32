/** The bounds of a channel, and when they were in force. */

import { definitionsOf } from '../alerts/alert-definition.ts';
import type { Severity } from '../devices/alert-terms.ts';
import { periodsWithin, type SettingsPeriod, type Span } from '../devices/settings.ts';

/** Cut to the span. */
export interface BoundsInForce extends Span {
  /** °C; null: no lower bound. */
  lowC: number | null;
  highC: number | null;
  severity: Severity;
}

/** Oldest first, one for each definition; unchanged bounds continue over a change of settings. */
export function boundsInForce(
  settings: readonly SettingsPeriod[],
  channel: number,
  span: Span,
): BoundsInForce[] {
  const found: BoundsInForce[] = [];
  let before: BoundsInForce[] = [];
  for (const period of periodsWithin(settings, span)) {
    const from = Math.max(period.from.getTime(), span.from);
    const to = Math.min(period.to?.getTime() ?? span.to, span.to);
    const goingOn = before.filter((each) => each.to === from);
    before = [...goingOn];
    for (const { bounds, severity } of definitionsOf(period.config ?? {}).filter(
      (each) => each.channel === channel,
    )) {
      const { lowC, highC } = bounds;
      const index = goingOn.findIndex(
        (each) => each.lowC === lowC && each.highC === highC && each.severity === severity,
      );
      const [same] = index === -1 ? [] : goingOn.splice(index, 1);
      if (same) same.to = to;
      else {
        const begun = { lowC, highC, severity, from, to };
        found.push(begun);
        before.push(begun);
      }
    }
  }
  return found;
}

/** The parts of the span without any bounds in force. */
export function withoutBounds(bounds: readonly BoundsInForce[], { from, to }: Span): Span[] {
  const free: Span[] = [];
  let at = from;
  for (const each of [...bounds].sort((a, b) => a.from - b.from)) {
    if (each.from > at) free.push({ from: at, to: Math.min(each.from, to) });
    at = Math.max(at, each.to);
  }
  if (at < to) free.push({ from: at, to });
  return free;
}
