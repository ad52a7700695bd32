/**
 * The image can be built: everything that the Dockerfile copies is sent to the builder. Its base images and
 * those of the compose file are pinned.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PICTURES, sectionsWith } from '../../src/site/documents.ts';
import { REFERENCE_FILE } from '../../src/site/reference.ts';

const linesOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').split('\n');

/** Paths that the Dockerfile copies from the repository. */
const copied = () =>
  linesOf('Dockerfile')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1));

describe('The image', () => {
  it('copies only paths that .dockerignore lets through', () => {
    const sent = linesOf('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    assert.ok(copied().length > 0);
    const missing = copied().filter((path) => !sent.some((each) => `${path}/`.startsWith(`${each}/`)));
    assert.deepEqual(missing, []);
  });

  it('contains every document that the site shows', () => {
    const documents = sectionsWith([])
      .flatMap((section) => section.documents)
      .map(({ file }) => file);
    const isCopied = (file: string) =>
      copied().some(
        (path) =>
          file === path || file.startsWith(`${path}/`) || (path === '*.md' && /^[^/]+\.md$/.test(file)),
      );
    assert.deepEqual(
      [REFERENCE_FILE, ...documents, ...PICTURES].filter((file) => !isCopied(file)),
      [],
    );
  });

  it('shares its base with the dev container', () => {
    const base = linesOf('Dockerfile').find((line) => line.startsWith('FROM ')) ?? '';
    assert.ok(linesOf('.devcontainer/Dockerfile').includes(base.replace(/ AS \w+$/, '')));
    const { build } = JSON.parse(linesOf('.devcontainer/devcontainer.json').join('\n'));
    assert.equal(build.dockerfile, 'Dockerfile');
  });

  it('contains pg_dump and pg_restore for the server of the compose file', () => {
    const [server] = linesOf('docker-compose.yml').flatMap(
      (line) => /^ *image: (postgres:\S+)/.exec(line)?.[1] ?? [],
    );
    const major = /^postgres:(\d+)\./.exec(server ?? '')?.[1];
    assert.ok(major);
    assert.ok(
      linesOf('Dockerfile').includes(`FROM ${server} AS postgres`),
      'packages are those of the same image',
    );
    assert.match(
      linesOf('Dockerfile').join('\n'),
      new RegExp(`apt-get install [^&]*postgresql-client-${major} `),
    );
  });

  it('uses base images pinned by digest, like the compose file', () => {
    const pulled = [
      ...linesOf('Dockerfile').flatMap((line) => /^FROM (\S+:\S+)/.exec(line)?.[1] ?? []),
      ...linesOf('.devcontainer/Dockerfile').flatMap((line) => /^FROM (\S+:\S+)/.exec(line)?.[1] ?? []),
      ...linesOf('docker-compose.yml').flatMap((line) => /^ *image: (\S+)/.exec(line)?.[1] ?? []),
    ].filter((image) => !image.startsWith('device-monitoring-service:'));
    assert.ok(pulled.length >= 6);
    assert.deepEqual(
      pulled.filter((image) => !/^[\w/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image)),
      [],
    );
  });
});
