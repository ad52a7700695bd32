/**
 * Readings as stored, many to a row. All readings of a block share channel, type, lateness and UTC day; a day
 * bounds the reads of a query by time. Nothing is lost: a block holds the original numbers and times.
 */

import type { ClassifiedReading, Reading, StoredReading } from '../devices/reading.ts';
import { DAY_MS } from '../process/durations.ts';
import type { Frame } from './frame.ts';

export interface ReadingBlock {
  channel: number;
  type: number;
  late: boolean;
  /** Times are Unix milliseconds. */
  firstAt: number;
  lastAt: number;
  receivedAt: number;
  /** Decimal places of the steps. */
  scale: number;
  /** Values times 10^scale; null where the sensor failed. Null as a whole: see `numbers`. */
  steps: Array<number | null> | null;
  /** The values, if steps cannot hold them. */
  numbers: Array<number | null> | null;
  /** Null without any error. */
  errors: Array<number | null> | null;
  /** Time between two readings, as given in the frame; null: not given. */
  periodSeconds: number | null;
  /** Times after `firstAt`; null if they are evenly spaced. */
  offsetsMs: number[] | null;
  /**
   * Numbers of consecutive readings that arrived together, with their delay after `receivedAt`; null if all
   * arrived then.
   */
  runLengths: number[] | null;
  runDelaysMs: number[] | null;
}

export const startOfDay = (atMs: number): number => Math.floor(atMs / DAY_MS) * DAY_MS;

/** The largest values of a smallint and an integer of PostgreSQL. */
const STEP_MAX = 32_767;
const DELAY_SPAN_MS = 2 ** 31;
const SCALE_MAX = 3;

/** As few blocks as the readings allow. */
export const toBlocks = (readings: readonly StoredReading[]): ReadingBlock[] =>
  groupReadings(readings, {
    arrivalOf: ({ receivedAt }) => receivedAt.getTime(),
    periodOf: ({ periodSeconds }) => periodSeconds,
  }).map((group) => ({
    ...toBlock(group),
    periodSeconds: group[0]?.periodSeconds ?? null,
    ...toArrivals(group),
  }));

/** The same for readings that arrived together. */
export const toBlocksOfFrame = (
  readings: readonly ClassifiedReading[],
  { receivedAt, measurementPeriodSeconds }: Pick<Frame, 'receivedAt' | 'measurementPeriodSeconds'>,
): ReadingBlock[] =>
  groupReadings(readings, { arrivalOf: () => 0, periodOf: () => measurementPeriodSeconds }).map((group) => ({
    ...toBlock(group),
    periodSeconds: measurementPeriodSeconds,
    receivedAt: receivedAt.getTime(),
    runLengths: null,
    runDelaysMs: null,
  }));

interface Group<Each> extends Pick<ReadingBlock, 'channel' | 'type' | 'late' | 'periodSeconds'> {
  day: number;
  /** Readings that arrived weeks apart are kept apart, so that delays fit their column. */
  arrival: number;
  readings: Each[];
}

interface GroupedBy<Each> {
  arrivalOf(reading: Each): number;
  periodOf(reading: Each): number | null;
}

/**
 * Each group in the order of its times. Readings mostly come in order, so the last group is nearly always the
 * right one.
 */
function groupReadings<Each extends ClassifiedReading>(
  readings: readonly Each[],
  { arrivalOf, periodOf }: GroupedBy<Each>,
): Each[][] {
  const groups: Group<Each>[] = [];
  let last: Group<Each> | undefined;
  for (const reading of readings) {
    const { channel, type, late } = reading;
    const day = startOfDay(reading.measuredAt.getTime());
    const arrival = Math.floor(arrivalOf(reading) / DELAY_SPAN_MS);
    const periodSeconds = periodOf(reading);
    const belongs = (group: Group<Each>) =>
      group.day === day &&
      group.channel === channel &&
      group.type === type &&
      group.late === late &&
      group.arrival === arrival &&
      group.periodSeconds === periodSeconds;
    if (!last || !belongs(last)) last = groups.find(belongs);
    if (!last) {
      last = { channel, type, late, day, arrival, periodSeconds, readings: [] };
      groups.push(last);
    }
    last.readings.push(reading);
  }
  return groups.map((group) => (isInOrder(group.readings) ? group.readings : group.readings.sort(byTime)));
}

const byTime = (a: Reading, b: Reading) => a.measuredAt.getTime() - b.measuredAt.getTime();

function isInOrder(readings: Reading[]): boolean {
  for (let index = 1; index < readings.length; index++) {
    if (byTime(readings[index - 1] as Reading, readings[index] as Reading) > 0) return false;
  }
  return true;
}

/** A block from readings in the order of their times. */
function toBlock(readings: ClassifiedReading[]) {
  const { channel, type, late } = readings[0] as ClassifiedReading;
  const times = readings.map(({ measuredAt }) => measuredAt.getTime());
  const firstAt = times[0] as number;
  const { scale, steps, numbers } = toValues(readings.map(({ value }) => value));
  return {
    channel,
    type,
    late,
    firstAt,
    lastAt: times.at(-1) as number,
    scale,
    steps,
    numbers,
    errors: readings.some(({ error }) => error !== null) ? readings.map(({ error }) => error) : null,
    offsetsMs: isEvenlySpaced(times) ? null : times.map((at) => at - firstAt),
  };
}

function isEvenlySpaced(times: number[]): boolean {
  const [first = 0, second = first] = times;
  return times.every((at, index) => at === first + index * (second - first));
}

type Values = Pick<ReadingBlock, 'scale' | 'steps' | 'numbers'>;

function toValues(values: Array<number | null>): Values {
  for (let scale = 0; scale <= SCALE_MAX; scale++) {
    const factor = 10 ** scale;
    if (values.every((value) => value === null || isExact(value, factor))) {
      return { scale, numbers: null, steps: values.map((value) => value && Math.round(value * factor)) };
    }
  }
  return { scale: 0, steps: null, numbers: values };
}

/** Whether the step gives back exactly the same number. */
function isExact(value: number, factor: number): boolean {
  const step = Math.round(value * factor);
  return step <= STEP_MAX && step >= -STEP_MAX && step / factor === value;
}

type Arrivals = Pick<ReadingBlock, 'receivedAt' | 'runLengths' | 'runDelaysMs'>;

function toArrivals(readings: StoredReading[]): Arrivals {
  const runs: Array<{ at: number; length: number }> = [];
  for (const { receivedAt } of readings) {
    const run = runs.at(-1);
    if (run?.at === receivedAt.getTime()) run.length++;
    else runs.push({ at: receivedAt.getTime(), length: 1 });
  }
  const receivedAt = runs.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  if (runs.length === 1) return { receivedAt, runLengths: null, runDelaysMs: null };
  return {
    receivedAt,
    runLengths: runs.map(({ length }) => length),
    runDelaysMs: runs.map(({ at }) => at - receivedAt),
  };
}

/** The columns of a block that give the values and times of its readings. */
export type SampleBlock = Pick<
  ReadingBlock,
  'channel' | 'type' | 'firstAt' | 'lastAt' | 'scale' | 'steps' | 'numbers' | 'offsetsMs'
>;

export const countSamples = ({ steps, numbers }: Pick<ReadingBlock, 'steps' | 'numbers'>): number =>
  (steps ?? numbers ?? []).length;

export const countReadings = (blocks: ReadonlyArray<Pick<ReadingBlock, 'steps' | 'numbers'>>): number =>
  blocks.reduce((sum, block) => sum + countSamples(block), 0);

/** The times of the readings, in order. */
function timesOfBlock({
  firstAt,
  lastAt,
  count,
  offsetsMs,
}: Pick<ReadingBlock, 'firstAt' | 'lastAt' | 'offsetsMs'> & { count: number }): number[] {
  if (offsetsMs) return offsetsMs.map((offset) => firstAt + offset);
  const period = count > 1 ? (lastAt - firstAt) / (count - 1) : 0;
  return Array.from({ length: count }, (_, index) => firstAt + index * period);
}

/** Matching readings by time, oldest first. */
export function toReadings(
  block: ReadingBlock,
  passes: (atMs: number) => boolean = () => true,
): StoredReading[] {
  const { channel, type, late, errors, periodSeconds } = block;
  const values = valuesOfBlock(block);
  const times = timesOfBlock({ ...block, count: values.length });
  const arrivals = arrivalsOfBlock(block, values.length);
  const readings: StoredReading[] = [];
  for (let index = 0; index < times.length; index++) {
    const at = times[index] as number;
    if (!passes(at)) continue;
    readings.push({
      channel,
      type,
      value: values[index] ?? null,
      error: errors?.[index] ?? null,
      late,
      measuredAt: new Date(at),
      receivedAt: new Date(arrivals[index] as number),
      periodSeconds,
    });
  }
  return readings;
}

/** In the order of the times; null where the sensor failed. */
function valuesOfBlock({
  scale,
  steps,
  numbers,
}: Pick<ReadingBlock, 'scale' | 'steps' | 'numbers'>): Array<number | null> {
  if (!steps) return numbers ?? [];
  const factor = 10 ** scale;
  return steps.map((step) => step && step / factor);
}

function arrivalsOfBlock({ receivedAt, runLengths, runDelaysMs }: ReadingBlock, count: number): number[] {
  if (!runLengths || !runDelaysMs) return Array<number>(count).fill(receivedAt);
  return runLengths.flatMap((length, run) =>
    Array<number>(length).fill(receivedAt + (runDelaysMs[run] as number)),
  );
}
