/** Commands by API, against the real service. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { timeZoneFinding } from '../../src/commands/doctor-checks.ts';
import { mailServerAddress } from '../../src/commands/find-mail-server.ts';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { CUT_OFF, startScriptedServer } from '../client/scripted-server.ts';
import { startMailServer } from '../notifications/harness.ts';
import { runCommand, withInput, withKeys } from '../support/command-line.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FRIDGE,
  refuse,
  register,
  sendLowBattery,
  sendTemperature,
  untilEnded,
} from '../support/fleet.ts';
import { useCommands } from './harness.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('Commands by API', () => {
  const { dms, started, setEnv, registerOne, run, jsonOf } = useCommands();
  let key: string;
  let folder: string;
  before(() => {
    ({ key, folder } = started());
  });

  it('keeps a working login in a file that only its owner can read, and uses it until it is forgotten', async () => {
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    process.env.DMS_KEY = wrong;
    const refused = await run('login', dms.baseUrl);
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /key/i);
    process.env.DMS_KEY = 'dms_live_3fZk…';
    const shortened = await run('login', dms.baseUrl);
    assert.deepEqual([shortened.code, /whole one/.test(shortened.stderr)], [2, true], shortened.stderr);
    process.env.DMS_KEY = key;
    const typed = dms.baseUrl.replace('http', 'HTTP');
    assert.match((await run('login', typed, '--name', 'mine')).stdout, /as mine/);
    setEnv({ XDG_CONFIG_HOME: folder, DATA_DIR: folder });
    const file = join(folder, 'dms', 'logins.json');
    assert.deepEqual(
      [statSync(file).mode & 0o777, JSON.parse(readFileSync(file, 'utf8')).current],
      [0o600, 'mine'],
    );
    assert.equal((await run('assets', 'list')).code, 0);
    await run('logout', 'mine');
    const { code, stderr } = await run('assets', 'list');
    assert.deepEqual(
      [code, stderr.trim()],
      [2, 'Which service? Log in first (dms login URL), or set DMS_URL and DMS_KEY'],
    );
  });

  it('says beside a table that a list goes on, shows all with --all, and leaves JSON as it is', async () => {
    const serials = [await registerOne(), await registerOne(), await registerOne()];
    const listed = (...more: string[]) => run('assets', 'list', '--q', '282C', ...more);
    const cut = await listed('--limit', '2');
    assert.equal(cut.stdout.match(/^282C/gm)?.length, 2);
    assert.equal(cut.stderr, 'These are 2 of more: --limit N shows N of them, --all shows all.\n');
    const all = await listed('--all');
    assert.deepEqual([serials.every((serial) => all.stdout.includes(serial)), all.stderr], [true, '']);
    const json = await listed('--limit', '2', '--json');
    assert.deepEqual([JSON.parse(json.stdout).length, json.stderr], [2, '']);
  });

  it('shows jobs, and returns exit code 3 for a job that ended without every device', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${randomUUID()}` });
    const serial = await registerOne();
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    const shown = await jsonOf('jobs', 'show', jobId);
    assert.deepEqual([shown.status, shown.waitsFor], ['running', [serial]]);
    const waiting = (await run('jobs', 'show', jobId)).stdout;
    assert.match(waiting, new RegExp(`^Waits for ${serial}: new, last reading never$`, 'm'));
    await dms.device.get(`/devices/${serial}/pending-config`);
    assert.deepEqual((await jsonOf('jobs', 'show', jobId)).unconfirmed, [serial]);
    const fetched = (await run('jobs', 'show', jobId)).stdout;
    assert.match(fetched, new RegExp(`^Fetched the change and have not confirmed it: ${serial}$`, 'm'));
    await applyAnswer(dms, serial);
    const watched = await run('jobs', 'watch', jobId);
    assert.equal(watched.code, 0);
    assert.match(watched.stdout, /100 % · 1 applied\n.*succeeded\. 1 of 1 devices have applied it\./);
    const other = await registerOne();
    const cancelledId = await apply(dms, slug, { serialNumbers: [other] });
    assert.match((await run('jobs', 'cancel', cancelledId)).stdout, /cancelled/);
    await apply(dms, slug, { serialNumbers: [other] });
    assert.match((await run('assets', 'withdraw', other)).stdout, /^pendingConfig: –$/m);
    const ended = await run('jobs', 'watch', cancelledId);
    assert.equal(ended.code, 3);
    assert.match(ended.stdout, /^█+ 100 % · 1 cancelled\n.*cancelled\. 0 of 1 devices have applied it\.$/m);
    const lines = (await run('jobs', 'watch', cancelledId, '--json')).stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [(await dms.api.get(`/devices/config-jobs/${cancelledId}`)).body],
    );
    await dms.service.sql.raw(`update config_jobs set reason = 'too many devices failed' where id = ?`, [
      cancelledId,
    ]);
    assert.match(
      (await run('jobs', 'show', cancelledId)).stdout,
      /cancelled: too many devices failed\. 0 of 1/,
    );
    const ids = (await jsonOf('jobs', 'list')).map(({ id }: { id: string }) => id);
    assert.deepEqual(ids.slice(1), [cancelledId, jobId]);
  });

  it('shows the devices of an ended job that were not in time', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${randomUUID()}` });
    const serial = await registerOne();
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await query(dms.service.sql, 'update config_jobs set deadline_at = now() where id = ?', [jobId]);
    await untilEnded(dms, jobId);
    const { stdout } = await run('jobs', 'show', jobId);
    assert.match(stdout, new RegExp(`1 were not in time\\.\nNot in time: ${serial}$`, 'm'));
    assert.deepEqual((await jsonOf('jobs', 'show', jobId)).notInTime, [serial]);
    const retried = await jsonOf('jobs', 'retry', jobId);
    assert.deepEqual([retried.total, retried.id === jobId], [1, false]);
  });

  it('shows the devices of a job that have refused it, with the reason', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${randomUUID()}` });
    const serial = await registerOne();
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await refuse(dms, serial, { code: 20738, message: 'no such rule' });
    const reason = 'the device refused: no such rule (code 20738)';
    const { stdout } = await run('jobs', 'show', jobId);
    assert.match(
      stdout,
      new RegExp(`1 refused it\\.\n${serial}: the device refused: no such rule \\(code 20738\\)`),
    );
    assert.deepEqual((await jsonOf('jobs', 'show', jobId)).refusedBy, [{ serialNumber: serial, reason }]);
  });

  it('lists, acknowledges and comments alerts, and shows their history', async () => {
    const serial = await registerOne();
    await sendLowBattery(dms, serial);
    const alerts = await jsonOf('alerts', 'list', '--type', 'low_battery', '--status', 'new');
    const { id } = alerts.find((alert: { serialNumber: string }) => alert.serialNumber === serial);
    const { stdout } = await run('alerts', 'acknowledge', id, '--assignee', 'Ada', '--snooze-until', '2h');
    assert.match(stdout, /^status: acknowledged$[\s\S]*^assignee: Ada$[\s\S]*^snoozeUntil: \d{4}-/m);
    assert.match(
      (await run('alerts', 'comment', id, 'Battery ordered')).stdout,
      /^comment: Battery ordered$/m,
    );
    assert.match(
      (await run('alerts', 'show', id)).stdout,
      /^- at \S+, action commented, by \(.*\), comment /m,
    );
    const { history } = await jsonOf('alerts', 'show', id);
    assert.deepEqual(
      history.map(({ action }: { action: string }) => action),
      ['opened', 'acknowledged', 'assigned', 'snoozed', 'commented'],
    );
    assert.equal((await run('alerts', 'acknowledge', id, '--snooze-until', 'soon')).code, 2);
  });

  it('mutes a device or a group for a time from now on', async () => {
    const serial = await registerOne();
    const { stdout } = await run('mute', 'asset', serial, '2h', 'Defrosting');
    assert.match(stdout, /^from: \S+Z\nuntil: \d{4}-\S+Z\nreason: Defrosting\n/);
    assert.equal((await run('unmute', 'asset', serial)).stdout, 'Done\n');
    const name = `Cold rooms ${randomUUID()}`;
    await run('groups', 'create', name);
    const muted = await jsonOf('mute', 'group', name.toUpperCase(), '30d', 'Empty');
    assert.equal(muted.reason, 'Empty');
    assert.equal((await run('unmute', 'group', name)).code, 0);
    assert.equal((await run('unmute', 'group', name)).code, 4);
    assert.equal((await run('mute', 'asset', serial, '2h')).code, 2);
  });

  it('creates, changes and deletes with fields as options, or with the whole body from a file', async () => {
    const { id: channelId } = await jsonOf('channels', 'create', 'webhook', 'http://127.0.0.1:9/nurse');
    const steps = JSON.stringify([{ afterMinutes: 0, channelIds: [channelId] }]);
    const { id, repeatMinutes } = await jsonOf(
      'escalations',
      'create',
      'Night',
      '--steps',
      steps,
      '--repeat-minutes',
      '30',
    );
    assert.equal(repeatMinutes, 30);
    const shown = await run('escalations', 'show', id);
    assert.match(shown.stdout, /^name: Night\nalertTypes: high_temp, /m);
    assert.match(shown.stdout, new RegExp(`^steps:\n- afterMinutes 0, channelIds \\[${channelId}\\]`, 'm'));
    const file = join(folder, 'change.json');
    writeFileSync(file, JSON.stringify({ severities: ['critical'], name: 'Evening' }));
    const options = ['--body', file, '--name', 'Day', '--repeat-minutes', 'null', '--status', 'disabled'];
    const changed = await jsonOf('escalations', 'change', id, ...options);
    assert.deepEqual(
      [changed.repeatMinutes, changed.severities, changed.status, changed.name],
      [null, ['critical'], 'disabled', 'Day'],
    );
    assert.match((await run('escalations', 'list')).stdout, /^ID +NAME .*\n.* Day .*critical +– +disabled$/m);
    for (const [typed, message] of [
      [['create', 'Night'], 'Needed: --steps, or --body FILE with it\n'],
      [['create', 'Night', '--steps', 'soon'], '--steps must be JSON\n'],
      [['change', id, '--body', join(folder, 'none.json')], `FILE cannot be read: ${folder}/none.json\n`],
    ] as const)
      assert.deepEqual(await run('escalations', ...typed), { code: 2, stdout: '', stderr: message });
    assert.equal((await run('escalations', 'change', id, '--repeat-minutes', 'abc')).code, 2);
    assert.equal((await run('escalations', 'delete', id)).code, 0);
    assert.equal((await run('escalations', 'show', id)).code, 4);
    assert.equal((await run('channels', 'delete', channelId)).code, 0);
  });

  it('applies a profile, and moves the deadline of its job', async () => {
    const slug = `daily-${randomUUID()}`;
    const created = await jsonOf(
      'profiles',
      'create',
      '--slug',
      slug,
      '--intervals-transmission-interval-seconds',
      '86400',
    );
    assert.equal(created.profile.transmissionIntervalSeconds, 86_400);
    assert.match((await run('profiles', 'list')).stdout, new RegExp(`^${slug} `, 'm'));
    const serial = await registerOne();
    const { stdout } = await run('apply', slug, '--serial-numbers', serial, '--deadline-minutes', '60');
    const [, jobId = ''] = /^Follow it: dms jobs watch (\S+)$/m.exec(stdout) ?? [];
    const before = await jsonOf('jobs', 'show', jobId);
    assert.ok((await jsonOf('jobs', 'extend', jobId, '3d')).deadlineAt > before.deadlineAt);
    assert.match((await run('jobs', 'targets', jobId)).stdout, new RegExp(`^${serial} +waiting `, 'm'));
    assert.equal((await run('jobs', 'proceed', jobId)).code, 1);
    assert.match((await run('apply', slug, '--apply-to-all', '--dry-run')).stdout, /^appliedCount: /m);
  });

  it('writes exports and certificates to files that are complete, in the format of their name', async () => {
    const serial = await registerOne();
    await sendTemperature(dms, serial, 4);
    assert.match((await run('readings', serial)).stdout, /^MEASURED AT +CHANNEL .*\n.* 1 +\S+ +4 +°C +no$/m);
    assert.match((await run('readings', serial, '--resolution', '1h')).stdout, /^CHANNEL .* AVG .*\n1 /m);
    const table = join(folder, 'readings.csv');
    assert.match(
      (await run('export', '1d', 'now', '--assets', serial, '--output', table)).stdout,
      /\d+ bytes$/m,
    );
    assert.match(readFileSync(table, 'utf8'), new RegExp(`,${serial},.*,4,`));
    const lines = (await run('export', '1d', 'now', '--assets', serial)).stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).value),
      [4],
    );
    const record = join(folder, 'Record.PDF');
    await run('statistics', serial, '1d', 'now', '--output', record);
    assert.equal((await run('certificates', 'upload', serial, record)).code, 0);
    const copy = join(folder, 'copy.pdf');
    await run('certificates', 'download', serial, '--output', copy);
    assert.deepEqual(readFileSync(copy), readFileSync(record));
    const kept = join(folder, 'kept.pdf');
    writeFileSync(kept, 'from before');
    assert.equal((await run('statistics', 'NONE', '1d', 'now', '--output', kept)).code, 4);
    assert.equal(readFileSync(kept, 'utf8'), 'from before');
    assert.match((await run('audit', '--from', '1h')).stdout, /^\S+ +\S.* +uploadCalibrationCertificate +/m);
  });

  it('writes every reading to a file of JSON', async () => {
    const serial = await registerOne();
    const now = Date.now();
    const readings = Array.from({ length: 60 }, (_, index) => ({
      channel: 1,
      type: 'temperature',
      value: index,
      measuredAt: new Date(now - index * 60_000).toISOString(),
    }));
    await dms.device.post(`/devices/${serial}/measurements`, { readings });
    const file = join(folder, 'readings.json');
    assert.equal((await run('readings', serial, '--output', file, '--limit', '5')).code, 2);
    assert.equal((await run('readings', serial, '--output', file)).code, 0);
    const written = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(
      written.map(({ value }: { value: number }) => value),
      readings.map(({ value }) => value),
    );
  });

  it('writes to a pipe directly, and to the file that a link leads to', async () => {
    const serial = await registerOne();
    const [pipe, link, file] = ['pipe', 'link', 'linked.csv'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(file, 'from before');
    symlinkSync(file, link);
    // For reading and writing, so that it opens before the command does.
    const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    for (const [output, said] of [
      [pipe, /^$/],
      [link, /: \d+ bytes/],
    ] as const) {
      const args = ['--assets', serial, '--format', 'csv', '--output', output];
      const { code, stdout } = await run('export', '1d', 'now', ...args);
      assert.equal(code, 0);
      assert.match(stdout, said);
    }
    assert.deepEqual([lstatSync(pipe).isFIFO(), lstatSync(link).isSymbolicLink()], [true, true]);
    const received = Buffer.alloc(1_000);
    const length = readSync(reader, received);
    closeSync(reader);
    assert.equal(received.toString('utf8', 0, length), readFileSync(file, 'utf8'));
  });

  it('finds a webhook and its deliveries in either collection', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    for (const [create, kind] of [
      ['create', 'webhook'],
      ['create-cellular', 'cellular-webhook'],
    ] as const) {
      const { id, recType } = await jsonOf('webhooks', create, url);
      assert.equal(recType, (await jsonOf('webhooks', 'show', id)).recType, kind);
      assert.deepEqual(await jsonOf('deliveries', 'list', id), []);
      const tested = await run('webhooks', 'test', id);
      assert.deepEqual([tested.code, /^delivered: no$/m.test(tested.stdout)], [1, true], tested.stdout);
      assert.equal((await jsonOf('webhooks', 'replay', id, '1d')).queued, 0);
      assert.equal((await run('webhooks', 'delete', id)).code, 0);
      assert.equal((await run('webhooks', 'show', id)).code, 4);
    }
  });

  it('lists every page of the deliveries of a webhook in either collection', async () => {
    for (const create of ['create', 'create-cellular']) {
      const { id } = await jsonOf('webhooks', create, 'http://127.0.0.1:9/hooks');
      await query(
        dms.service.sql,
        `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
         select ?, ?, uuidv7(), 'config.applied', 'failed' from generate_series(1, 501)`,
        [dms.id, id],
      );
      assert.equal((await jsonOf('deliveries', 'list', id, '--all')).length, 501, create);
      assert.equal((await run('webhooks', 'delete', id)).code, 0);
    }
  });

  it('deletes a webhook of either collection, also where the answer of the other one is lost', async () => {
    const { id } = await jsonOf('webhooks', 'create-cellular', 'http://127.0.0.1:9/hooks');
    let calls = 0;
    const losing = createServer(async ({ url = '' }, answer) => {
      const { status } = await dms.api.delete(url);
      if (++calls === 1) answer.destroy();
      else answer.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(losing, 'listening');
    process.env.DMS_URL = `http://127.0.0.1:${(losing.address() as AddressInfo).port}`;
    assert.equal((await run('webhooks', 'delete', id)).code, 0);
    losing.close();
    process.env.DMS_URL = dms.baseUrl;
    assert.equal((await run('webhooks', 'show', id)).code, 4);
  });

  it('reads secrets from the standard input, so that no other program sees them', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    const create = () => run('webhooks', 'create', url, '--secret', '--json');
    const refused = await withInput('whsec_no-base64\n', create);
    assert.deepEqual(
      [refused.code, /secret length must be at least 16/.test(refused.stderr)],
      [2, true],
      refused.stderr,
    );
    const { stdout } = await withInput(`${SECRET}\n`, create);
    assert.equal((await run('webhooks', 'delete', JSON.parse(stdout).id)).code, 0);
    const target = 'http://127.0.0.1:9/services/secret';
    const hidden = () => run('channels', 'create', 'webhook', '-', '--json');
    const created = await withInput(`${target}\n`, hidden);
    assert.equal(created.code, 0, created.stderr);
    const channel = JSON.parse(created.stdout);
    assert.equal(channel.target, target);
    assert.equal((await run('channels', 'delete', channel.id)).code, 0);
  });

  it('reads each hidden value from a line of its own', async () => {
    const target = 'http://127.0.0.1:9/services/secret';
    const create = () => run('channels', 'create', 'webhook', '-', '--name', '-', '--json');
    const { code, stdout, stderr } = await withInput(`${target}\nDuty phone\n`, create);
    assert.equal(code, 0, stderr);
    const channel = JSON.parse(stdout);
    assert.deepEqual([channel.target, channel.name], [target, 'Duty phone']);
    assert.equal((await run('channels', 'delete', channel.id)).code, 0);
    const missing = await withInput(`${target}\n`, create);
    assert.deepEqual([missing.code, /name: no value was given/.test(missing.stderr)], [2, true]);
  });

  it('ends with exit code 130, and creates nothing, when a prompt is interrupted', async () => {
    const list = () => jsonOf('channels', 'list');
    const before = await list();
    const { code } = await withKeys('half of it\x03', () => run('channels', 'create', 'webhook', '-'));
    assert.equal(code, 130);
    assert.deepEqual(await list(), before);
  });

  it('names a group that has a comma in its name', async () => {
    const { id } = await jsonOf('groups', 'create', 'Cold room, north');
    assert.equal((await jsonOf('groups', 'show', 'cold room, north')).id, id);
    const listed = await run('assets', 'list', '--group', 'Cold room, north');
    assert.equal(listed.code, 0, listed.stderr);
    assert.equal((await run('groups', 'delete', 'Cold room, north')).code, 0);
  });

  it('fails with exit code 6, says what to do, and writes no file when an answer breaks off', async () => {
    const server = await startScriptedServer([CUT_OFF]);
    process.env.DMS_URL = server.url;
    const file = join(folder, 'broken.csv');
    const { code, stderr } = await run('export', '1d', 'now', '--output', file);
    server.stop();
    assert.equal(code, 6);
    assert.match(
      stderr,
      /^No answer from http:\/\/127\.0\.0\.1:\d+: .+\nIs the service running .* dms doctor checks it, dms login URL/,
    );
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('broken.csv')),
      [],
    );
  });

  it('accepts an address of the service that ends with a slash', async () => {
    process.env.DMS_URL = `${dms.baseUrl}/`;
    const { stdout } = await run('doctor');
    for (const good of [/✔ API/, /✔ clock of the API/, /time zones of the API: the rules are/])
      assert.match(stdout, good);
  });

  it('returns exit code 3 for a job that has succeeded although no device runs its configuration', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${randomUUID()}` });
    const serial = await registerOne();
    const supersededId = await apply(dms, slug, { serialNumbers: [serial] });
    const warmer = [{ type: 'high', channel: 'probe', highC: 30 }];
    const warmerSlug = await createProfile(dms, { slug: `warm-${randomUUID()}`, temperatureAlerts: warmer });
    await apply(dms, warmerSlug, { serialNumbers: [serial] });
    await untilEnded(dms, supersededId);
    const superseded = await run('jobs', 'watch', supersededId);
    assert.match(superseded.stdout, /succeeded\. 0 of 1 devices have applied it\./);
    assert.equal(superseded.code, 3);
  });

  it('refuses an address of the service that is none, and a file that cannot be written, as wrong use', async () => {
    process.env.DMS_URL = 'ftp://127.0.0.1';
    const { code, stderr } = await run('assets', 'list');
    assert.deepEqual([code, /DMS_URL must be a URL/.test(stderr)], [2, true], stderr);
    process.env.DMS_URL = dms.baseUrl;
    const file = join(folder, 'none', 'readings.csv');
    const refused = await run('readings', await registerOne(), '--output', file);
    assert.deepEqual(
      [refused.code, refused.stderr],
      [2, `--output must name a file that can be written, in a folder that exists: ${file}\n`],
    );
    assert.deepEqual(await run('export', '1d', 'now', '--output', join(folder, 'export.pdf')), {
      code: 2,
      stdout: '',
      stderr: '--output must end with .csv or .ndjson\n',
    });
  });

  it('tells apart a refusal of the key, and a field that the service refuses', async () => {
    const { token } = await dms.issueKey(dms.id, 'customer', 'read');
    process.env.DMS_KEY = token;
    const { code, stderr } = await run('groups', 'create', 'Fridges');
    assert.deepEqual([code, /role/.test(stderr)], [5, true], stderr);
    process.env.DMS_KEY = key;
    for (const typed of [
      ['alerts', 'list', '--asset', 'NONE'],
      ['groups', 'show', 'No such group'],
      ['logout', 'NONE'],
      ['assets', 'list', '--login', 'NONE'],
    ])
      assert.equal((await run(...typed)).code, 4, typed.join(' '));
    assert.equal((await run('groups', 'create', ' ')).code, 2);
  });

  it('prints the last readings of a device, oldest first, with a curve', async () => {
    const serial = await registerOne();
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
    const readings = [1, 4, 8].map((value, index) => ({
      channel: 1,
      type: 'temperature',
      value,
      measuredAt: at(9 - index),
    }));
    await dms.device.post(`/devices/${serial}/measurements`, { readings });
    const lines = (await run('tail', serial, '--count', '3')).stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => /(\d) °C/.exec(line)?.[1]),
      ['1', '4', '8'],
    );
    assert.match(lines[2] ?? '', /▁▄█$/);
  });

  for (const [known, clock] of [
    [0, 'right'],
    [1, 'right'],
    [1, 'a day fast for one reading'],
  ] as const)
    it(`prints every reading of a large frame after ${known} known ones, with a clock that is ${clock}`, async () => {
      const serial = await registerOne();
      const now = Date.now();
      const readings = Array.from({ length: 600 }, (_, index) => ({
        channel: 1,
        type: 'temperature',
        value: index,
        measuredAt: new Date(now - (600 - index) * 1_000).toISOString(),
      }));
      const send = (some: typeof readings) =>
        dms.device.post(`/devices/${serial}/measurements`, { readings: some });
      const ahead = new Date(now + 23 * HOUR_MS).toISOString();
      const ofFastClock = { channel: 1, type: 'temperature', value: -1, measuredAt: ahead };
      const first = [...readings.slice(0, known), ...(clock === 'right' ? [] : [ofFastClock])];
      if (first.length > 0) await send(first);
      let looks = 0;
      // Lets the device send after the first look at its readings, and ends once all were shown after the second one.
      const proxy = createServer(async ({ url = '' }, answer) => {
        const found = await dms.api.get(url);
        if (url.includes('measurements') && !url.includes('cursor')) looks++;
        if (url.includes('measurements') && looks === 1) await send(readings.slice(known));
        const isOver = looks > 2;
        answer.writeHead(isOver ? 404 : 200, { 'Content-Type': 'application/json' });
        answer.end(JSON.stringify(found.body));
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      process.env.DMS_URL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const { code, stdout } = await run('tail', serial, '--every', '0.01', '--json');
      proxy.close();
      const lines = stdout.trim().split('\n');
      assert.deepEqual(
        [code, lines.map((line) => JSON.parse(line).value)],
        [4, [...first, ...readings.slice(known)].map(({ value }) => value)],
      );
    });

  it('checks everything in the doctor, and fails with a remedy for a fault', async () => {
    const { code, stdout } = await run('doctor');
    for (const good of [
      /✔ API/,
      /✔ key/,
      /✔ clock of the API/,
      /✔ PostgreSQL/,
      /✔ schema/,
      /✔ clock of PostgreSQL/,
      new RegExp(`time zones of the API: .*${process.versions.tz}`),
      new RegExp(`time zones: .*${process.versions.tz}`),
    ])
      assert.match(stdout, good);
    assert.equal(code, 1, 'the Temporal of the settings does not exist');
    assert.match(stdout, /✘ Temporal: [\s\S]*TEMPORAL_ADDRESS/);
    const away = await runCommand('postgres://127.0.0.1:9/dms', 'doctor');
    assert.match(away.stdout, /✘ PostgreSQL: .*\n {4}see that it runs/);
  });

  it('sees in the doctor whether a mail server answers, and repeats no password', async () => {
    const findMail = async () =>
      (await jsonOf('doctor')).find(({ name }: { name: string }) => name === 'mail server');
    assert.equal(await findMail(), undefined, 'without SMTP_URL there is nothing to look at');
    const mail = await startMailServer();
    const { port } = new URL(mail.smtp?.url ?? '');
    process.env.SMTP_URL = `smtp://ann:hunter2@127.0.0.1:${port}`;
    const reached = await findMail();
    await mail.stop();
    assert.deepEqual([reached.state, reached.detail], ['good', `127.0.0.1 port ${port} accepts connections`]);
    const { code, stdout } = await run('doctor');
    assert.match(
      stdout,
      /✘ mail server: 127\.0\.0\.1 port \d+: ECONNREFUSED\n {4}check host and port in SMTP_URL/,
    );
    assert.deepEqual([code, stdout.includes('hunter2')], [1, false]);
  });

  it('tells in the doctor whether a gateway, another program or nothing listens at COAP_PORT', async () => {
    const findAt = async (port: number) => {
      process.env.COAP_PORT = String(port);
      const found = await jsonOf('doctor');
      const { state, detail } = found.find(({ name }: { name: string }) => name === 'port of the gateway');
      return `${state}: ${detail}`;
    };
    assert.equal(await findAt(dms.coapPort), `good: a gateway listens at ${dms.coapPort}`);
    assert.equal(await findAt(9), 'good: 9 is free: no gateway listens on this machine');
    const other = createSocket('udp4').bind(0, '127.0.0.1');
    await once(other, 'listening');
    other.on('message', (_, { port, address }) => other.send('no CoAP', port, address));
    const { port } = other.address();
    const found = await findAt(port);
    other.close();
    assert.equal(found, `warning: something else listens at ${port}`);
  });

  it('finds the mail server of a URL, and takes no part of a password for it', () => {
    const at = (url: string) => mailServerAddress(url);
    assert.deepEqual(at('smtp://mail.example.com'), { host: 'mail.example.com', port: 587 });
    assert.deepEqual(at('smtps://ann:p%23@mail.example.com/'), { host: 'mail.example.com', port: 465 });
    assert.deepEqual(at('smtp://[2001:db8::1]:25?ignoreTLS=true'), { host: '2001:db8::1', port: 25 });
    for (const wrong of [
      'smtp://ann:12#3@mail.example.com',
      'smtp://ann:1/2@h',
      'http://h',
      'smtp://',
      'mail',
    ])
      assert.equal(at(wrong), null, wrong);
  });

  it('warns in the doctor of time zone rules that are older than a year', () => {
    const stateAt = (rules: string | null | undefined, at: string) =>
      timeZoneFinding(rules, new Date(at)).state;
    assert.equal(stateAt('2025c', '2026-12-31T23:59:59Z'), 'good');
    assert.equal(stateAt('2025c', '2027-01-01T00:00:00Z'), 'warning');
    assert.equal(stateAt('2027a', '2026-12-31T00:00:00Z'), 'good');
    for (const unknown of [null, undefined, 'unknown'])
      assert.equal(stateAt(unknown, '2026-01-01'), 'warning');
    const { detail, todo } = timeZoneFinding('2024b', new Date('2026-01-01T00:00:00Z'));
    assert.deepEqual(
      [detail, todo],
      ['the rules are 2024b, older than a year', 'renew them: docs/operating.md, Time zones'],
    );
  });

  it('accepts `help` as a name where a name is expected', async () => {
    const { code, stderr } = await run('jobs', 'show', 'help');
    assert.deepEqual([code, stderr.includes('npm run dms')], [4, false]);
  });

  const completed = async (...words: string[]) =>
    (await run('complete', '--', ...words)).stdout.trim().split('\n');

  it('completes commands and options', async () => {
    assert.deepEqual(await completed('jobs', ''), [
      'cancel',
      'extend',
      'list',
      'proceed',
      'retry',
      'show',
      'targets',
      'watch',
    ]);
    assert.deepEqual(await completed('jobs', 'list', '--'), [
      '--all',
      '--json',
      '--limit',
      '--login',
      '--status',
    ]);
    const long = ['operator', 'link', '--org', 'Acme', '--role', 'write', '--name', 'Ann', '--'];
    assert.deepEqual((await run('complete', '--', ...long)).code, 0);
    for (const shell of ['bash', 'zsh', 'fish']) assert.equal((await run('completion', shell)).code, 0);
  });

  it('completes the values of an option that takes one of a few, and nothing for other values', async () => {
    assert.deepEqual(await completed('alerts', 'list', '--status', ''), ['acknowledged', 'new', 'resolved']);
    assert.deepEqual(await completed('alerts', 'list', '--status', 'n'), ['new']);
    assert.deepEqual(await completed('alerts', 'list', '--status', 'new', '--stat'), ['--status']);
    assert.deepEqual(await completed('alerts', 'list', '--asset', ''), ['']);
    assert.ok((await completed('alerts', 'list', '--all', '')).includes('--status'));
  });

  it('imports a table, names failed rows, and brings a profile to the group in the rows', async () => {
    const [first, second] = [1, 2].map(() => `282C${randomUUID().slice(0, 8).toUpperCase()}`) as [
      string,
      string,
    ];
    const name = `Fridges ${first}`;
    const slug = `daily-${first.toLowerCase()}`;
    await createProfile(dms, { slug, intervals: { transmissionIntervalSeconds: 86_400 } });
    assert.match((await run('groups', 'create', name)).stdout, /^memberCount: 0$/m);
    const file = join(folder, 'loggers.csv');
    writeFileSync(file, `serialNumber;name;group\n${first};Fridge 1;${name}\n${second};Fridge 2;Elsewhere\n`);
    const tried = await run('assets', 'import', file, '--dry-run');
    assert.match(
      tried.stdout,
      /^Nothing is stored\. As it would be: 1 registered, 0 registered before, 1 failed\n/,
    );
    const { code, stdout } = await run('assets', 'import', file);
    assert.equal(code, 3);
    assert.match(
      stdout,
      /^1 registered, 0 registered before, 1 failed\nline 3, \S+: group must be the name of a group/,
    );
    const change = ['groups', 'change', name.toUpperCase(), '--profile-slug', slug];
    assert.match(
      (await run(...change, '--dry-run')).stdout,
      /^preview:\n- .*deviceCount 1, unchangedCount 0, /m,
    );
    const { jobId } = await jsonOf(...change, '--rollout-first-percent', '100');
    assert.equal((await jsonOf('jobs', 'show', jobId)).total, 1);
    await register(dms, second);
    assert.match(
      (await run('groups', 'add', name, second)).stdout,
      /^added: 1\n.*\nFollow it: dms jobs watch /,
    );
    assert.match((await run('groups', 'remove', name, first, second)).stdout, /^removed: 2/);
    assert.match((await run('groups', 'list')).stdout, new RegExp(`${name} +${slug} +0 `));
    assert.equal((await jsonOf('groups', 'change', name, '--profile-slug', 'null')).profileSlug, null);
    for (const [typed, code, message] of [
      [['groups', 'add', 'No such group', first], 4, /There is no group "No such group"/],
      [['assets', 'import', join(folder, 'none.csv')], 2, /FILE cannot be read/],
    ] as const) {
      const refused = await run(...typed);
      assert.deepEqual([refused.code, message.test(refused.stderr)], [code, true], refused.stderr);
    }
  });
});
