/**
 * The alerts and the dashboard for operators. test/faults/processes.test.ts checks that their metrics exist.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openResources } from '../../src/compose/resources.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { sweepsOf } from '../../src/compose/sweeps.ts';
import { readSettings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { queriedMetrics, readDocument } from '../support/metrics.ts';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));
/** From the Debian package `prometheus`. */
const PROMTOOL = process.env.PROMTOOL_PATH ?? 'promtool';

const hasPromtool = () =>
  run(PROMTOOL, ['--version']).then(
    () => true,
    () => false,
  );

describe('The alerts', () => {
  const text = readDocument('deploy/prometheus/alerts.yml');
  const rules = text.split(/^ {6}- alert: /m).slice(1);

  it('gives each alert a wait, a severity, a description, and a link to its remedy', () => {
    assert.ok(rules.length >= 10, `${rules.length} alerts`);
    for (const rule of rules)
      assert.match(
        rule,
        /^Dms\w+\n +expr: [\s\S]+\n +for: \d+[mh]\n +labels: \{ severity: (critical|warning) \}\n +annotations:\n +summary: .+\n +runbook: docs/,
      );
  });

  it('expects each sweep at most as often as it takes place', async () => {
    const settings = readSettings({
      DATABASE_URL: 'postgres://nowhere',
      TEMPORAL_ADDRESS: 'nowhere:1',
      SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
    });
    const resources = openResources({ settings, log: createLog('silent') });
    const rule = rules.find((each) => each.startsWith('DmsSweepsStopped')) ?? '';
    const [often = 0, seldom = 0] = [...rule.matchAll(/> (\d+)$/gm)].map(([, seconds]) => Number(seconds));
    const slow = /sweep=~"([^"]+)"/.exec(rule)?.[1]?.split('|') ?? [];
    for (const { name, intervalMs } of sweepsOf(resources, composeSlices(resources)))
      assert.ok(intervalMs < 1000 * (slow.includes(name) ? seldom : often), `${name}: ${intervalMs} ms`);
    await resources.sql.destroy();
    await resources.temporal.close();
  });

  it('finds a section for each alert in the document for operators, and no others', () => {
    const linked = [...text.matchAll(/runbook: docs\/operating\.md#(\w+)$/gm)].map(([, anchor]) => anchor);
    const headings = [...readDocument('docs/operating.md').matchAll(/^### (Dms\w+)$/gm)];
    const names = rules.map((rule) => rule.split('\n')[0]?.toLowerCase());
    assert.deepEqual(linked, names);
    assert.deepEqual(headings.map(([, heading]) => heading?.toLowerCase()).sort(), names.sort());
  });

  it('fires each in a case of alerts.test.yml', () => {
    const cases = readDocument('deploy/prometheus/alerts.test.yml');
    const fired = [...cases.matchAll(/^ +alertname: (\w+)\n +exp_alerts:/gm)].map(([, name]) => name);
    assert.deepEqual(
      rules.map((rule) => rule.split('\n')[0]).filter((name) => !fired.includes(name)),
      [],
    );
  });

  it('defines valid rules for Prometheus, which fire when they have to (needs promtool, else skipped)', async function () {
    if (!(await hasPromtool())) {
      console.log(
        '      promtool is not installed (Debian package prometheus): the rules are not checked by it',
      );
      this.skip();
    }
    await run(PROMTOOL, ['check', 'rules', 'alerts.yml'], { cwd: FOLDER });
    await run(PROMTOOL, ['test', 'rules', 'alerts.test.yml'], { cwd: FOLDER });
  });
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: as Grafana writes variables
const CHOSEN = '${datasource}';

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource?: { uid: string };
  targets?: Array<{ expr: string }>;
}

describe('The dashboard', () => {
  const files = readdirSync(fileURLToPath(new URL('../../deploy/grafana/', import.meta.url)));
  const dashboards = files.map((file) => JSON.parse(readDocument(`deploy/grafana/${file}`)));
  const panels: Panel[] = dashboards.flatMap(({ panels: all }) => all);

  it('queries the data source chosen by the reader, in each panel', () => {
    for (const { templating } of dashboards)
      assert.ok(
        templating.list.some(
          ({ name, type }: { name: string; type: string }) => name === 'datasource' && type === 'datasource',
        ),
      );
    for (const { type, title, datasource } of panels)
      if (type !== 'row') assert.equal(datasource?.uid, CHOSEN, title);
  });

  it('queries the installation chosen by the reader alone, in each panel', () => {
    const installations = 'label_values(dms_process_info, job)';
    const variables: Array<{ definition?: string }> = dashboards.flatMap(({ templating }) => templating.list);
    const queries = [
      ...variables.flatMap(({ definition }) => definition ?? []),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    assert.ok(queries.includes(installations));
    const selectors = queries
      .filter((query) => query !== installations)
      .flatMap((query) => query.match(/\b(?:dms|process|nodejs|temporal)_\w+(?:\{[^}]*\})?/g) ?? []);
    assert.deepEqual(
      selectors.filter((selector) => !selector.includes('{job="$job"')),
      [],
    );
  });

  it('shows every metric that an alert asks for', () => {
    const metrics = queriedMetrics();
    const shown = metrics.filter(({ path }) => path.startsWith('deploy/grafana')).map(({ name }) => name);
    assert.deepEqual(
      metrics.filter(({ name }) => !shown.includes(name)),
      [],
    );
  });

  it('contains panels with distinct ids in rows, each with a query', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.deepEqual(
      panels.filter(({ type }) => type === 'row').map(({ title }) => title),
      ['Fleet', 'Intake', 'Jobs', 'Delivery', 'Database', 'Processes'],
    );
    for (const { type, title, targets = [] } of panels)
      if (type !== 'row') assert.ok(targets.length > 0, title);
    assert.ok(queriedMetrics().some(({ path }) => path.startsWith('deploy/grafana')));
  });
});
