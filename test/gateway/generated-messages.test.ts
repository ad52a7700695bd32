/** The generated file of the loggers' messages matches the current schema. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATED = 'src/gateway/generated/logger-messages_pb.ts';

describe('The messages of loggers', () => {
  it('matches the schema; npm run protobuf refreshes the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dms-protobuf-'));
    try {
      execFileSync('node', ['node_modules/@bufbuild/buf/bin/buf', 'generate', '-o', folder], { cwd: ROOT });
      const [generated, committed] = [folder, ROOT].map((each) =>
        readFileSync(join(each, GENERATED), 'utf8'),
      );
      assert.equal(generated, committed);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
