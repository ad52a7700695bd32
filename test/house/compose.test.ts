/** The compose file and .env.example: which settings they pass on, and how its containers are confined. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { SETTING_NAMES } from '../../src/process/environment.ts';

interface Container {
  image: string;
  environment?: Record<string, string | null>;
  mem_limit?: string;
  logging?: { options: Record<string, string> };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  ports?: string[];
}

/** Settings that the compose file does not pass on, and why. */
const NOT_PASSED: Record<string, string> = {
  DATA_DIR: 'for npm start',
  TEMPORAL_CLI_PATH: 'for npm start',
  WORKFLOW_BUNDLE: 'the image has that of its build',
  OIDC_CLIENT_SECRET_FILE: 'a file needs a volume: docker-compose.override.yml',
  DATABASE_DIRECT_URL: 'the compose file has no pooler',
  DATABASE_POOLER: 'the compose file has no pooler',
  DATABASE_REPLICA_URL: 'the compose file has no replica',
  DATABASE_REPLICA_LAG_SECONDS: 'the compose file has no replica',
  DATABASE_DISTRIBUTED: 'the compose file has no Citus',
  PDF_FONTS: 'the file of a font has to be mounted, too, by a file beside the compose file',
  TEMPORAL_NAMESPACE: 'the Temporal of the compose file serves this service alone',
  TEMPORAL_TASK_QUEUE: 'the Temporal of the compose file serves this service alone',
};

const at = (name: string) => new URL(`../../${name}`, import.meta.url);
const text = (name: string) => readFileSync(at(name), 'utf8');
const DOCUMENTS = readdirSync(at('docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
/** Variables in the form of Compose. */
const namesIn = (part: string) => [...part.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
const { services } = load(text('docker-compose.yml'), { schema: YAML11_SCHEMA }) as {
  services: Record<string, Container>;
};
const ours = Object.entries(services).filter(([, { image }]) =>
  image.startsWith('device-monitoring-service:'),
);

describe('The compose file', () => {
  it('passes every setting on to each process, but for those that it has no use for', () => {
    for (const [name, { environment = {} }] of ours) {
      const missing = SETTING_NAMES.filter(
        (setting) => !(setting in environment) && !(setting in NOT_PASSED),
      );
      assert.deepEqual(missing, [], name);
    }
    assert.deepEqual(
      Object.keys(NOT_PASSED).filter((setting) => !SETTING_NAMES.includes(setting)),
      [],
    );
  });

  it('names in .env.example every variable that it takes', () => {
    const taken = new Set(namesIn(text('docker-compose.yml')));
    const named = [...text('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(
      [...taken].filter((name) => name !== 'SERVICE_VERSION' && !named.includes(name)),
      [],
    );
  });

  it('takes from .env every documented setting but those that .env.example excepts', () => {
    const taken = new Set(namesIn(text('docker-compose.yml')));
    for (const [name, value] of Object.entries(services.api?.environment ?? {}))
      if (value === null) taken.add(name);
    const [excepted = ''] = /^# These cannot: [\s\S]*/m.exec(text('.env.example')) ?? [];
    const documented = [...text('docs/configuration.md').matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)];
    assert.deepEqual(
      [...new Set(documented.map(([, name]) => name))].filter((name) => !taken.has(name)).sort(),
      [...excepted.matchAll(/\b(?:[A-Z]+(?:_[A-Z]+)+|HOST|PORT)\b/g)].map(([name]) => name).sort(),
    );
  });

  it('takes from .env every variable of its scripts that a document names', () => {
    const scripts = readdirSync(at('deploy')).filter((name) => name.endsWith('.sh'));
    const read = scripts.flatMap((name) => namesIn(text(`deploy/${name}`)));
    const documents = DOCUMENTS.map(text).join('\n');
    const taken = namesIn(text('docker-compose.yml'));
    assert.ok(read.includes('BASE_BACKUPS_KEPT') && read.includes('BACKUPS_KEPT'));
    assert.deepEqual(
      read.filter((name) => documents.includes(`\`${name}\``) && !taken.includes(name)),
      [],
    );
  });

  it('trusts the port of a logger at its balancer for less time than the balancer keeps it', () => {
    const trust = services.gateway?.environment?.COAP_ADDRESS_TRUST_SECONDS ?? '';
    const [, trustSeconds] = /:-(\d+)\}$/.exec(trust) ?? [];
    const [, keptSeconds] = /proxy_timeout (\d+)s;/.exec(text('deploy/nginx.conf')) ?? [];
    assert.ok(Number(trustSeconds) < Number(keptSeconds), `${trustSeconds} of ${keptSeconds}`);
  });

  it('is given the number of processes by a file, because the next `up` undoes that of an option', () => {
    const [, file = ''] = /^```yaml\n(services:\n[\s\S]*?)^```$/m.exec(text('docs/operating.md')) ?? [];
    const { services: scaled } = load(file) as { services: Record<string, { scale: number }> };
    assert.deepEqual(Object.keys(scaled), ['api', 'gateway', 'worker']);
    for (const document of [...DOCUMENTS, 'deploy/nginx.conf', 'docker-compose.yml'])
      assert.doesNotMatch(text(document), /--scale\b/, document);
  });

  it('lets the superuser and the owner of the tables into no process that clients or loggers reach', () => {
    for (const [name, { environment = {} }] of ours) {
      if (name === 'migrate' || name === 'backup') continue;
      const values = Object.values(environment).join(' ');
      assert.doesNotMatch(values, /OWNER_DB_PASSWORD|POSTGRES_PASSWORD/, name);
    }
  });

  it('confines its processes: no capabilities, no new privileges, a read-only root, bounded memory', () => {
    for (const [name, each] of [...ours, ['coap', services.coap], ['web', services.web]] as const) {
      assert.equal(each?.read_only, true, name);
      assert.deepEqual([each.cap_drop, each.security_opt], [['ALL'], ['no-new-privileges:true']], name);
    }
    for (const [name, { mem_limit }] of Object.entries(services)) assert.ok(mem_limit, name);
  });

  it('bounds the log that Docker keeps of each container', () => {
    for (const [name, { logging }] of Object.entries(services))
      assert.ok(logging?.options['max-size'] && logging.options['max-file'], name);
  });

  it('publishes to other machines nothing but the web and, if wanted, the ports of loggers and of the API', () => {
    const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports
        .filter((port) => !port.startsWith('127.0.0.1:'))
        .map((port) => `${name} ${namesIn(port).join(' ')}`),
    );
    assert.deepEqual(open, [
      'web HTTP_PORT',
      'web HTTPS_PORT',
      'web HTTPS_PORT',
      'web API_ADDRESS API_PORT',
      'coap COAP_ADDRESS COAP_PORT',
    ]);
    for (const name of ['API_ADDRESS', 'COAP_ADDRESS'])
      assert.ok(
        text('docker-compose.yml').includes(`{${name}:-127.0.0.1}`),
        `${name} is the loopback address`,
      );
  });
});
