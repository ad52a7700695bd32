/** Acknowledging several alerts at once, and finding alerts by type. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { register, sendLowBattery } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { OPERATOR_ORIGIN, signIn, visit } from './visitor.ts';

describe('Ticked alerts', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
    for (const [index, name] of ['Attic', 'Cellar', 'Larder', 'Pantry'].entries()) {
      const serial = `282C02424E0${index}`;
      await register(dms, serial, { name });
      await sendLowBattery(dms, serial);
    }
  });

  const alerts = async () => (await dms.api.get('/alerts?type=low_battery')).body.items;
  const see = async (path: string, as = cookie) =>
    (await visit(`${dms.baseUrl}/operator${path}`, { cookie: as })).text;
  const send = (fields: Array<[string, string]>, as = cookie) =>
    visit(`${dms.baseUrl}/operator/acknowledge-alerts`, { cookie: as, form: new URLSearchParams(fields) });

  it('offers a box for each new alert on both pages, named after the device, and none to a reader', async () => {
    for (const path of ['', '/alerts']) {
      assert.match(
        await see(path),
        /<input type="checkbox" name="alertId"[^>]* aria-label="Choose low battery of Cellar"/,
      );
      assert.doesNotMatch(await see(path, await signIn(dms, { role: 'read' })), /name="alertId"/);
    }
  });

  it('shows the list with the note as typed when none is ticked, and says what to do', async () => {
    for (const back of ['/operator', '/operator/alerts?status=new']) {
      const { status, text } = await send([
        ['comment', 'New "batteries"'],
        ['return', back],
      ]);
      assert.equal(status, 400);
      assert.match(text, /role="status">Tick the alerts to be acknowledged first/);
      assert.match(text, /name="alertId".* name="comment"[^>]* value="New &quot;batteries&quot;"/s);
      assert.ok(text.includes(`name="return" value="${back}"`));
      assert.doesNotMatch(text, /data-watch/);
    }
    const again = await visit(`${dms.baseUrl}/operator/acknowledge-alerts`, { cookie });
    assert.equal(again.headers.get('location'), '/operator/alerts');
  });

  it('acknowledges them with one note, in the name of the person, and comes back', async () => {
    const [first, second] = await alerts();
    const response = await send([
      ['alertId', first.id],
      ['alertId', second.id],
      ['comment', 'New batteries are on their way'],
      ['return', '/operator'],
    ]);
    assert.equal(response.headers.get('location'), '/operator?done=acknowledgeTicked');
    assert.match(await see('?done=acknowledgeTicked'), /The ticked alerts are acknowledged/);
    const states = (await alerts()).map(({ status }: { status: string }) => status);
    assert.deepEqual(states.sort(), ['acknowledged', 'acknowledged', 'new', 'new']);
    const { body } = await dms.api.get(`/alerts/${second.id}`);
    const { by, comment } = body.history.at(-1);
    assert.deepEqual([by.name, comment], ['Grace Hopper', 'New batteries are on their way']);
  });

  it('names the device on the forms of an alert, and says of an acknowledged one what they do to it', async () => {
    const [{ id }] = await alerts();
    const form = `/operator/forms/assignAlert?alertId=${id}`;
    assert.ok((await see(`/alerts/${id}`)).includes(`href="${form}">Assign or snooze<`));
    const url = dms.baseUrl + form;
    const { text } = await visit(url, { cookie });
    assert.match(text, /<h1>Assign or snooze <span class="quiet">low battery of Pantry<.*>Save<\/button>/s);
    const { headers } = await visit(url, { cookie, form: { assignee: 'Ada' } });
    assert.equal(headers.get('location'), `/operator/alerts/${id}?done=assignAlert`);
    assert.match(await see(`/alerts/${id}?done=assignAlert`), /The alert is changed, and stays acknowledged/);
  });

  it('passes over an alert that has ended, and refuses an alert of another organization', async () => {
    const [, , third, fourth] = (await alerts()).reverse();
    await dms.service
      .sql('alerts')
      .where({ organization_id: dms.id, id: third.id })
      .update({ status: 'resolved' });
    const ended = await send([
      ['alertId', third.id],
      ['alertId', fourth.id],
    ]);
    assert.equal(ended.status, 303);
    assert.equal((await dms.api.get(`/alerts/${fourth.id}`)).body.status, 'acknowledged');
    const other = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    assert.equal((await send([['alertId', fourth.id]], other)).status, 404);
    const reader = await signIn(dms, { role: 'read' });
    assert.equal((await send([['alertId', fourth.id]], reader)).status, 403);
  });

  it('leads from the open alerts of a device to acknowledged ones where none is new', async () => {
    const [, path = ''] =
      (await see('/fleet?q=Pantry')).match(/class="badge bad" href="\/operator([^"]+)">1 open</) ?? [];
    assert.match(await see(path), /aria-current="page"[^>]*>Acknowledged 1<.*1 in all.*Pantry/s);
    assert.match(await see(`${path}&status=new`), /aria-current="page"[^>]*>New 0<.*There is none/s);
  });

  it('refuses a note that is no text in UTF-8', async () => {
    const [{ id }] = await alerts();
    const post = (comment: string) =>
      fetch(`${dms.baseUrl}/operator/acknowledge-alerts`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: OPERATOR_ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
        body: `alertId=${id}&comment=${comment}`,
      });
    assert.equal((await post('%ED%A0%80')).status, 400);
    assert.equal((await post('%EF%BF%BD+100%25')).status, 303);
    const { body } = await dms.api.get(`/alerts/${id}`);
    assert.equal(body.history.at(-1).comment, '\uFFFD 100%');
  });

  it('acknowledges none when one of them cannot be found', async () => {
    const serial = '282C02424E0A';
    await register(dms, serial);
    await sendLowBattery(dms, serial);
    const [own] = await alerts();
    const { status } = await send([
      ['alertId', own.id],
      ['alertId', randomUUID()],
    ]);
    const { body } = await dms.api.get(`/alerts/${own.id}`);
    assert.deepEqual([status, body.status], [404, 'new']);
  });

  it('finds alerts by type and severity, and those in late data', async () => {
    const text = await see('/alerts?status=all&type=low_battery');
    assert.match(text, /<option value="low_battery" selected>/);
    assert.match(text, /low battery.*Attic/s);
    assert.match(await see('/alerts?status=all&type=high_temp'), /There is none/);
    assert.match(await see('/alerts?status=all&severity=warning'), /There is none/);
    const late = await see('/alerts?status=all&late=true');
    assert.match(late, /name="late" value="true" checked>.*There is none/s);
  });

  it('counts new and acknowledged alerts on their tabs, by the other filters', async () => {
    const count = async (query: string) => (await dms.api.get(`/alerts?limit=1&${query}`)).body.totalItems;
    const text = await see('/alerts');
    assert.match(
      text,
      new RegExp(` title="[^"]* an alert that needs somebody\\.">New ${await count('status=new')}</a>`),
    );
    assert.match(text, new RegExp(`>Acknowledged ${await count('status=acknowledged')}</a>`));
    const warm = await see('/alerts?type=high_temp');
    assert.match(warm, />New 0<.*>Acknowledged 0</s);
  });

  it('finds alerts of a group, and comes back to the same filters', async () => {
    const { body: group } = await dms.api.post('/groups', { name: 'Upstairs' });
    await dms.api.post(`/groups/${group.id}/add-members`, {
      serialNumbers: ['282C02424E00', '282C02424E0A'],
    });
    const text = await see(`/alerts?status=all&groupId=${group.id}`);
    assert.match(text, new RegExp(`<option value="${group.id}" selected>Upstairs`));
    assert.match(text, /Attic/);
    assert.doesNotMatch(text, /Cellar|Larder/);
    assert.match(text, new RegExp(`name="return" value="[^"]*groupId=${group.id}">`));
    const { body } = await dms.api.get(`/alerts?groupId=${group.id}`);
    assert.equal(body.totalItems, 2);
    assert.equal((await dms.api.get('/alerts?groupId=x')).status, 400);
    assert.equal((await dms.api.get(`/alerts?groupId=${randomUUID()}`)).body.totalItems, 0);
  });

  it('lists devices and groups under maintenance with their end, and no longer after it', async () => {
    const [{ assetId }] = await alerts();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { body: group } = await dms.api.post('/groups', { name: 'Downstairs' });
    await dms.api.post(`/assets/${assetId}/mute`, { until, reason: 'Defrosting' });
    await dms.api.post(`/groups/${group.id}/mute`, { until, reason: 'A new floor' });
    const text = await see('/maintenance');
    assert.match(text, /Defrosting.*unmuteAsset/s);
    assert.match(text, /Downstairs.*A new floor.*unmuteGroup/s);
    const reader = await see('/maintenance', await signIn(dms, { role: 'read' }));
    assert.doesNotMatch(reader, /unmute/);
    const other = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    assert.match(await see('/maintenance', other), /No device is under maintenance/);
    await dms.api.delete(`/assets/${assetId}/mute`);
    assert.doesNotMatch(await see('/maintenance'), /Defrosting/);
  });

  it('lists a planned maintenance with its beginning, on the page of its device, too', async () => {
    const [{ assetId }] = await alerts();
    const [from, until] = [3, 5].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    await dms.api.post(`/assets/${assetId}/mute`, { from, until, reason: 'A new door' });
    assert.match(
      await see('/maintenance'),
      new RegExp(`datetime="${from}".*datetime="${until}".*A new door.*Cancel`, 's'),
    );
    const device = await see(`/devices/${assetId}`);
    assert.match(device, new RegExp(`Maintenance</strong> begins <time datetime="${from}"`));
    assert.doesNotMatch(device, /Under maintenance/);
    await dms.api.delete(`/assets/${assetId}/mute`);
  });
});
