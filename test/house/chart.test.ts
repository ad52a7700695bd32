/** The Helm chart: Kubernetes and the Prometheus Operator accept each manifest, and each names what the image and the service have. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from '../../dev/source/imports.ts';
import { SETTING_NAMES, validateEnvironment } from '../../src/process/environment.ts';
import {
  checkByOperator,
  createManifestCheck,
  findHelm,
  hasOperatorSchemas,
  type Manifest,
  renderChart,
  schemaVersions,
} from './rendered-chart.ts';

const REQUIRED = ['--set', 'settings.TEMPORAL_ADDRESS=temporal:7233'];
/** Every value that adds a manifest or a field. */
const EVERYTHING = [
  ...REQUIRED,
  ...['--set', 'ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=tls'],
  ...['--set', 'monitoring.enabled=true,monitoring.labels.release=prometheus'],
  ...['--set', 'secrets.temporal=dms-temporal,image.pullSecrets[0].name=registry'],
  ...['--set', `image.digest=sha256:${'0'.repeat(64)},podAnnotations.team=cold-chain`],
  ...['--set', 'nodeSelector.disk=ssd,tolerations[0].operator=Exists'],
  ...['--set', 'volumes[0].name=ca,volumes[0].configMap.name=ca'],
  ...['--set', 'volumeMounts[0].name=ca,volumeMounts[0].mountPath=/ca'],
  ...['--set', 'networkPolicy.databaseTo[0].ipBlock.cidr=10.0.0.5/32'],
  ...['--set', 'networkPolicy.apiFrom[0].podSelector.matchLabels.app=ingress'],
];
const SECRETS = {
  DATABASE_URL: 'postgres://dms_service@postgres/dms',
  SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
};
const PROCESSES = ['api', 'gateway', 'worker'];
const JOBS = ['migrate', 'temporal-setup'];

const readYaml = (path: string): Manifest => load(readFileSync(join(ROOT, path), 'utf8'));

describe('The chart (needs helm, else skipped)', () => {
  let everything: Manifest[];
  let smallest: Manifest[];

  const ofKind = (kind: string) => everything.filter((each) => each.kind === kind);
  const pods = () => [...ofKind('Deployment'), ...ofKind('Job')].map(({ spec }) => spec.template);
  const podOf = (component: string) =>
    pods().find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component);
  const containerOf = (component: string) => podOf(component).spec.containers[0];
  const secretsOf = (component: string) =>
    (containerOf(component).envFrom ?? []).map((each: Manifest) => each.secretRef.name);
  const selects = (labels: Record<string, string>, pod: Manifest) =>
    Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value);

  before(async function () {
    if (!findHelm()) this.skip();
    [everything, smallest] = await Promise.all([renderChart(EVERYTHING), renderChart(REQUIRED)]);
  });

  it('renders manifests that the oldest and the newest Kubernetes accept', function () {
    const versions = schemaVersions();
    if (versions.length === 0) this.skip();
    for (const version of versions) {
      const check = createManifestCheck(version);
      const manifests = [...everything, ...smallest].filter(({ apiVersion }) => !/coreos/.test(apiVersion));
      assert.deepEqual([version, manifests.flatMap(check)], [version, []]);
      assert.deepEqual(check({ apiVersion: 'v1', kind: 'Service', spec: { port: 1 } }).length, 1);
    }
  });

  it('renders a monitor and rules that the Prometheus Operator accepts', function () {
    if (!hasOperatorSchemas()) this.skip();
    const manifests = everything.filter(({ apiVersion }) => /coreos/.test(apiVersion));
    assert.deepEqual(manifests.map(({ kind }) => kind).sort(), ['PodMonitor', 'PrometheusRule']);
    assert.deepEqual(manifests.flatMap(checkByOperator), []);
    const [monitor] = ofKind('PodMonitor');
    assert.equal(checkByOperator({ ...monitor, spec: { ...monitor.spec, unknown: 1 } }).length, 1);
  });

  it('runs every pod by the restricted standard, on a read-only root and without a token of the cluster', () => {
    assert.equal(pods().length, PROCESSES.length + JOBS.length);
    for (const { spec } of pods()) {
      const { runAsNonRoot, seccompProfile } = spec.securityContext;
      assert.deepEqual([runAsNonRoot, seccompProfile.type], [true, 'RuntimeDefault']);
      assert.equal(spec.automountServiceAccountToken, false);
      for (const { securityContext } of spec.containers)
        assert.deepEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it("gives the owner's database address to the migration alone, and none to the setup of Temporal", () => {
    assert.deepEqual(secretsOf('migrate'), ['dms-migration']);
    assert.deepEqual(secretsOf('temporal-setup'), ['dms-temporal']);
    for (const process of PROCESSES) assert.deepEqual(secretsOf(process), ['dms-processes', 'dms-temporal']);
  });

  it('brings schema and namespace up to date before the processes of a release start', () => {
    const hooks = ofKind('Job').map(({ metadata }) => [
      metadata.labels['app.kubernetes.io/component'],
      metadata.annotations['helm.sh/hook'],
    ]);
    assert.deepEqual(
      hooks.sort(),
      JOBS.map((job) => [job, 'pre-install,pre-upgrade']),
    );
  });

  it('runs the commands of the compose file', () => {
    const { services } = readYaml('docker-compose.yml');
    for (const component of [...PROCESSES, ...JOBS])
      assert.deepEqual(containerOf(component).command, services[component].command, component);
  });

  it('sets only variables that the service reads, to values that it takes', () => {
    for (const process of PROCESSES) {
      const { env } = containerOf(process);
      const values = Object.fromEntries(env.map(({ name, value }: Manifest) => [name, value]));
      assert.deepEqual(
        Object.keys(values).filter((name) => !SETTING_NAMES.includes(name)),
        [],
      );
      validateEnvironment({ ...SECRETS, ...values }, ['DATABASE_URL', 'SECRETS_KEYS', 'TEMPORAL_ADDRESS']);
      const metrics = containerOf(process).ports.find(({ name }: Manifest) => name === 'metrics');
      assert.equal(values.METRICS_PORT, String(metrics.containerPort));
    }
  });

  it('stops no process before it has finished what is under way', () => {
    const { LAME_DUCK_SECONDS } = validateEnvironment({});
    for (const process of PROCESSES)
      assert.ok(podOf(process).spec.terminationGracePeriodSeconds > LAME_DUCK_SECONDS + 9.5);
  });

  it('probes, serves and monitors ports that the pods have', () => {
    const portsOf = (pod: Manifest) => pod.spec.containers[0].ports.map(({ name }: Manifest) => name);
    for (const process of PROCESSES) {
      const { readinessProbe, livenessProbe } = containerOf(process);
      for (const { httpGet } of [readinessProbe, livenessProbe])
        assert.ok(portsOf(podOf(process)).includes(httpGet.port));
    }
    for (const { spec } of ofKind('Service')) {
      const [pod, ...others] = pods().filter((each) => selects(spec.selector, each));
      assert.equal(others.length, 0);
      for (const { targetPort } of spec.ports) assert.ok(portsOf(pod).includes(targetPort));
    }
    const [{ spec }] = ofKind('PodMonitor');
    const monitored = pods().filter((pod) => selects(spec.selector.matchLabels, pod));
    for (const process of PROCESSES) assert.ok(monitored.includes(podOf(process)));
    for (const { port } of spec.podMetricsEndpoints) assert.ok(portsOf(podOf('worker')).includes(port));
  });

  it('limits the disruption of each kind of process', () => {
    const selectors = ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels);
    for (const process of PROCESSES)
      assert.equal(selectors.filter((labels) => selects(labels, podOf(process))).length, 1, process);
  });

  it('limits what each pod reaches, and who reaches it', () => {
    const policyOf = (component: string) => {
      const policies = ofKind('NetworkPolicy').map(({ spec }) => spec);
      const [policy, ...others] = policies.filter(({ podSelector }) =>
        selects(podSelector.matchLabels, podOf(component)),
      );
      assert.equal(others.length, 0);
      assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress']);
      return policy;
    };
    const entries = (component: string) =>
      policyOf(component).ingress.flatMap(({ ports }: Manifest) => ports.map(({ port }: Manifest) => port));
    const exits = (component: string) =>
      policyOf(component).egress.map(({ ports }: Manifest) => ports?.[0].port ?? 'public');
    assert.deepEqual(
      [...PROCESSES, ...JOBS].map((component) => [component, entries(component), exits(component)]),
      [
        ['api', [8080, 9464], [53, 5432, 7233, 'public']],
        ['gateway', [5683, 9464], [53, 5432, 7233]],
        ['worker', [9464], [53, 5432, 7233, 'public']],
        ['migrate', [], [53, 5432]],
        ['temporal-setup', [], [53, 7233]],
      ],
    );
    const [, , , { to }] = policyOf('worker').egress;
    assert.ok(to[0].ipBlock.except.includes('10.0.0.0/8'));
  });

  it('keeps the address of loggers at the gateway', () => {
    const { spec } = ofKind('Service').find(({ metadata }) => metadata.name === 'dms-gateway');
    assert.deepEqual([spec.externalTrafficPolicy, spec.sessionAffinity], ['Local', 'ClientIP']);
  });

  it('loads the alerts of Prometheus as they are', () => {
    const [{ spec }] = ofKind('PrometheusRule');
    assert.deepEqual(spec, readYaml('deploy/prometheus/alerts.yml'));
  });

  it('names the version of the service', () => {
    const { version, appVersion } = readYaml('deploy/chart/Chart.yaml');
    const service = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
    assert.deepEqual([version, appVersion], [service, service]);
    assert.match(containerOf('api').image, new RegExp(`^device-monitoring-service:${service}@sha256:0{64}$`));
  });

  it('installs by the command of docs/kubernetes.md', async () => {
    const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
    const [, options = ''] = /^helm upgrade --install dms deploy\/chart --wait --timeout 10m (.*)/m.exec(
      page.replaceAll(/\\\n +/g, ''),
    ) as RegExpExecArray;
    const rendered = await renderChart(options.replaceAll("'", '').split(' '));
    const ingress = rendered.find(({ kind }) => kind === 'Ingress');
    assert.deepEqual(ingress?.metadata.annotations, {
      'nginx.ingress.kubernetes.io/proxy-body-size': '11m',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
    });
  });

  for (const [what, value, reason] of [
    ['a secret among the settings', 'settings.SECRETS_KEYS=1:AA', /SECRETS_KEYS/],
    ['a port that the pods would not open', 'settings.METRICS_PORT=1', /METRICS_PORT/],
    ['a value that does not exist', 'networkPolicy.enable=false', /enable/],
    ['an address of Temporal without a port', 'settings.TEMPORAL_ADDRESS=temporal', /TEMPORAL_ADDRESS/],
  ] as const)
    it(`refuses ${what}`, async () => {
      await assert.rejects(renderChart([...REQUIRED, '--set-string', value]), reason);
    });
});
