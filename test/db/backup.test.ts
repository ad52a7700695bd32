/** A backup that is restored beside the service: work under way at its time continues. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { findTestProgram } from '../runner/programs.ts';
import { runCommand } from '../support/command-line.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  register,
  untilEnded,
} from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { servers } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { sameOrganizationAt } from '../support/stack.ts';

const SERVER_VERSION = 18;

describe('A backup to the standard output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-programs-'));
  after(() => rmSync(folder, { recursive: true }));

  /** Stands for a program: prints its version, or does what the test gives. */
  const install = (name: string, does: string) =>
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\ncase "$*" in *--version) echo '${name} (PostgreSQL) ${SERVER_VERSION}.0' ;; *) ${does} ;; esac\n`,
      { mode: 0o755 },
    );

  /** A separate process with these files. */
  const runProcess = (databaseUrl: string, input: string, ...typed: string[]) =>
    promisify(execFile)(
      'sh',
      ['-c', 'printf %s "$0" | node --import=#typescript src/bin/cli.ts "$@"', input, ...typed],
      {
        env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: databaseUrl },
      },
    );

  it('writes nothing but the backup to the standard output, and restores from the standard input', async () => {
    install('pg_dump', 'echo "$@"');
    install('pg_restore', 'cat >&2; exit 1');
    const { postgresUrl } = await servers();
    const name = `empty_${randomUUID().slice(0, 8)}`;
    const url = await ensureDatabase(postgresUrl, name);
    const written = await runProcess(url, '', 'backup', '-');
    assert.match(
      written.stdout,
      new RegExp(`^--format=custom --no-owner --no-privileges --dbname \\S+${name}\n$`),
    );
    assert.match(written.stderr, /^Backed up\. Keep SECRETS_KEYS/);
    await assert.rejects(runProcess(url, 'THE BACKUP', 'restore', '-'), /pg_restore failed:\nTHE BACKUP/);
  });
});

describe('A backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-backup-'));
  const file = join(folder, 'backup.dump');
  after(() => rmSync(folder, { recursive: true }));

  before(async function () {
    if (findTestProgram('pg_dump') === null) this.skip();
  });

  it('continues jobs and deliveries under way after a restore, although their runs are lost', async () => {
    const receiver = await startReceiver();
    const before = await startService();
    await before.api.post('/cellular-webhooks', { url: receiver.url, deliverConfigApplied: true });
    await receiver.pause();
    const slug = await createProfile(before, { slug: 'fridge', ...FRIDGE });
    for (const serial of ['DONE', 'OPEN']) await register(before, serial);
    const jobId = await apply(before, slug, { serialNumbers: ['DONE', 'OPEN'] });
    await applyAnswer(before, 'DONE');
    const endpointId = (await before.api.get('/cellular-webhooks')).body.items[0].id;
    await eventually(
      () => before.api.get('/cellular-webhooks'),
      ({ body }) => body.items[0].delivery.lastStatus === 'retrying',
    );
    assert.match((await runCommand(before.settings.databaseUrl, 'backup', file)).stdout, /Backed up/);
    assert.equal(statSync(file).mode & 0o777, 0o600, 'only its owner can read the backup');
    const runs = [`apply-profile:${jobId}`, `deliver-webhooks:${endpointId}`];
    for (const id of runs) await terminate(before, id);
    await before.stop();
    await receiver.resume();

    const restoredUrl = await ensureDatabase(
      (await servers()).postgresUrl,
      `restored_${randomUUID().slice(0, 8)}`,
    );
    assert.match((await runCommand(restoredUrl, 'restore', file)).stdout, /Restored/);
    assert.match((await runCommand(restoredUrl, 'restore', file)).stderr, /not empty/);
    const after = await startService({ databaseUrl: restoredUrl });
    const organization = await sameOrganizationAt(after, before);
    await receiver.until(1);
    await applyAnswer(organization, 'OPEN');
    await untilEnded(organization, jobId);
    assert.equal((await jobOf(organization, jobId)).counts.applied, 2);
    await Promise.all([after.stop(), receiver.stop()]);
  });

  const terminate = ({ service }: Awaited<ReturnType<typeof startService>>, id: string) =>
    service.temporal.client.workflow
      .getHandle(id)
      .terminate()
      .catch(() => {});
});
