/** The image of a release, by stand-ins for docker and podman; `npm run compose:try` packs one for real. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findImageBuilder, packImage } from '../../dev/release/pack-service.ts';

/** Knows the commands that both programs have, and writes down what it was called with. */
const PODMAN = `#!/bin/sh
echo "$*" >> "$(dirname "$0")/called"
case "$1" in
  version | build) ;;
  save) echo image > "$3" ;;
  *) exit 125 ;;
esac
`;
/** As the client of Docker where no daemon runs. */
const DOCKER = '#!/bin/sh\nexit 1\n';

describe('The image of a release', () => {
  const path = process.env.PATH;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dms-image-'));
    process.env.PATH = `${folder}${delimiter}${path}`;
    place('docker', DOCKER);
    place('podman', PODMAN);
  });
  afterEach(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });

  const place = (program: string, text: string) =>
    writeFileSync(join(folder, program), text, { mode: 0o755 });

  it('builds by podman where no docker runs, and names version and commit', () => {
    const builder = findImageBuilder();
    assert.equal(builder, 'podman');
    const file = packImage(folder, folder, { builder, version: '1.2.3', commit: 'abc' });
    assert.equal(file, 'device-monitoring-service-1.2.3-image.tar');
    assert.equal(readFileSync(join(folder, file), 'utf8'), 'image\n');
    const [, built, saved] = readFileSync(join(folder, 'called'), 'utf8').split('\n');
    assert.match(
      built ?? '',
      /^build --tag device-monitoring-service:1\.2\.3 .*image\.version=1\.2\.3 .*image\.revision=abc \.$/,
    );
    assert.equal(saved, `save --output ${join(folder, file)} device-monitoring-service:1.2.3`);
  });

  it('finds no builder where neither runs', () => {
    place('podman', DOCKER);
    assert.equal(findImageBuilder(), null);
  });
});
