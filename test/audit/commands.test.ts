/** Changes by the command line are in the audit trail of the organization. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../src/commands/commands.ts';
import { runCommand } from '../support/command-line.ts';
import { useService } from '../support/service.ts';

/** These change nothing of an organization. */
const READING = [
  'org list',
  'key list',
  'device unregistered',
  'fleet list',
  'migrate',
  'openapi',
  'temporal setup',
  'distribute',
  'backup',
  'restore',
  'completion',
  'complete',
];

describe('The command line in the audit trail', () => {
  const dms = useService({ withWorker: false });
  let folder: string;
  const organization = `Audited ${randomUUID()}`;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dms-audit-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function succeed(...typed: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await runCommand(dms.settings.databaseUrl, ...typed);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  }

  it('names every command that changes something', () => {
    // The API records changes of commands that use it.
    const local = commands.filter(({ isRemote }) => !isRemote);
    const others = local.filter(({ action }) => action === undefined).map(({ words }) => words.join(' '));
    assert.deepEqual(others.sort(), [...READING].sort());
  });

  it('writes one row for each change, and none for repeated or refused ones', async () => {
    const [id = ''] = await succeed('org', 'create', organization);
    await succeed('org', 'create', organization);
    const [keyId = '', key = ''] = await succeed('key', 'create', '--org', organization, '--name', 'First');
    const [rotatedId = ''] = await succeed('key', 'rotate', keyId.toUpperCase());
    await succeed('key', 'revoke', rotatedId);
    const again = await runCommand(dms.settings.databaseUrl, 'key', 'revoke', rotatedId);
    assert.equal(again.code, 4);
    const file = join(folder, 'certificate.pdf');
    writeFileSync(file, '%PDF-1.4\n%%EOF\n');
    const upload = ['certificate', 'upload', '--org', organization, 'SERIAL-1'];
    const ofFolder = await runCommand(dms.settings.databaseUrl, ...upload, folder);
    assert.deepEqual([ofFolder.code, ofFolder.stderr], [2, `FILE cannot be read: ${folder}\n`]);
    await succeed(...upload, file);
    await dms.service.sql.raw(
      `insert into overdue_fleets (organization_id, overdue_count, total_count, since) values (?, 60, 100, now())`,
      [id],
    );
    await succeed('fleet', 'confirm', '--org', organization);

    const { body, text } = await dms.with(key).get('/audit');
    const seen = body.items.map(({ action, subject, actor }: Record<string, unknown>) => [
      action,
      subject,
      actor,
    ]);
    const actor = { keyId: null, name: 'command line' };
    assert.deepEqual(seen, [
      ['confirmFleet', id, actor],
      ['uploadCalibrationCertificate', 'serial-1', actor],
      ['deleteKey', rotatedId, actor],
      ['rotateKey', keyId, actor],
      ['createKey', keyId, actor],
      ['createOrganization', id, actor],
    ]);
    assert.equal((await dms.with(key).get('/audit?actor=command%20line')).text, text);
    assert.ok(!text.includes(key));
    const found = (await dms.with(key).get('/audit?subject=sERIAL-1')).body.items;
    assert.deepEqual(
      found.map(({ action, serialNumber }: Record<string, unknown>) => [action, serialNumber]),
      [['uploadCalibrationCertificate', 'SERIAL-1']],
    );
  });
});
