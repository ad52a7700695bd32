/** Versions of the form MAJOR.MINOR.PATCH. */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

export const tagOf = (version: string): string => `v${version}`;

export function isNewer(version: string, than: string): boolean {
  const [left, right] = [toNumbers(version), toNumbers(than)];
  const differing = left.findIndex((number, at) => number !== right[at]);
  return differing !== -1 && (left[differing] as number) > (right[differing] as number);
}

const toNumbers = (version: string): number[] => version.split('.').map(Number);
