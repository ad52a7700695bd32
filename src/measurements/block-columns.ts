/**
 * The columns of measurement_blocks, as bindings of an insert, and as selected by statements; and the place of blocks in its
 * key: fresh ones hour by hour, others by how long they are. An hour that many loggers share is few pages of the index, so
 * their frames change few pages.
 */
import { toArrayText } from '../db/array-text.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { HOUR_MS } from '../process/durations.ts';
import type { ReadingBlock, SampleBlock } from './reading-block.ts';

export interface AssetBlock extends AssetRef {
  block: ReadingBlock;
  /** Null if the block is not fresh. */
  freshHour: number | null;
}

export const BLOCK_COLUMNS = `organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late,
  steps, numbers, errors, offsets_ms, run_lengths, run_delays_ms, period_seconds, fresh_hour`;

/** Rows to insert, by `blockBindings`. Arrays of different lengths cannot be elements of one, except as text. */
export const SELECT_BLOCKS = `select organization_id, asset_id, first_at, last_at, received_at, channel, type, scale,
    late, steps::smallint[], numbers::double precision[], errors::integer[], offsets_ms::integer[],
    run_lengths::smallint[], run_delays_ms::integer[], period_seconds, fresh_hour
  from unnest(:blockOrganizationIds::uuid[], :blockAssetIds::uuid[], :firstAt::timestamptz[], :lastAt::timestamptz[],
      :receivedAt::timestamptz[], :channels::smallint[], :types::smallint[], :scales::smallint[], :areLate::boolean[],
      :steps::text[], :numbers::text[], :errors::text[], :offsetsMs::text[], :runLengths::text[],
      :runDelaysMs::text[], :periodSeconds::integer[], :freshHours::integer[])
    as b (${BLOCK_COLUMNS})`;

export const blockBindings = (blocks: AssetBlock[]) => ({
  blockOrganizationIds: toArrayText(blocks, ({ organizationId }) => organizationId),
  blockAssetIds: toArrayText(blocks, ({ assetId }) => assetId),
  firstAt: toArrayText(blocks, ({ block }) => new Date(block.firstAt).toISOString()),
  lastAt: toArrayText(blocks, ({ block }) => new Date(block.lastAt).toISOString()),
  receivedAt: toArrayText(blocks, ({ block }) => new Date(block.receivedAt).toISOString()),
  channels: toArrayText(blocks, ({ block }) => block.channel),
  types: toArrayText(blocks, ({ block }) => block.type),
  scales: toArrayText(blocks, ({ block }) => block.scale),
  areLate: toArrayText(blocks, ({ block }) => block.late),
  steps: toArrayText(blocks, ({ block }) => toElement(block.steps)),
  numbers: toArrayText(blocks, ({ block }) => toElement(block.numbers)),
  errors: toArrayText(blocks, ({ block }) => toElement(block.errors)),
  offsetsMs: toArrayText(blocks, ({ block }) => toElement(block.offsetsMs)),
  runLengths: toArrayText(blocks, ({ block }) => toElement(block.runLengths)),
  runDelaysMs: toArrayText(blocks, ({ block }) => toElement(block.runDelaysMs)),
  periodSeconds: toArrayText(blocks, ({ block }) => block.periodSeconds),
  freshHours: toArrayText(blocks, ({ freshHour }) => freshHour),
});

const toElement = (numbers: Array<number | null> | null): string | null =>
  numbers && `"${toArrayText(numbers, (number) => number)}"`;

/** Columns that `BLOCK_FIELDS` reads. */
export const STORED_COLUMNS = `first_at, last_at, received_at, channel, type, scale, late, steps, numbers, errors,
  offsets_ms, run_lengths, run_delays_ms, period_seconds`;

/**
 * Selects arrays as text, since the driver would parse them character by character, and times as
 * milliseconds.
 */
export const BLOCK_FIELDS = `extract(epoch from first_at)::float8 * 1000 as "firstAt",
  extract(epoch from last_at)::float8 * 1000 as "lastAt",
  extract(epoch from received_at)::float8 * 1000 as "receivedAt", channel, type, scale, late, steps::text, numbers::text, errors::text, offsets_ms::text as "offsetsMs",
  run_lengths::text as "runLengths", run_delays_ms::text as "runDelaysMs", period_seconds as "periodSeconds"`;

export interface BlockRow
  extends Pick<
      ReadingBlock,
      'channel' | 'type' | 'scale' | 'late' | 'firstAt' | 'lastAt' | 'receivedAt' | 'periodSeconds'
    >,
    Record<'steps' | 'numbers' | 'errors' | 'offsetsMs' | 'runLengths' | 'runDelaysMs', string | null> {}

/** Copies the fields, without other columns of the row. */
export const blockOf = (row: BlockRow): ReadingBlock => ({
  channel: row.channel,
  type: row.type,
  late: row.late,
  firstAt: Math.round(row.firstAt),
  lastAt: Math.round(row.lastAt),
  receivedAt: Math.round(row.receivedAt),
  scale: row.scale,
  steps: parseNumbers(row.steps),
  numbers: parseNumbers(row.numbers),
  errors: parseNumbers(row.errors),
  offsetsMs: parseNumbers(row.offsetsMs) as number[] | null,
  runLengths: parseNumbers(row.runLengths) as number[] | null,
  runDelaysMs: parseNumbers(row.runDelaysMs) as number[] | null,
  periodSeconds: row.periodSeconds,
});

/** `{1,NULL}` */
const parseNumbers = (text: string | null): Array<number | null> | null =>
  text === null ? null : JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`);

/**
 * The same as `SampleBlock`, with many blocks in one row, because a row costs the driver more than its
 * readings.
 */
export const SAMPLES_FIELDS = `array_agg(channel)::text as channels, array_agg(type)::text as types,
  array_agg(date_part('epoch', first_at) * 1000)::text as "firstAts",
  array_agg(date_part('epoch', last_at) * 1000)::text as "lastAts", array_agg(scale)::text as scales,
  string_agg(coalesce(steps::text, 'NULL'), ',') as steps, string_agg(coalesce(numbers::text, 'NULL'), ',') as numbers,
  string_agg(coalesce(offsets_ms::text, 'NULL'), ',') as "offsetsMs"`;

export type SamplesRow = Record<
  'channels' | 'types' | 'firstAts' | 'lastAts' | 'scales' | 'steps' | 'numbers' | 'offsetsMs',
  string | null
>;

export function samplesOf(row: SamplesRow): SampleBlock[] {
  const [types, firstAts, lastAts, scales] = [row.types, row.firstAts, row.lastAts, row.scales].map(
    numbersOf,
  );
  const [steps, numbers, offsetsMs] = [row.steps, row.numbers, row.offsetsMs].map(arraysOf);
  return numbersOf(row.channels).map((channel, index) => ({
    channel,
    type: types?.[index] as number,
    firstAt: Math.round(firstAts?.[index] as number),
    lastAt: Math.round(lastAts?.[index] as number),
    scale: scales?.[index] as number,
    steps: steps?.[index] ?? null,
    numbers: numbers?.[index] ?? null,
    offsetsMs: (offsetsMs?.[index] ?? null) as number[] | null,
  }));
}

const numbersOf = (text: string | null): number[] => (parseNumbers(text) ?? []) as number[];

/** `{1,NULL},NULL` */
const arraysOf = (text: string | null): Array<Array<number | null> | null> =>
  JSON.parse(`[${(text ?? '').replaceAll('{', '[').replaceAll('}', ']').replaceAll('NULL', 'null')}]`);

/** Hours from 1970 to the end of a fresh block; null for any other. */
export const freshHourOf = ({ late, firstAt, lastAt }: ReadingBlock): number | null =>
  !late && lastAt - firstAt <= HOUR_MS ? Math.floor(lastAt / HOUR_MS) : null;

const hourOf = (time: string) => `floor(extract(epoch from ${time}) / 3600)::integer`;

/**
 * The places of all blocks with readings between two times, and by how many minutes they may reach beyond either. A
 * device without `fresh_from` has no fresh blocks. The parameters are expressions of SQL; `from` and `to` may read the
 * state of the device as `fresh`.
 */
export const placesOf = (organization: string, asset: string, from: string, to: string): string => `(
    select minutes as place, minutes as reach from unnest('{0,1,60,1440}'::integer[]) as spans (minutes)
    union all
    select hours.place, 60 as reach from device_states fresh
    cross join generate_series(${hourOf(`greatest(fresh.fresh_from, ${from})`)},
      ${hourOf(`${to} + interval '1 hour'`)}) as hours (place)
    where fresh.organization_id = ${organization} and fresh.asset_id = ${asset} and fresh.fresh_from is not null
  ) as at`;
