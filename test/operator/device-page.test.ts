/** The page of a device besides its readings: contacts, configuration changes, and the handling of alerts. */
import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  FRIDGE,
  register,
  registerMany,
  report,
  sendTemperature,
} from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

describe('The page of a device', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;
  let assetId: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
    assetId = await register(dms, 'FRIDGE-1');
  });

  const page = async (path: string) => {
    const { status, text } = await visit(`${dms.baseUrl}/operator${path}`, { cookie });
    assert.equal(status, 200, text);
    return text;
  };

  it('shows no profile in place of a sync state where none is pending or was confirmed, and facts, in parts that follow', async () => {
    const id = await register(dms, 'PLAIN-1');
    await report(dms, 'PLAIN-1', FACTORY);
    const heading = (state: string) =>
      new RegExp(`<div data-live="configuration"><h2>Configuration <span [^>]*>${state}</span></h2>`);
    const text = await page(`/devices/${id}`);
    assert.match(text, heading('no profile'));
    assert.match(text, /<div data-live="facts"><dl.*<dt>Battery</s);
    await apply(dms, await createProfile(dms, { ...FRIDGE, slug: 'plain' }), { serialNumbers: ['PLAIN-1'] });
    const pending = await page(`/devices/${id}`);
    assert.match(pending, heading('pending'));
    assert.match(
      pending,
      /<select name="slug" required><option value="">choose<\/option><option value="plain">/,
    );
    await dms.api.post('/devices/PLAIN-1/config/withdraw');
    assert.match(await page(`/devices/${id}`), heading('no profile'));
  });

  it('shows beside drifted settings what the device confirmed, that it does not watch, and a way to apply them again', async () => {
    const id = await register(dms, 'DRIFTED-1');
    const temperatureAlerts = FRIDGE.temperatureAlerts.map((alert) => ({
      ...alert,
      severity: 'warning',
      delayMinutes: 3,
    }));
    const slug = await createProfile(dms, { ...FRIDGE, temperatureAlerts, slug: 'watched' });
    await apply(dms, slug, { serialNumbers: ['DRIFTED-1'] });
    const inTheSameWords = ': 2 to 8 °C, hysteresis 0\\.5 °C, warning, after 3 min';
    assert.match(await page('/profiles/watched'), new RegExp(`probe${inTheSameWords}</div>`));
    assert.match(await page(`/devices/${id}`), new RegExp(`Alerts</th>.*${inTheSameWords}</mark></td>`));
    await applyAnswer(dms, 'DRIFTED-1');
    assert.match(await page(`/devices/${id}`), new RegExp(`Alerts</th><td>[^<]*${inTheSameWords}</td>`));
    assert.doesNotMatch(await page(`/devices/${id}`), /does not watch|Apply Vaccine fridge again/);
    await report(dms, 'DRIFTED-1', { ...FACTORY, alarmRules: [], calendars: [] });
    const text = await page(`/devices/${id}`);
    assert.match(text, /<th scope="col">Confirmed<\/th>/);
    assert.match(
      text,
      new RegExp(`Alerts</th><td>none</td><td><mark>probe \\(channel 1\\)${inTheSameWords}</mark>`),
    );
    assert.match(text, /does not watch the confirmed bounds itself/);
    assert.match(text, /<option value="watched" selected>/);
    assert.match(text, /name="slug" value="watched">.*Apply Vaccine fridge again…/s);
    const preview = await visit(`${dms.baseUrl}/operator/apply`, {
      cookie,
      form: { slug, serialNumbers: 'DRIFTED-1' },
    });
    assert.match(preview.text, /Apply to 1</);
  });

  it('shows that no contact is expected, and then the deadline of the next one', async () => {
    assert.match(await page(`/devices/${assetId}`), /next contact not known/);
    const slug = await createProfile(dms, { ...FRIDGE, intervals: { transmissionIntervalSeconds: 3_600 } });
    await apply(dms, slug, { serialNumbers: ['FRIDGE-1'] });
    await applyAnswer(dms, 'FRIDGE-1');
    await sendTemperature(dms, 'FRIDGE-1', 5);
    const expectedBy =
      (await page(`/devices/${assetId}`)).match(/next contact <time datetime="([^"]+)"/)?.[1] ?? '';
    const hours = (Date.parse(expectedBy) - Date.now()) / 3_600_000;
    assert.ok(hours > 1.5 && hours <= 2, `${hours} h`);
  });

  it('says since when statistics are complete, and when bounds were in force, where that is a part of the span', async () => {
    const id = await register(dms, 'PARTLY-1');
    const intervals = { measurementIntervalMinutes: 5 };
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'partly', intervals });
    await apply(dms, slug, { serialNumbers: ['PARTLY-1'] });
    await applyAnswer(dms, 'PARTLY-1');
    await sendTemperature(dms, 'PARTLY-1', 5);
    const complete = /data-label="Complete">100 % <span class="quiet">since <time /;
    const text = await page(`/devices/${id}/statistics?span=month`);
    assert.match(text, complete);
    assert.match(text, /<div>2 to 8 °C: 0 s <span class="quiet"><time [^>]+>[^<]+<\/time> to <time /);
  });

  it('shows whole days and ends at midnight as in the profile, pending and confirmed', async () => {
    const id = await register(dms, 'FRIDGE-2');
    const schedules = [
      { days: ['saturday', 'sunday'], from: '00:00', to: '24:00', shown: 'Sun Sat 00:00–24:00' },
      { days: ['friday'], from: '20:00', to: '24:00', shown: 'Fri 20:00–24:00' },
      {
        days: ['friday'],
        from: '20:00',
        to: '06:00',
        shown: 'Fri 20:00–24:00 \\(UTC\\+00:00\\); Sat 00:00–06:00',
      },
    ];
    for (const { shown, ...schedule } of schedules) {
      const windows = { ...schedule, always: false, timezone: 'UTC' };
      const slug = await createProfile(dms, {
        ...FRIDGE,
        slug: `until-${schedule.to}-${schedule.from}`.replaceAll(':', ''),
        schedule: windows,
      });
      await apply(dms, slug, { serialNumbers: ['FRIDGE-2'] });
      const cell = (content: string) => new RegExp(`<td>${content}</td>`);
      assert.match(await page(`/devices/${id}`), cell(`<mark>${shown} \\(UTC\\+00:00\\)</mark>`));
      await applyAnswer(dms, 'FRIDGE-2');
      assert.match(await page(`/devices/${id}`), cell(`${shown} \\(UTC\\+00:00\\)`));
    }
  });

  it('marks the configuration changes of the span on its curve', async () => {
    const changesOf = async (span: string) =>
      JSON.parse(await page(`/devices/${assetId}/curve?span=${span}`)).changes;
    const [change, ...more] = await changesOf('day');
    assert.equal(change.profile, 'Vaccine fridge');
    assert.ok(Math.abs(change.at - Date.now() / 1000) < 300);
    assert.deepEqual(more, []);
    await dms.service.sql.raw(`update config_targets set confirmed_at = now() - interval '3 days'`);
    assert.deepEqual(await changesOf('day'), []);
    assert.equal((await changesOf('week')).length, 1);
  });

  it('answers the curve between two times, in single readings where it is short, with maintenance and comments', async () => {
    const id = await register(dms, 'CURVE-1');
    const profile = { ...FRIDGE, slug: 'curve', intervals: { measurementIntervalMinutes: 1 } };
    await apply(dms, await createProfile(dms, profile), { serialNumbers: ['CURVE-1'] });
    await applyAnswer(dms, 'CURVE-1');
    // At no beginning of a bucket of five minutes.
    const second = Math.floor(Date.now() / 1_000);
    await sendTemperature(dms, 'CURVE-1', 20, new Date((second % 300 === 0 ? second - 1 : second) * 1_000));
    await dms.api.post(`/assets/${id}/mute`, {
      until: new Date(Date.now() + 60_000).toISOString(),
      reason: 'Defrosting',
    });
    const [alert] = (await dms.api.get(`/alerts?assetId=${id}`)).body.items;
    await dms.api.post(`/alerts/${alert.id}/comments`, { comment: 'Door shut' });
    const curveOf = async (fromMs: number, toMs: number) => {
      const query = new URLSearchParams({
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
      });
      return JSON.parse(await page(`/devices/${id}/curve?${query}`));
    };
    const now = Date.now();
    const near = await curveOf(now - 600_000, now + 600_000);
    assert.deepEqual(near.curves[0].avg.slice(0, 1), [20]);
    assert.notEqual(near.curves[0].times[0] % 300, 0);
    assert.equal(near.mutes[0].reason, 'Defrosting');
    assert.equal(near.notes[0].text, 'Door shut');
    assert.deepEqual(
      near.alerts.map((each: { id: string; to: number | null }) => [each.id, each.to]),
      [[alert.id, null]],
    );
    assert.equal(near.curves[0].alerts.length, 1);
    const wide = await curveOf(now - 6 * 3_600_000, now + 600_000);
    assert.equal(wide.curves[0].times[0] % 300, 0);
    const before = await curveOf(now - 7_200_000, now - 3_600_000);
    assert.deepEqual([before.curves, before.alerts, before.mutes, before.notes], [[], [], [], []]);
  });

  it('neither draws, names nor exports devices of another organization', async () => {
    const foreign = await register(await dms.addOrganization(), 'FOREIGN-1', { name: 'Foreign fridge' });
    for (const path of [
      `${foreign}/curve`,
      `${foreign}/readings.csv`,
      `${assetId}/readings.csv?with=${foreign}`,
    ]) {
      const { status } = await visit(`${dms.baseUrl}/operator/devices/${path}`, { cookie });
      assert.equal(status, 404, path);
    }
    const shown = await page(`/devices/${assetId}?with=${foreign}&with=none&with=${assetId}`);
    assert.match(shown, /data-curve="\[\{[^{]+\}\]"/);
    assert.doesNotMatch(shown, /Foreign/);
    assert.match(await page(`/devices/${assetId}?find=FOREIGN`), /No other device/);
  });

  it('tells devices of one name apart in a curve, by their serial numbers', async () => {
    const [one, other] = await Promise.all(
      ['SAME-1', 'SAME-2'].map((serial) => register(dms, serial, { name: 'Same & name' })),
    );
    const shown = await page(`/devices/${one}?with=${other}&with=${assetId}`);
    const [, labels = ''] = shown.match(/data-curve="([^"]*)"/) ?? [];
    const names = JSON.parse(labels.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as Array<{
      name: string;
    }>;
    const [first, second, third] = names.map(({ name }) => name);
    assert.deepEqual([first, second], ['Same & name (SAME-1)', 'Same & name (SAME-2)']);
    assert.doesNotMatch(third ?? '', /\(/);
  });

  it('names who acknowledged an alert and when, here and in the list of alerts, even after its end', async () => {
    await sendTemperature(dms, 'FRIDGE-1', 20);
    const { body } = await dms.api.get('/alerts');
    const [alert] = body.items;
    const shown = /Grace Hopper <span class="quiet"><time datetime="\d{4}-/;
    assert.doesNotMatch(await page('/alerts?status=all'), shown);
    const { status } = await visit(`${dms.baseUrl}/operator/forms/acknowledgeAlert?alertId=${alert.id}`, {
      cookie,
      form: {},
    });
    assert.equal(status, 303);
    await dms.api.patch(`/alerts/${alert.id}`, { status: 'acknowledged' });
    for (const path of ['/alerts?status=acknowledged', '/alerts?status=all', `/devices/${assetId}`])
      assert.match(await page(path), shown, path);
    await sendTemperature(dms, 'FRIDGE-1', 5);
    assert.match(await page('/alerts?status=resolved'), shown);
  });

  it('shows the history of an alert, and accepts assignments, snoozes and their end, and comments', async () => {
    await sendTemperature(dms, 'FRIDGE-1', 20);
    const [alert] = (await dms.api.get('/alerts?status=new')).body.items;
    const path = `/alerts/${alert.id}`;
    assert.match(await page('/alerts?status=all'), new RegExp(`href="/operator${path}"`));
    const send = (action: string, form: Record<string, string>) =>
      visit(`${dms.baseUrl}/operator/forms/${action}?alertId=${alert.id}`, { cookie, form });
    assert.match(
      await page(`/forms/acknowledgeAlert?alertId=${alert.id}`),
      /<option value="0.25">15 min<\/option><option value="0.5">30 min<\/option><option value="1">1 h</,
    );
    assert.equal((await send('acknowledgeAlert', { assignee: 'Ada', snoozeUntil: '0.5' })).status, 303);
    assert.equal((await send('commentAlert', { comment: '<b>Door</b>\r\nclosed' })).status, 303);
    const shown = await page(path);
    for (const part of [
      /opened/,
      /acknowledged/,
      /Grace Hopper/,
      /Ada/,
      /<span class="breaks">&lt;b&gt;Door&lt;\/b&gt;\nclosed</,
    ])
      assert.match(shown, part);
    assert.match(shown, /<dt>Since<\/dt><dd><time datetime="[^"]+" data-clock="age">/);
    assert.match(shown, /data-label="When"><time datetime="[^"]+" data-clock>/);
    const { snoozeUntil, assignee } = (await dms.api.get(path)).body;
    assert.match(shown, new RegExp(`until <time datetime="${snoozeUntil}" data-clock>`));
    const aheadMs = Date.parse(snoozeUntil) - Date.now();
    assert.ok(aheadMs > 0 && aheadMs < HOUR_MS, `${aheadMs}`);
    assert.equal(assignee, 'Ada');
    assert.match(shown, /operator\/forms\/endSnooze/);
    assert.equal((await send('endSnooze', { comment: 'Eight hours too many' })).status, 303);
    const { body: ended } = await dms.api.get(path);
    assert.deepEqual([ended.status, ended.snoozeUntil, ended.assignee], ['acknowledged', null, 'Ada']);
    assert.doesNotMatch(await page(path), /endSnooze/);
    assert.equal((await send('commentAlert', { comment: ' ' })).status, 400);
    await sendTemperature(dms, 'FRIDGE-1', 5);
    assert.doesNotMatch(await page(path), /acknowledgeAlert/);
  });

  it('shows who is notified next of an alert, until it is acknowledged with a comment', async () => {
    const target = 'http://127.0.0.1:9/grace';
    const channel = (await dms.api.post('/notification-channels', { type: 'webhook', target })).body;
    const steps = [{ afterMinutes: 15, channelIds: [channel.id] }];
    const escalation = (await dms.api.post('/escalations', { name: 'On call', steps })).body;
    await sendTemperature(dms, 'FRIDGE-1', 20);
    const [{ id }] = (await dms.api.get('/alerts?status=new')).body.items;
    assert.match(
      await page(`/alerts/${id}`),
      /no step was made yet, http:\/\/127\.0\.0\.1:9\/\S* is next, <time datetime/,
    );
    await visit(`${dms.baseUrl}/operator/forms/acknowledgeAlert?alertId=${id}`, {
      cookie,
      form: { assignee: '', comment: 'Door shut' },
    });
    const shown = await page(`/alerts/${id}`);
    assert.match(shown, /<dt>Severity<\/dt><dd>critical</);
    assert.match(shown, /<dt>Notified<\/dt><dd><span class="quiet">no channel</);
    assert.match(shown, new RegExp(`href="/operator/devices/${assetId}\\?from=[^"]+#curve"`));
    assert.match(shown, /none follows/);
    assert.match(shown, /Door shut/);
    await dms.api.delete(`/escalations/${escalation.id}`);
    await dms.api.delete(`/notification-channels/${channel.id}`);
    await sendTemperature(dms, 'FRIDGE-1', 5);
  });

  it('leads from an alert that began long ago, or ahead of now, to the curve of its beginning', async () => {
    for (const startedAt of [Date.now() - 450 * DAY_MS, Date.now() + 5 * HOUR_MS]) {
      const { rows } = await dms.service.sql.raw(
        `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at)
         values (?, ?, 'FRIDGE-1', 'low_battery', 'new', '{}', ?) returning id`,
        [dms.id, assetId, new Date(startedAt)],
      );
      const [, path = ''] =
        (await page(`/alerts/${rows[0].id}`)).match(/href="\/operator(\/devices\/[^"]+)#curve"/) ?? [];
      const shown = await page(path.replaceAll('&amp;', '&'));
      assert.doesNotMatch(shown, /span-fault/);
      const [, from = ''] = shown.match(/id="curve-from" name="from" value="([^"]+)"/) ?? [];
      assert.ok(Date.parse(`${from}Z`) < Math.min(startedAt, Date.now()), from);
      await dms.service.sql('alerts').where({ organization_id: dms.id, id: rows[0].id }).delete();
    }
  });

  it('mutes a device or its group for some hours, shows the end and the reason, and ends the mute', async () => {
    const path = `/devices/${assetId}`;
    const send = (form: string, fields: Record<string, string>) =>
      visit(`${dms.baseUrl}/operator/forms/${form}`, { cookie, form: fields });
    assert.doesNotMatch(await page(path), /Under maintenance/);
    assert.equal(
      (await send(`muteAsset?assetId=${assetId}`, { until: '2', reason: '<i>Defrosting</i>' })).status,
      303,
    );
    assert.match(
      await page(path),
      /Under maintenance<\/strong> until <time [^>]+>[^<]+<\/time> by Grace Hopper: &lt;i&gt;Defrosting/,
    );
    assert.equal((await send(`unmuteAsset?assetId=${assetId}`, {})).status, 303);
    assert.doesNotMatch(await page(path), /Under maintenance/);
    const { id } = (await dms.api.post('/groups', { name: 'Cold rooms' })).body;
    await dms.api.post(`/groups/${id}/add-members`, { serialNumbers: ['FRIDGE-1'] });
    assert.equal((await send(`muteGroup?groupId=${id}`, { until: '2', reason: 'A new floor' })).status, 303);
    assert.equal((await dms.api.get(`/groups/${id}`)).body.mute.reason, 'A new floor');
    assert.match(await page(path), /Under maintenance, with its group,/);
    const from = new Date(Date.now() + 3 * HOUR_MS).toISOString().slice(0, 16);
    const planned = { from, until: '2', reason: 'A new door' };
    assert.equal((await send(`muteAsset?assetId=${assetId}`, planned)).status, 303);
    const [{ after }] = (await dms.api.get(`/audit?subject=${assetId}`)).body.items;
    assert.equal(Date.parse(after.until) - Date.parse(after.from), 2 * HOUR_MS);
    const until = new Date(Date.now() + 90 * HOUR_MS).toISOString().slice(0, 16);
    const untilTime = { from, until: '2', 'until-at': until, reason: 'A new roof' };
    assert.equal((await send(`muteAsset?assetId=${assetId}`, untilTime)).status, 303);
    const [typed] = (await dms.api.get(`/audit?subject=${assetId}`)).body.items;
    assert.equal(typed.after.until, `${until}:00.000Z`);
    const refused = await send(`muteAsset?assetId=${assetId}`, { ...untilTime, reason: '' });
    assert.match(
      refused.text,
      new RegExp(
        `<label for="until-at">or until</label> <span class="row"><input type="datetime-local" id="until-at" name="until-at" value="${until}">`,
      ),
    );
    const reversed = await send(`muteAsset?assetId=${assetId}`, {
      ...untilTime,
      from: until,
      'until-at': from,
    });
    assert.match(reversed.text, /id="until-fault">For or until must be after its beginning/);
    await dms.api.delete(`/assets/${assetId}/mute`);
    assert.equal((await send(`muteAsset?assetId=${assetId}`, { until: '9999', reason: 'Long' })).status, 400);
    await dms.api.delete(`/groups/${id}`);
  });

  it('names group and profile, offers that profile first, and a certificate only where there is one', async () => {
    const id = await register(dms, 'NAMED-1');
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'zz-last' });
    const { body: group } = await dms.api.post('/groups', { name: 'Pharmacy' });
    await dms.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['NAMED-1'] });
    await apply(dms, slug, { serialNumbers: ['NAMED-1'] });
    await applyAnswer(dms, 'NAMED-1');
    const text = await page(`/devices/${id}`);
    assert.match(text, /<dt>Group<\/dt><dd><a [^>]*>Pharmacy</);
    assert.match(text, /<dt>Profile<\/dt><dd><a [^>]*>Vaccine fridge</);
    assert.match(text, /<option value="zz-last" selected>/);
    assert.doesNotMatch(text, /certificate\.pdf/);
    const reader = await signIn(dms, { role: 'read' });
    const seen = async () =>
      (await visit(`${dms.baseUrl}/operator/devices/${id}`, { cookie: reader })).text.match(/>More…</g);
    assert.deepEqual([text.match(/>More…</g)?.length, await seen()], [1, null]);
    const form = new FormData();
    form.append('file', new Blob(['%PDF-1.4'], { type: 'application/pdf' }), 'c.pdf');
    const url = `${dms.baseUrl}/operator/forms/uploadCalibrationCertificate/file?assetId=${id}`;
    assert.equal((await visit(url, { cookie, form })).status, 303);
    assert.match(await page(`/devices/${id}`), /certificate\.pdf/);
    assert.equal((await seen())?.length, 1);
  });

  it('shows everything that concerned the device: import, group, profile, alert and its comment', async () => {
    await registerMany(dms, 1, 'PAST');
    const [{ id }] = (await dms.api.get('/assets?serialNumber=PAST-0000')).body.items;
    const grace = await signIn(dms, { name: 'Grace' });
    const create = `${dms.baseUrl}/operator/forms/createGroup`;
    const created = await visit(create, { cookie: grace, form: { name: 'Old ward' } });
    assert.equal(created.status, 303, created.text);
    const { items: groups } = (await dms.api.get('/groups')).body;
    const group = groups.find(({ name }: { name: string }) => name === 'Old ward');
    await dms.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['PAST-0000'] });
    await dms.api.patch(`/assets/${id}`, { groupId: null });
    await apply(dms, 'zz-last', { serialNumbers: ['PAST-0000'] });
    await applyAnswer(dms, 'PAST-0000');
    await sendTemperature(dms, 'PAST-0000', 20);
    const [alert] = (await dms.api.get(`/alerts?assetId=${id}`)).body.items;
    await dms.api.post(`/alerts/${alert.id}/comments`, { comment: '<i>Door</i>' });
    await dms.api.patch(`/assets/${id}`, { name: 'Renamed' });
    const row = (what: RegExp) => new RegExp(`<tr>(?:(?!</tr>).)*${what.source}(?:(?!</tr>).)*</tr>`, 's');
    const rows = [
      /Registered by an import.*[^–]</,
      /Joined the group Old ward.*/,
      /Left the group Old ward/,
      /Profile Vaccine fridge: applied/,
      /Alert began: too warm/,
      /Alert commented: too warm.*&lt;i&gt;Door/,
      /Change asset/,
    ];
    const text = await page(`/devices/${id}/history`);
    for (const each of rows) assert.match(text, row(each));
    assert.match(text, /<body data-watch=.*<div data-live="history">.*Change asset/s);
    assert.match(await page(`/devices/${id}`), new RegExp(`href="/operator/devices/${id}/history"`));
    for (const change of [/Joined the group Old ward/, /Left the group Old ward/])
      assert.doesNotMatch(text.match(row(change))?.[0] ?? '', /Grace|<span class="quiet">–/);
    await dms.api.delete(`/assets/${id}`);
    const moved = await visit(`${dms.baseUrl}/operator/devices/${id}`, { cookie });
    assert.equal(moved.headers.get('location'), `/operator/archived/${id}`);
    const archived = await page(`/archived/${id}`);
    assert.match(archived, /Archived <time.*<div data-live="history">.*Archive asset/s);
    for (const each of rows) assert.match(archived, row(each));
  });

  it('says of a device that an import registered it, and names nobody where several people imported at that time', async () => {
    const { key } = (await dms.api.post('/keys', { name: 'Night shift', role: 'write' })).body;
    await dms.api.post('/assets/import', [{ serialNumber: 'MIXED-1' }]);
    await dms.with(key).post('/assets/import', [{ serialNumber: 'MIXED-2' }]);
    const [{ id }] = (await dms.api.get('/assets?serialNumber=MIXED-1')).body.items;
    const text = await page(`/devices/${id}/history`);
    assert.match(text, /Registered by an import/);
    assert.doesNotMatch(text, /Night shift/);
  });

  it('lists each change of a device once in its history, and none of other devices of its serial number or name', async () => {
    const id = await register(dms, 'TWICE-1', { name: 'Twice' });
    const other = await register(dms, 'TWICE', { name: 'TWICE-1' });
    await dms.api.patch(`/assets/${other}`, { name: 'Twice' });
    await apply(dms, 'zz-last', { serialNumbers: ['TWICE-1'] });
    await dms.api.post('/devices/twice-1/config/withdraw');
    await dms.api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: 'TWICE-2' });
    const next = await register(dms, 'TWICE-1');
    await apply(dms, 'zz-last', { serialNumbers: ['TWICE-1'] });
    await dms.api.post('/devices/Twice-1/config/withdraw');
    await dms.api.delete(`/assets/${id}`);
    const again = await register(dms, 'TWICE-2');
    const changes = async (path: string) =>
      [...(await page(path)).matchAll(/<td data-label="What">([A-Z]\w+ \w+(?: \w+)?)<\/td>/g)].map(
        ([, what]) => what,
      );
    const all = ['Archive asset', 'Replace hardware', 'Withdraw device config', 'Register asset'];
    assert.deepEqual(await changes(`/archived/${id}`), all);
    assert.deepEqual(await changes(`/devices/${next}/history`), ['Withdraw device config', 'Register asset']);
    assert.deepEqual(await changes(`/devices/${again}/history`), ['Register asset']);
    assert.deepEqual(await changes(`/devices/${other}/history`), ['Change asset', 'Register asset']);
  });

  it('shows the acknowledgement of an alert once, and ends of a snooze and of maintenance as times', async () => {
    const id = await register(dms, 'SNOOZED-1');
    await apply(dms, 'zz-last', { serialNumbers: ['SNOOZED-1'] });
    await applyAnswer(dms, 'SNOOZED-1');
    await sendTemperature(dms, 'SNOOZED-1', 20);
    const [alert] = (await dms.api.get(`/alerts?assetId=${id}`)).body.items;
    const snoozeUntil = new Date(Date.now() + HOUR_MS).toISOString();
    assert.equal(
      (await dms.api.patch(`/alerts/${alert.id}`, { status: 'acknowledged', snoozeUntil })).status,
      200,
    );
    assert.equal(
      (await dms.api.post(`/assets/${id}/mute`, { until: snoozeUntil, reason: 'Defrosting' })).status,
      201,
    );
    const text = await page(`/devices/${id}/history`);
    assert.equal(text.match(/>(Alert acknowledged|Acknowledge alert)/g)?.length, 1);
    const ends = text.match(
      new RegExp(`<td data-label="Details">(until )?<time datetime="${snoozeUntil}"`, 'g'),
    );
    assert.equal(ends?.length, 2);
  });

  it('lists in the history of a profile changes of that profile alone', async () => {
    const id = await register(dms, 'SHARED', { name: 'Shared' });
    await createProfile(dms, { ...FRIDGE, slug: 'shared' });
    await apply(dms, 'shared', { serialNumbers: ['SHARED'] });
    await dms.api.post('/devices/shared/config/withdraw');
    await dms.api.patch(`/assets/${id}`, { name: 'shared' });
    const history = (await page('/profiles/shared')).split('<h2>History</h2>')[1] ?? '';
    const actions = [...history.matchAll(/<td data-label="Action">([^<]+)</g)].map(([, action]) => action);
    assert.deepEqual(actions, ['apply profile', 'create profile']);
  });

  it('registers the logger of an archived device again, as archiving has said', async () => {
    const id = await register(dms, 'BACK-1', { name: 'Cellar' });
    assert.match(
      await page(`/forms/archiveAsset?assetId=${id}`),
      /It cannot be put back: its logger can be registered again from there.*<button class="danger">/s,
    );
    await dms.api.delete(`/assets/${id}`);
    assert.match(
      await page(`/archived/${id}`),
      /Register the logger again.*name="serialNumber" value="BACK-1".*name="name"[^>]* value="Cellar"/s,
    );
    const form = { serialNumber: 'BACK-1', name: 'Cellar' };
    const sent = await visit(`${dms.baseUrl}/operator/forms/registerAsset`, { cookie, form });
    const [, again = ''] = sent.headers.get('location')?.match(/^\/operator\/devices\/([^?]+)/) ?? [];
    const archived = await page(`/archived/${id}`);
    assert.match(archived, new RegExp(`belongs to <a href="/operator/devices/${again}">Cellar</a> now`));
    assert.doesNotMatch(archived, /Register the logger again/);
    const reader = await signIn(dms, { role: 'read' });
    await dms.api.delete(`/assets/${again}`);
    const seen = await visit(`${dms.baseUrl}/operator/archived/${again}`, { cookie: reader });
    assert.doesNotMatch(seen.text, /Register the logger again/);
  });

  it('shows statistics of an archived device, also in place of a curve, and leads to its record as PDF', async () => {
    const id = await register(dms, 'KEPT-1', { name: 'Cellar fridge' });
    await sendTemperature(dms, 'KEPT-1', 5);
    await dms.api.delete(`/assets/${id}`);
    const [, form = ''] =
      (await page(`/archived/${id}`)).match(/<form[^>]*\/statistics">(.*?)<\/form>/s) ?? [];
    const [from = '', to = ''] = [...form.matchAll(/ value="([^"]+)"/g)].map(([, value = '']) => value);
    const text = await page(`/devices/${id}/statistics?${new URLSearchParams({ from, to })}`);
    assert.match(text, /Cellar fridge.*<td[^>]*>1 temperature.*<td data-label="Min">5 °C/s);
    const [, pdf = ''] = text.match(/href="(\/operator\/devices\/[^"]+statistics\.pdf[^"]+)"/) ?? [];
    const { status, headers } = await visit(dms.baseUrl + pdf.replaceAll('&amp;', '&'), { cookie });
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/pdf']);
    const span = String(new URLSearchParams({ from, to }));
    const curve = await visit(`${dms.baseUrl}/operator/devices/${id}?${span}`, { cookie });
    assert.equal(curve.headers.get('location'), `/operator/devices/${id}/statistics?${span}`);
    const reversed = `/devices/${id}/statistics?${new URLSearchParams({ from: to, to: from })}`;
    assert.match(await page(reversed), /role="alert">The end must be after the beginning/);
  });

  it('finds archived devices by name and serial number, and no device of another organization', async () => {
    const id = await register(dms, 'GONE-1', { name: 'Ice house' });
    await dms.api.delete(`/assets/${id}`);
    const link = new RegExp(`/operator/archived/${id}"[^>]*>Ice house`);
    for (const path of ['/archived', '/archived?q=ice', '/archived?q=gone-1', '/fleet?q=gone-1'])
      assert.match(await page(path), link, path);
    assert.doesNotMatch(await page('/archived?q=other'), link);
    const street = await register(dms, 'GONE-2', { name: 'K\u00fchlhaus Stra\u00dfe' });
    await dms.api.delete(`/assets/${street}`);
    for (const typed of ['STRASSE', ' Ku\u0308hl '])
      for (const path of ['/archived', '/fleet'])
        assert.match(
          await page(`${path}?q=${encodeURIComponent(typed)}`),
          new RegExp(`/archived/${street}"`),
          typed,
        );
    assert.match(await page('/fleet?q=gone'), /href="\/operator\/archived\?q=gone"/);
    const stranger = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    const list = await visit(`${dms.baseUrl}/operator/archived`, { cookie: stranger });
    assert.doesNotMatch(list.text, /Ice house/);
    for (const path of [
      `devices/${id}`,
      `devices/${id}/history`,
      `devices/${id}/statistics`,
      `archived/${id}`,
    ]) {
      const { status } = await visit(`${dms.baseUrl}/operator/${path}`, { cookie: stranger });
      assert.equal(status, 404, path);
    }
  });

  it('shows no state of a replaced logger as that of its successor, and finds the replaced one', async () => {
    const id = await register(dms, '282C02424EA1', { name: 'Cold store' });
    await report(dms, '282C02424EA1', FACTORY);
    assert.doesNotMatch(await page(`/devices/${id}`), /not heard yet/);
    const question = await page(`/forms/replaceHardware?assetId=${id}`);
    assert.match(question, /Cold store, 282C02424EA1/);
    await dms.api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: '282C02424EA2' });
    const text = await page(`/devices/${id}`);
    assert.match(text, /<h1>Cold store <span class="badge info">not heard yet</);
    assert.match(text, /282C02424EA2 replaced 282C02424EA1 <time/);
    assert.match(text, /Reported <time.*by the earlier logger 282C02424EA1/s);
    assert.match(await page('/fleet?q=282c02424ea1'), /were replaced.*282C02424EA1.*Cold store/s);
    await report(dms, '282C02424EA1', FACTORY);
    assert.match(await page('/unregistered'), /was replaced at <a [^>]*>Cold store</);
    await report(dms, '282C02424EA2', FACTORY);
    const heard = await page(`/devices/${id}`);
    assert.doesNotMatch(heard, /not heard yet|by the earlier logger/);
  });

  it('lets ticked devices join a group', async () => {
    await register(dms, 'TICK-1');
    const { body: group } = await dms.api.post('/groups', { name: 'Ticked' });
    assert.match(await page('/fleet?q=TICK-1'), /formaction="\/operator\/join".*/s);
    const join = (form: Record<string, string>) => visit(`${dms.baseUrl}/operator/join`, { cookie, form });
    const { status, headers } = await join({
      slug: 'zz-last',
      joinedGroupId: group.id,
      serialNumbers: 'TICK-1',
    });
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/operator/groups/${group.id}?done=addGroupMembers`);
    assert.equal((await dms.api.get(`/groups/${group.id}`)).body.memberCount, 1);
    const none = await join({ joinedGroupId: group.id });
    assert.equal(none.status, 400);
    assert.match(none.text, /Tick the devices first/);
  });

  it('withdraws all that is pending for ticked devices after a question, and comes back to their list', async () => {
    for (const serial of ['TICK-2', 'TICK-3', 'TICK-4']) await register(dms, serial);
    const slug = await createProfile(dms, { slug: 'twelve', intervals: { measurementIntervalMinutes: 12 } });
    await apply(dms, slug, { serialNumbers: ['TICK-2', 'TICK-3', 'TICK-4'] });
    const back = '/operator/fleet?q=TICK';
    assert.match(await page('/fleet?q=TICK'), /name="return" value="\/operator\/fleet\?q=TICK"/);
    const withdraw = (serials: string[], more: Record<string, string> = {}, as = cookie) =>
      visit(`${dms.baseUrl}/operator/withdraw`, {
        cookie: as,
        form: new URLSearchParams([
          ...serials.map((each): [string, string] => ['serialNumbers', each]),
          ...Object.entries({ slug: '', return: back, ...more }),
        ]),
      });
    const pending = () =>
      Promise.all(
        ['TICK-2', 'TICK-3', 'TICK-4'].map(async (each) => (await configOf(dms, each)).pendingConfig),
      );
    const asked = await withdraw(['TICK-2', 'TICK-3', 'TICK-3']);
    assert.match(asked.text, /<h1>Withdraw what is pending for 2 devices\?.*The settings in force stay/s);
    assert.ok(asked.text.includes(`name="return" value="${back}"`));
    assert.equal((await withdraw(['TICK-2', 'NO-SUCH'], { step: 'apply' })).status, 404);
    const reader = await signIn(dms, { role: 'read' });
    assert.equal((await withdraw(['TICK-2'], { step: 'apply' }, reader)).status, 403);
    const none = await withdraw([]);
    assert.equal(none.status, 400);
    assert.match(none.text, /Tick the devices first/);
    assert.equal((await pending()).filter((each) => each === null).length, 0);
    const { headers } = await withdraw(['TICK-2', 'TICK-3'], { step: 'apply' });
    assert.equal(headers.get('location'), `${back}&done=withdrawDeviceConfig`);
    assert.deepEqual(
      (await pending()).map((each) => each === null),
      [true, true, false],
    );
    const again = await visit(`${dms.baseUrl}/operator/withdraw`, { cookie });
    assert.equal(again.headers.get('location'), '/operator/fleet');
  });

  it('withdraws all that is pending, and offers that only where something is', async () => {
    const button = /href="([^"]+withdrawDeviceConfig[^"]+)"/;
    assert.doesNotMatch(await page(`/devices/${assetId}`), button);
    const slug = await createProfile(dms, { slug: 'ten', intervals: { measurementIntervalMinutes: 10 } });
    await apply(dms, slug, { serialNumbers: ['FRIDGE-1'] });
    const [, action = ''] = (await page(`/devices/${assetId}`)).match(button) ?? [];
    assert.equal((await visit(dms.baseUrl + action, { cookie, form: {} })).status, 303);
    assert.equal((await configOf(dms, 'FRIDGE-1')).pendingConfig, null);
    assert.doesNotMatch(await page(`/devices/${assetId}`), button);
  });
});
