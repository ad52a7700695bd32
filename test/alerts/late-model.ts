/**
 * The second implementation of excursions: reading by reading, with a look back for the delay. Times are
 * minutes.
 */
import { type InForce, isActive, type LateAlert, type Sample } from './late-device.ts';

export function expectedExcursions(sent: readonly Sample[], settings: readonly InForce[]): LateAlert[] {
  const samples = sent.toSorted((a, b) => a.minute - b.minute);
  return (['high_temp', 'low_temp'] as const)
    .flatMap((type) =>
      excursionsOf(
        type,
        samples,
        settings.toSorted((a, b) => a.from - b.from),
      ),
    )
    .sort((a, b) => a.from - b.from || a.type.localeCompare(b.type));
}

type Type = LateAlert['type'];

function excursionsOf(type: Type, samples: readonly Sample[], settings: readonly InForce[]): LateAlert[] {
  const sign = type === 'high_temp' ? 1 : -1;
  const boundOf = (rules: InForce['rules']) => (type === 'high_temp' ? rules?.highC : rules?.lowC) ?? null;
  const settingsAt = (minute: number) => settings.findLast(({ from }) => from <= minute);
  const rulesAt = (minute: number) => settingsAt(minute)?.rules ?? null;
  const termsOf = (rules: InForce['rules']) =>
    rules && JSON.stringify([rules.lowC, rules.highC, rules.hysteresisC]);
  const isBreach = ({ minute, value }: Sample) => {
    const bound = boundOf(rulesAt(minute));
    return bound !== null && value !== null && sign * (value - bound) > 1e-6;
  };
  /** When other terms came into force between two moments. */
  const changeBetween = (from: number, to: number) =>
    settings.find(
      (each) => each.from > from && each.from <= to && termsOf(each.rules) !== termsOf(rulesAt(from)),
    )?.from ?? null;
  function follows(before: Sample, after: Sample): boolean {
    if (changeBetween(before.minute, after.minute) !== null) return false;
    if (!isActive(rulesAt(before.minute), before.minute)) return false;
    const periods = [before, after].map(({ minute }) => settingsAt(minute)?.periodMinutes ?? 0);
    const period = Math.max(...periods);
    if (period > 0 && after.minute - before.minute > 2 * period) return false;
    for (let minute = before.minute; minute <= after.minute; minute++)
      if (!isActive(rulesAt(after.minute), minute)) return false;
    return true;
  }
  function beginningOf(index: number): Sample {
    let first = samples[index] as Sample;
    for (let at = index; at > 0; at--) {
      const [before, after] = [samples[at - 1] as Sample, samples[at] as Sample];
      if (!follows(before, after) || (before.value !== null && !isBreach(before))) break;
      if (before.value !== null) first = before;
    }
    return first;
  }

  const found: LateAlert[] = [];
  let open: LateAlert | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const close = (minute: number) => {
    if (open) found.push({ ...open, to: minute });
    open = null;
  };
  for (const [index, sample] of samples.entries()) {
    const { minute, value } = sample;
    const changedAt = open ? changeBetween(last, minute) : null;
    if (changedAt !== null) close(changedAt);
    last = minute;
    const rules = rulesAt(minute);
    if (!rules) continue;
    if (!isActive(rules, minute)) {
      if (value !== null) close(minute);
      continue;
    }
    if (value === null) continue;
    const bound = boundOf(rules);
    if (bound === null) continue;
    if (open && sign * (value - bound) <= -rules.hysteresisC + 1e-6) close(minute);
    const first: Sample | null = isBreach(sample) && !open ? beginningOf(index) : null;
    if (first && minute - first.minute >= (rules.delayMinutes ?? 0))
      open = {
        type,
        from: first.minute,
        to: minute,
        extreme: [first.minute, first.value as number],
        value: first.value as number,
      };
    if (open) {
      const { from } = open as LateAlert;
      open = {
        ...(open as LateAlert),
        to: minute,
        extreme: extremeOf(
          samples.filter((each) => each.minute >= from && each.minute <= minute && isBreach(each)),
        ),
      };
    }
  }
  if (open) close(changeBetween(last, Number.POSITIVE_INFINITY) ?? (open as LateAlert).to);
  return found;

  function extremeOf(breaches: Sample[]): [number, number] {
    const values = breaches.map(({ value }) => sign * (value as number));
    const at = values.indexOf(Math.max(...values));
    return [breaches[at]?.minute as number, breaches[at]?.value as number];
  }
}
