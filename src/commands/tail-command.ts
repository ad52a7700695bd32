/** New readings of a device as they arrive, with a curve of the latest ones. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, each, type Result } from '../../client/src/index.ts';
import { TIMER_MS_MAX } from '../process/durations.ts';
import { byApi } from './api.ts';
import { type Command, type CommandInput, option, print, required, UsageError } from './command.ts';
import { take } from './operation-answers.ts';

type Reading = Extract<Result<'listMeasurements'>['items'][number], { value: number | null }>;

const SHOWN_FIRST = 20;
const PAGE_MAX = 500;
const CURVE_WIDTH = 40;
const EVERY_DEFAULT = '5';

export const tailCommand: Command = {
  words: ['tail'],
  args: 'SERIAL [--every 5] [--count N]',
  summary: 'print the last readings of a device and then each newer one, with a curve',
  details: 'Looks every 5 seconds. Ends with Ctrl-C, or after --count readings.',
  ...byApi(async ({ dms }, input) => {
    const { assetId } = await dms.getDeviceConfig({ serial: required(input, 0, 'SERIAL') });
    const everyMs = Math.min(numberOf(input, 'every', EVERY_DEFAULT) * 1_000, TIMER_MS_MAX);
    const countMax = numberOf(input, 'count', 'Infinity');
    const curves = new Map<number, Array<number | null>>();
    let printed = 0;
    for await (const reading of follow(dms, assetId, everyMs)) {
      const curve = [...(curves.get(reading.channel) ?? []), reading.value].slice(-CURVE_WIDTH);
      curves.set(reading.channel, curve);
      print(input.isJson ? JSON.stringify(reading) : lineOf(reading, curve));
      if (++printed >= countMax) return undefined;
    }
    return undefined;
  }),
};

function numberOf(input: CommandInput, name: string, otherwise: string): number {
  const value = Number(option(input, name) ?? otherwise);
  if (!(value > 0)) throw new UsageError(`--${name} must be a number above 0`);
  return value;
}

/** Oldest first. Looks back over the last few readings, and to when they arrived: a fast clock may have dated them ahead. */
async function* follow(dms: Client, assetId: string, everyMs: number): AsyncGenerator<Reading> {
  let { items } = await dms.listMeasurements({ assetId, limit: SHOWN_FIRST });
  let from = '';
  let seen = new Set<string>();
  for (;;) {
    const readings = (items as Reading[]).toReversed();
    yield* readings.filter((reading) => reading.measuredAt > from && !seen.has(keyOf(reading)));
    const last = readings
      .slice(-SHOWN_FIRST)
      .flatMap(({ measuredAt, receivedAt }) => [measuredAt, receivedAt]);
    // Of that time there may be other readings, which were not shown.
    from = (readings.length >= SHOWN_FIRST && last.sort()[0]) || '';
    seen = new Set(readings.map(keyOf));
    await delay(everyMs);
    const later = { assetId, limit: PAGE_MAX, ...(from !== '' && { from }) };
    items = await take(each(dms.listMeasurements, later), Number.POSITIVE_INFINITY);
  }
}

/** Channels of one frame share their time, and may arrive in two frames. */
const keyOf = ({ measuredAt, channel }: Reading): string => `${measuredAt} ${channel}`;

function lineOf(
  { measuredAt, channel, position, value, unit, late }: Reading,
  curve: Array<number | null>,
): string {
  const where = position === null ? `channel ${channel}` : `${channel} ${position}`;
  const shown = value === null ? 'sensor error' : `${value} ${unit}`;
  return `${measuredAt}  ${where.padEnd(10)}  ${shown.padStart(12)}  ${curveOf(curve)}${late ? '  (late)' : ''}`;
}

const STEPS = [...'▁▂▃▄▅▆▇█'];

/** Draws a character for each value, from the lowest to the highest; a space for a missing one. */
function curveOf(values: Array<number | null>): string {
  const numbers = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const stepOf = (value: number) =>
    high === low
      ? STEPS[0]
      : STEPS[Math.min(STEPS.length - 1, Math.floor(((value - low) / (high - low)) * STEPS.length))];
  return values.map((value) => (value === null ? ' ' : stepOf(value))).join('');
}
