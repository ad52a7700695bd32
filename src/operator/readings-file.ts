/** Names of files with readings. */
import type { CurveSpan } from './curve-span.ts';
import type { ShownAsset } from './shown-assets.repository.ts';

/** `<what>-<first day>-<last day>.csv` by days in UTC, in characters that every file system accepts. */
export const toReadingsFile = (what: string, { from, to }: Pick<CurveSpan, 'from' | 'to'>): string =>
  `${[what, dayOf(from), dayOf(to)].join('-').replace(/[^\w.-]+/g, '_')}.csv`;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The first device, and the number of the others. */
export function devicesInFile([first, ...others]: readonly ShownAsset[]): string {
  const { name = 'no-device', serialNumber = name } = first ?? {};
  const more = others.length > 0 ? `-and-${others.length}-more` : '';
  return `${name === serialNumber ? name : `${name}-${serialNumber}`}${more}`;
}

export const asAttachment = (fileName: string): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="${fileName}"`,
});
