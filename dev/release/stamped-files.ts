/** Every place in the repository that has the version. The first group of a pattern precedes it. */

const VERSION = '\\d+\\.\\d+\\.\\d+';
const after = (before: string) => new RegExp(`(${before})${VERSION}`, 'g');

interface Places {
  pattern: RegExp;
  count: number;
}

export const STAMPED_FILES: Record<string, Places> = {
  'package.json': { pattern: after('^\\{\\n  "name": "[\\w-]+",\\n  "version": "'), count: 1 },
  'package-lock.json': { pattern: after('"name": "device-monitoring-service",\\n +"version": "'), count: 2 },
  'openapi.json': { pattern: after('^\\{\\s+"openapi"[^}]*?"version": "'), count: 1 },
  'client/package.json': { pattern: after('"name": "device-monitoring-client",\\n  "version": "'), count: 1 },
  'client/python/pyproject.toml': { pattern: after('\\nversion = "'), count: 1 },
  // The chart has the version of the service that it runs.
  'deploy/chart/Chart.yaml': { pattern: after('\\n(?:version|appVersion): '), count: 2 },
  'docs/kubernetes.md': { pattern: after('/device-monitoring-service:'), count: 2 },
};

export class StampFault extends Error {}

/** The text of a stamped file with another version. */
export function stampVersion(path: string, text: string, version: string): string {
  const { pattern, count } = STAMPED_FILES[path] as Places;
  const found = text.match(pattern)?.length ?? 0;
  if (found !== count)
    throw new StampFault(`${path} must have the version ${count} times, and has it ${found} times`);
  return text.replace(pattern, `$1${version}`);
}
