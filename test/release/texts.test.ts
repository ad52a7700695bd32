/** Texts of a release that need no effects. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { notesOf, unreleasedNotes } from '../../dev/release/changelog.ts';
import { baseImagesOf } from '../../dev/release/provenance.ts';
import { publishCommands } from '../../dev/release/publish-commands.ts';
import { STAMPED_FILES, stampVersion } from '../../dev/release/stamped-files.ts';
import { isNewer } from '../../dev/release/version.ts';
import { VERSION } from '../../src/process/version.ts';
import { CHANGELOG } from './repository.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The version of the service', () => {
  for (const path of Object.keys(STAMPED_FILES))
    it(`stands in ${path}`, () => assert.equal(stampVersion(path, read(path), VERSION), read(path)));

  it('orders by number, not by text', () => {
    assert.ok(isNewer('0.10.0', '0.9.9'));
    assert.ok(!isNewer('1.0.0', '1.0.0'));
    assert.ok(!isNewer('1.9.9', '2.0.0'));
  });

  it('refuses a file in which its place is missing', () =>
    assert.throws(() => stampVersion('deploy/chart/Chart.yaml', '\nversion: 1.0.0\n', '2.0.0'), /2 times/));
});

describe('The notes of a release', () => {
  it('holds one section of the changelog', () => {
    assert.equal(unreleasedNotes(CHANGELOG), '### Added\n\n- A thing.');
    assert.equal(notesOf(CHANGELOG, '0.0.1'), '- The beginning.');
  });

  it('finds no section of another version', () => assert.equal(notesOf(CHANGELOG, '0.0.10'), null));
});

describe('Publishing a release', () => {
  it('names a command for each file of a registry', () => {
    const files = [
      'device-monitoring-client-1.2.3.tgz',
      'device_monitoring_client-1.2.3-py3-none-any.whl',
      'device_monitoring_client-1.2.3.tar.gz',
      'device-monitoring-service-1.2.3.tgz',
      'device-monitoring-service-1.2.3-image.tar',
      'SHA256SUMS',
    ];
    assert.deepEqual(publishCommands('1.2.3', files, 'dist/release'), [
      'git push origin main v1.2.3',
      'npm publish --access public dist/release/device-monitoring-client-1.2.3.tgz',
      'python3 -m twine upload dist/release/device_monitoring_client-1.2.3-py3-none-any.whl',
      'python3 -m twine upload dist/release/device_monitoring_client-1.2.3.tar.gz',
      'helm push dist/release/device-monitoring-service-1.2.3.tgz oci://REGISTRY/charts',
      'docker load --input dist/release/device-monitoring-service-1.2.3-image.tar',
      'docker tag device-monitoring-service:1.2.3 REGISTRY/device-monitoring-service:1.2.3',
      'docker push REGISTRY/device-monitoring-service:1.2.3',
    ]);
  });

  it('records every base image of the Dockerfile in the provenance', () => {
    const images = read('Dockerfile').match(/^FROM \S+:\S+/gm);
    assert.equal(baseImagesOf(read('Dockerfile')).length, images?.length);
  });
});
