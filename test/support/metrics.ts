/** Metrics as named by documents, alerts and dashboards, and as shown by processes. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const readDocument = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

export interface DocumentedMetric {
  name: string;
  /** The kind of process, or `all`. */
  shownBy: string;
  labels: string[];
}

/** The table in docs/operating.md. */
export const documentedMetrics = (): DocumentedMetric[] =>
  [...readDocument('docs/operating.md').matchAll(/^\| `(dms_\w+)` \| (\w+) \|([\w, ]*)\|/gm)].map(
    ([, name = '', shownBy = '', labels = '']) => ({
      name,
      shownBy,
      labels: labels.split(',').flatMap((label) => label.trim() || []),
    }),
  );

export interface ShownMetric {
  type: string;
  /** Labels of its samples; empty while it has none. */
  labels: Set<string>;
  samples: number;
}

/** The answers of one or more processes to `/metrics`, by name. */
export function parseMetrics(text: string): Map<string, ShownMetric> {
  const shown = new Map<string, ShownMetric>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    if (!shown.has(name)) shown.set(name, { type, labels: new Set(), samples: 0 });
  for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const metric = shown.get(sample) ?? shown.get(familyOf(sample));
    if (metric) metric.samples++;
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') metric?.labels.add(label);
  }
  return shown;
}

const familyOf = (sample: string) => sample.replace(/_(bucket|count|sum)$/, '');

/** Every metric in an alert or a dashboard, by file. */
export function queriedMetrics(): Array<{ path: string; name: string }> {
  const dashboards = readdirSync(`${ROOT}deploy/grafana`).map((file) => `deploy/grafana/${file}`);
  return ['deploy/prometheus/alerts.yml', ...dashboards].flatMap((path) => {
    const names = readDocument(path).matchAll(/\b(?:dms|process|nodejs|temporal)_[a-z0-9_]+/g);
    return [...new Set([...names].map(([name]) => name))].map((name) => ({ path, name }));
  });
}

export const isShown = (shown: Map<string, ShownMetric>, name: string): boolean =>
  shown.has(name) || shown.get(familyOf(name))?.type === 'histogram';
