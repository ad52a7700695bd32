/** What the form for applying a profile asks for, as the operation takes it. */
import type { Rollout } from '../config-jobs/config-job.ts';
import { invalid } from '../process/errors.ts';

/** What stands in the form when somebody chooses stages. */
export const ROLLOUT_SUGGESTED: Rollout = { firstPercent: 5, minAppliedPercent: 90, abortFailedPercent: 20 };

type Devices = { serialNumbers: string[] } | { applyToAll: true };

/** Serial numbers, by spaces, commas or lines; or the word all. */
export function toApply(form: URLSearchParams): Devices & { rollout?: Rollout } {
  const serialNumbers = form
    .getAll('devices')
    .flatMap((text) => text.split(/[\s,;]+/))
    .filter((word) => word !== '');
  const [first] = serialNumbers;
  if (first === undefined) throw invalid('Name the serial numbers of devices, or write all');
  const isAll = serialNumbers.length === 1 && first.toLowerCase() === 'all';
  const devices: Devices = isAll ? { applyToAll: true } : { serialNumbers };
  return form.get('inStages') === 'yes' ? { ...devices, rollout: toRollout(form) } : devices;
}

function toRollout(form: URLSearchParams): Rollout {
  const percent = (name: keyof Rollout) => Number(form.get(name) ?? ROLLOUT_SUGGESTED[name]);
  return {
    firstPercent: percent('firstPercent'),
    minAppliedPercent: percent('minAppliedPercent'),
    abortFailedPercent: percent('abortFailedPercent'),
  };
}
