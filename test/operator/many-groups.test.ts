/** Groups are chosen by typing where there are more than a list shows. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createProfile, FRIDGE, register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

const GROUPS = 2_100;

describe('A choice among many groups', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms);
    await query(
      dms.service.sql,
      `insert into groups (organization_id, name) select ?, 'Room ' || to_char(g, 'FM0000') from generate_series(1, ?::integer) g`,
      [dms.id, GROUPS],
    );
    await query(dms.service.sql, 'vacuum analyze groups');
  });

  const see = (path: string) => visit(`${dms.baseUrl}/operator${path}`, { cookie });
  const send = (form: string, fields: Record<string, string> | URLSearchParams) =>
    visit(`${dms.baseUrl}/operator/forms/${form}`, { cookie, form: fields });
  const groupOf = async (serial: string) => {
    const { body } = await dms.api.get(`/assets?serialNumber=${serial}`);
    return (await dms.api.get(`/groups/${body.items[0].groupId}`)).body.name;
  };

  it('shows the groups of a profile, however many newer groups have none', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'fridge' });
    await query(
      dms.service.sql,
      `update groups set profile_slug = ? where organization_id = ? and name in ('Room 0002', 'Room 0001')`,
      [slug, dms.id],
    );
    const { text } = await see(`/profiles/${slug}`);
    assert.match(text, /Groups that run it.*>Room 0001<.*data-label="Members">0<.*>Room 0002</s);
  });

  it('leads to more groups from within the list that follows changes', async () => {
    assert.match(
      (await see('/groups')).text,
      /<\/table><\/div><p class="pager">.*?<\/p><\/div>\n<div class="actions">/s,
    );
  });

  it('completes names in place of a list, and takes the name of any group', async () => {
    const { text } = await see('/forms/registerAsset');
    assert.match(text, /<input id="groupId"[^>]* name="groupId:name" list="groupId-options"/);
    assert.match(text, /<option value="Room 0001">/);
    const { status } = await send('registerAsset', { serialNumber: 'G-1', 'groupId:name': ' room 2099 ' });
    assert.equal(status, 303);
    assert.equal(await groupOf('G-1'), 'Room 2099');
    await dms.api.post('/groups', { name: 'K\u00fchlraum' });
    await send('registerAsset', { serialNumber: 'G-4', 'groupId:name': 'Ku\u0308hlraum' });
    assert.equal(await groupOf('G-4'), 'K\u00fchlraum');
  });

  it('shows the name of the group that a device is in, and keeps it', async () => {
    const id = await register(dms, 'G-2');
    await send(`changeAsset?assetId=${id}`, { shown: '{}', name: 'Two', 'groupId:name': 'Room 2100' });
    const { text } = await see(`/forms/changeAsset?assetId=${id}`);
    assert.match(text, /name="groupId:name"[^>]* value="Room 2100"/);
    const { shown = '' } = hiddenIn(text);
    const kept = { shown, serialNumber: 'G-2', name: 'Renamed', 'groupId:name': 'Room 2100' };
    assert.equal((await send(`changeAsset?assetId=${id}`, kept)).status, 303);
    assert.equal(await groupOf('G-2'), 'Room 2100');
  });

  it('refuses a name that no group has at its field, and keeps what was typed', async () => {
    const typed = { serialNumber: 'G-3', name: 'Three', 'groupId:name': '<Cellar>' };
    const { status, text } = await send('registerAsset', typed);
    assert.equal(status, 400);
    assert.match(text, /id="groupId-fault">Group must be the name of a group/);
    assert.match(text, /value="&lt;Cellar&gt;"/);
    assert.match(text, /value="Three"/);
  });

  it('takes several names for a channel, and one as a filter of the fleet', async () => {
    const form = new URLSearchParams({ type: 'webhook', target: 'http://127.0.0.1:9/x' });
    for (const name of ['Room 0001', 'room 2098']) form.append('groupIds:name', name);
    assert.equal((await send('createNotificationChannel', form)).status, 303);
    const { body } = await dms.api.get('/notification-channels');
    assert.equal(body.items[0].groupIds.length, 2);
    assert.match((await see('/fleet?groupId:name=Room+2099')).text, /1 device found.*G-1/s);
  });
});
