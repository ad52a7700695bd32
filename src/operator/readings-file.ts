/** Names of files with readings. */
import type { CurveSpan } from './curve-span.ts';
import type { ShownAsset } from './shown-assets.repository.ts';

/** `<what>-<first day>-<last day>.csv` by days in UTC, in letters and digits of any script. */
export const toReadingsFile = (what: string, { from, to }: Pick<CurveSpan, 'from' | 'to'>): string =>
  `${[what, dayOf(from), dayOf(to)].join('-').replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_')}.csv`;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The first device, and the number of the others. */
export function devicesInFile([first, ...others]: readonly ShownAsset[]): string {
  const { name = 'no-device', serialNumber = name } = first ?? {};
  const more = others.length > 0 ? `-and-${others.length}-more` : '';
  return `${name === serialNumber ? name : `${name}-${serialNumber}`}${more}`;
}

/** RFC 6266: the name in ASCII stands first, for programs that know no other. */
export function asAttachment(fileName: string): Record<string, string> {
  const ascii = fileName.replace(/[^\w.-]+/g, '_');
  const whole = ascii === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return { 'Content-Disposition': `attachment; filename="${ascii}"${whole}` };
}
