import type { SET_ASIDE_WORKS } from './metrics.ts';
import type { Resources } from './resources.ts';

/** Logs and counts an item of a queue or a sweep that cannot be processed, so that the others are processed without it. */
export const onSetAside =
  ({ metrics, log }: Pick<Resources, 'metrics' | 'log'>, work: (typeof SET_ASIDE_WORKS)[number]) =>
  (item: object, err: unknown): void => {
    metrics.setAside.inc({ work });
    log.error({ err, work, ...item }, 'An item cannot be processed: it is set aside, and tried again later');
  };
