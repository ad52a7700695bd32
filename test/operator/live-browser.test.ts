/** Pages that stay up to date while somebody works on them, in a real browser. */
import assert from 'node:assert/strict';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { HOUR_MS } from '../../src/process/durations.ts';
import { findBarriers } from '../support/barriers.ts';
import { signInAt } from '../support/browser.ts';
import { apply, applyAnswer, createProfile, register, registerMany } from '../support/fleet.ts';
import type { TestService } from '../support/service.ts';
import { useOperatorBrowser, watchAtOnce } from './operator-browser.ts';
import { newLink } from './visitor.ts';

const DEVICES = 30;

describe('An open page', () => {
  const shown = useOperatorBrowser({ view: { viewport: { width: 900, height: 500 } } });
  let dms: TestService;
  let context: BrowserContext;
  let page: Page;
  let serials: string[];

  before(async () => {
    ({ dms, context, page } = shown);
    serials = await registerMany(dms, DEVICES, 'LIVE');
    await createProfile(dms, {
      slug: 'fridge',
      temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
    });
    const [first] = serials as [string];
    await apply(dms, 'fridge', { serialNumbers: [first] });
    await applyAnswer(dms, first);
  });

  const open = async (path: string) => {
    await shown.open(path);
    await page.evaluate('globalThis.isSamePage = true');
    await watchAtOnce(page);
  };
  const assertSamePage = async () => assert.equal(await page.evaluate('globalThis.isSamePage'), true);
  const isFocused = (selector: string) =>
    page.evaluate(`document.activeElement === document.querySelector(${JSON.stringify(selector)})`);
  async function idOf(serialNumber: string): Promise<string> {
    return (await dms.api.get(`/assets?serialNumber=${serialNumber}`)).body.items[0].id;
  }
  async function send(serial: string, value: number, status = 202, more = {}): Promise<void> {
    const readings = [{ channel: 'probe', type: 'temperature', value, measuredAt: new Date().toISOString() }];
    assert.equal(
      (await dms.device.post(`/devices/${serial}/measurements`, { readings, ...more })).status,
      status,
    );
  }

  describe('in place', () => {
    before(() => open('/fleet'));

    /** Morphs the first markup into the second one; returns the result of the script between, and the markup. */
    const morph = (from: string, to: string, between = '') =>
      page.evaluate(`(async () => {
        const { morph } = await import(document.querySelector('script[src*="operator.mjs"]').src.replace('operator.mjs', 'morph.mjs'));
        const [part, fresh] = [${JSON.stringify(from)}, ${JSON.stringify(to)}].map((markup) => Object.assign(document.createElement('div'), { innerHTML: markup }));
        document.querySelector('main').append(part);
        const first = [...part.querySelectorAll('*')];
        ${between}
        morph(part, fresh);
        const shown = {
          markup: part.innerHTML,
          kept: [...part.querySelectorAll('*')].map((element) => first.indexOf(element)),
          focused: document.activeElement.id || document.activeElement.localName,
          values: [...part.querySelectorAll('input, textarea, select')].map((field) => field.type === 'checkbox' ? field.checked : field.value),
        };
        part.remove();
        return shown;
      })()`) as Promise<{ markup: string; kept: number[]; focused: string; values: unknown[] }>;
    const row = (name: string, text: string) =>
      `<tr><td><input type="checkbox" name="pick" value="${name}"></td><td><a href="/${name}">${text}</a></td></tr>`;
    const table = (...rows: string[]) => `<table><tbody>${rows.join('')}</tbody></table>`;

    it('takes the fresh markup over, whatever was there before', async () => {
      for (const [from, to] of [
        ['', '<p>One</p>'],
        ['<p>One</p>', ''],
        ['<p class="a" title="b">One</p> two', '<p class="c">Two <b>bold</b></p><h2>New</h2>'],
        [table(row('a', 'A'), row('b', 'B')), table(row('c', 'C'), row('b', 'Bee'), row('a', 'A'))],
        [table(row('a', 'A'), row('a', 'again')), table(row('a', 'A'))],
        [
          '<svg viewBox="0 0 1 1"><rect width="1"></rect></svg>',
          '<svg viewBox="0 0 1 1"><rect width="2"></rect></svg>',
        ],
        [
          '<form action="/x"><input name="id" value="1"></form>',
          '<form action="/y"><input name="id" value="1"></form>',
        ],
      ] as const)
        assert.equal((await morph(from, to)).markup, to, from);
    });

    it('keeps ticks with their rows, also when others come, go and change places', async () => {
      const from = table(row('a', 'A'), row('b', 'B'), row('c', 'C'));
      const to = table(row('d', 'D'), row('c', 'C'), row('b', 'B'));
      const { values } = await morph(from, to, 'part.querySelector("[value=b]").click();');
      assert.deepEqual(values, [false, false, true]);
    });

    it('keeps focus and typed text, also in a row that moves', async () => {
      const form = '<form action="/x"><input id="note" name="note" value="old"></form>';
      const moved = await morph(
        table(row('a', form), row('b', 'B')),
        table(row('b', 'B'), row('a', form.replace('old', 'new'))),
        'part.querySelector("#note").focus(); part.querySelector("#note").value = "typed";',
      );
      assert.deepEqual([moved.focused, moved.values], ['note', [false, false, 'typed']]);
      const untouched = await morph(form, form.replace('old', 'new'));
      assert.deepEqual(untouched.values, ['new']);
    });

    it('keeps focus and typed text while elements before and after them come and go', async () => {
      const panel = '<section><form action="/x"><input id="note" name="note"></form></section>';
      const typing = 'part.querySelector("#note").focus(); part.querySelector("#note").value = "typed";';
      for (const [from, to] of [
        [`${panel}<p>a</p>`, `<p>b</p>${panel}<p>a</p>`],
        [`<p>b</p>${panel}<p>a</p>`, `${panel}<p>a</p>`],
        [`<p>b</p>${panel}`, `${panel}<p>a</p>`],
        [`<section>b</section><p>a</p>${panel}`, `<p>a</p>${panel}`],
        [`${panel}<p>a</p>`, panel],
      ] as const) {
        const { focused, values } = await morph(from, to, typing);
        assert.deepEqual([focused, values], ['note', ['typed']], `${from} to ${to}`);
      }
    });

    it('keeps a question open, and opens no other one in its place', async () => {
      const question = (name: string, more = '') =>
        `<details${more}><summary>${name}</summary><p>Sure?</p></details>`;
      const both = question('Retry') + question('Cancel');
      const { markup } = await morph(both, both, 'part.lastChild.open = true;');
      assert.equal(markup, question('Retry') + question('Cancel', ' open=""'));
      const gone = await morph(question('Cancel'), question('Retry'), 'part.firstChild.open = true;');
      assert.equal(gone.markup, question('Retry'));
    });

    it('keeps the chosen option, also when another one comes before it', async () => {
      const select = (...values: string[]) =>
        `<select name="slug">${values.map((value) => `<option value="${value}">${value}</option>`).join('')}</select>`;
      const { values } = await morph(select('a', 'b'), select('c', 'a', 'b'), 'part.firstChild.value = "b";');
      assert.deepEqual(values, ['b']);
    });

    it('keeps a tick whose label changes', async () => {
      const box = (name: string) =>
        `<input type="checkbox" name="pick" value="a" aria-label="Choose ${name}">`;
      const { values } = await morph(box('A'), box('B'), 'part.firstChild.click();');
      assert.deepEqual(values, [true]);
    });

    it('leaves the picture of a curve to the script that draws it', async () => {
      const curve = '<div data-curve="/c"><p>Needs a script</p></div>';
      const { markup } = await morph(curve, curve, 'part.firstChild.innerHTML = "<canvas></canvas>";');
      assert.equal(markup, '<div data-curve="/c"><canvas></canvas></div>');
    });
  });

  it('keeps ticks, focus and place in the fleet while another device is renamed', async () => {
    await open('/fleet');
    const tick = page.getByRole('checkbox', { name: `Choose ${serials[20]}` });
    await tick.check();
    await tick.scrollIntoViewIfNeeded();
    const before = await page.evaluate('scrollY');
    await dms.api.patch(`/assets/${await idOf(serials[21] as string)}`, { name: 'Renamed' });
    await page.waitForSelector('a.name:has-text("Renamed")');
    assert.ok(Number(before) > 0);
    assert.equal(await page.evaluate('scrollY'), before);
    assert.equal(await tick.isChecked(), true);
    assert.equal(await isFocused(`[aria-label="Choose ${serials[20]}"]`), true);
    await assertSamePage();
  });

  it('says that a ticked row has left the list, and that it is not chosen any more', async () => {
    const ids = await Promise.all(serials.slice(8, 10).map(idOf));
    const rename = (id: string, name: string) => dms.api.patch(`/assets/${id}`, { name });
    for (const [index, id] of ids.entries()) await rename(id, `Passing ${index}`);
    await open('/fleet?q=Passing');
    for (const index of [0, 1]) await page.getByRole('checkbox', { name: `Choose Passing ${index}` }).check();
    await rename(ids[0] as string, 'Gone');
    const said = page.getByText('1 ticked row is gone from this page, and no longer chosen.');
    await page.locator('#connection').and(said).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: 'Choose Passing 1' }).isChecked(), true);
    await assertSamePage();
  });

  it('keeps a name that is typed for an unregistered logger while others send', async () => {
    await send('UNKNOWN-1', 5, 404);
    for (const path of ['/unregistered', '']) {
      await open(path);
      const name = page.getByLabel('Name of unknown-1', { exact: true });
      await name.fill('Vaccines');
      const other = `UNKNOWN-2${path === '' ? '-again' : ''}`;
      await send(other, 5, 404);
      await page.waitForSelector(`code:has-text("${other.toLowerCase()}")`);
      assert.equal(await name.inputValue(), 'Vaccines', path);
      await assertSamePage();
    }
  });

  it('offers to acknowledge or to apply to rows that come to an empty list, and keeps the note meanwhile', async () => {
    const [, , , one, other] = serials as [string, string, string, string, string];
    await open('/alerts?type=low_battery');
    await send(one, 5, 202, { batteryStatus: 'low' });
    const tickOf = (serial: string) =>
      page.getByRole('checkbox', { name: `Choose low battery of ${serial}` });
    await tickOf(one).check();
    await page.getByLabel('Note').fill('On my way');
    await send(other, 5, 202, { batteryStatus: 'low' });
    await tickOf(other).waitFor();
    await assertSamePage();
    await page.click('button:has-text("Acknowledge them")');
    await page.getByText('The ticked alerts are acknowledged').waitFor();
    const { items } = (await dms.api.get('/alerts?type=low_battery&status=acknowledged')).body;
    assert.deepEqual(
      items.map(({ serialNumber }: { serialNumber: string }) => serialNumber),
      [one],
    );
    await open('/fleet?q=Latecomer');
    await register(dms, 'LIVE-LATE', { name: 'Latecomer' });
    await page.getByText('Apply a profile to the one that matches').waitFor();
    await page.getByRole('checkbox', { name: 'Choose Latecomer' }).check();
    await assertSamePage();
    await page.selectOption('#apply-to-chosen select', 'fridge');
    await page.click('button:has-text("Preview")');
    await page.getByRole('heading', { name: /^Apply fridge/i }).waitFor();
  });

  it('keeps the tick of an alert while another one of its device ends', async () => {
    const serial = serials[0] as string;
    await send(serial, 15, 202, { batteryStatus: 'low' });
    await open('');
    const tick = page.getByRole('checkbox', { name: `Choose low battery of ${serial}` });
    await tick.check();
    await send(serial, 5);
    await page.getByRole('checkbox', { name: `Choose too warm of ${serial}` }).waitFor({ state: 'detached' });
    assert.equal(await tick.isChecked(), true);
    await assertSamePage();
  });

  it('keeps an open question with its text on a job whose devices progress', async () => {
    const [, one, other] = serials as [string, string, string];
    const jobId = await apply(dms, 'fridge', { serialNumbers: [one, other] });
    await open(`/jobs/${jobId}`);
    await page.click('summary:has-text("Cancel")');
    await page.focus('details[open] button');
    await applyAnswer(dms, one);
    await page.waitForSelector('.legend:has-text("applied")');
    assert.equal(await page.locator('details[open]').count(), 1);
    assert.equal(await isFocused('details[open] button'), true);
    await assertSamePage();
  });

  it('shows a new alert on the start page, on the list, on its device, and its end on its own page', async () => {
    const [serial] = serials as [string];
    const assetId = await idOf(serial);
    const pages = await Promise.all(
      ['', '/alerts', `/devices/${assetId}`].map(async (path) => {
        const tab = await context.newPage();
        await tab.goto(`${dms.baseUrl}/operator${path}`);
        await tab.evaluate('globalThis.isSamePage = true');
        await watchAtOnce(tab);
        return tab;
      }),
    );
    await send(serial, 15);
    for (const tab of pages) {
      await tab.getByText('15 °C').first().waitFor();
      assert.equal(await tab.evaluate('globalThis.isSamePage'), true);
    }
    const { body } = await dms.api.get('/alerts?status=new&type=high_temp');
    await open(`/alerts/${body.items[0].id}`);
    await dms.api.post(`/alerts/${body.items[0].id}/comments`, { comment: 'On my way' });
    await page.waitForSelector('td:has-text("On my way")');
    await send(serial, 5);
    await page.waitForSelector('h1 .badge:has-text("resolved")');
    await assertSamePage();
    for (const tab of pages) await tab.close();
  });

  it('shows what others change in groups, profiles, maintenance, escalations, keys and the audit trail', async () => {
    const made = async (path: string, body: object, status = 201, method: 'post' | 'put' = 'post') => {
      const answer = await dms.api[method](path, body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      return answer.body;
    };
    const group = await made('/groups', { name: 'Cellar' });
    const until = new Date(Date.now() + HOUR_MS).toISOString();
    const channel = await made('/notification-channels', {
      type: 'webhook',
      target: 'http://127.0.0.1:9/chat',
    });
    for (const [path, change, text] of [
      ['/groups', () => made('/groups', { name: 'Attic' }), 'Attic'],
      [
        `/groups/${group.id}`,
        () => made(`/groups/${group.id}/add-members`, { serialNumbers: serials.slice(0, 2) }, 200),
        serials[1],
      ],
      [
        '/profiles',
        () =>
          createProfile(dms, {
            slug: 'freezer',
            name: 'Freezer room',
            intervals: { measurementIntervalMinutes: 15 },
          }),
        'Freezer room',
      ],
      [
        '/profiles/fridge',
        () => made('/devices/config-profiles/fridge', { name: 'Milk' }, 200, 'put'),
        'Milk',
      ],
      ['/maintenance', () => made(`/groups/${group.id}/mute`, { until, reason: 'Defrosting' }), 'Defrosting'],
      [
        '/escalations',
        () =>
          made('/escalations', {
            name: 'Night shift',
            steps: [{ afterMinutes: 0, channelIds: [channel.id] }],
          }),
        'Night shift',
      ],
      ['/keys', () => made('/keys', { name: 'Porch', kind: 'device' }), 'Porch'],
      ['/audit', () => made('/groups', { name: 'Loft' }), 'Loft'],
    ] as const) {
      await open(path);
      await change();
      await page.locator('main').getByText(String(text)).first().waitFor();
      await assertSamePage();
    }
  });

  it('shows on the page of a webhook that it was paused, with the button that resumes it', async () => {
    const { body } = await dms.api.post('/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['alert.created'],
    });
    await open(`/webhooks/events/${body.id}`);
    await dms.api.patch(`/webhooks/${body.id}`, { status: 'disabled' });
    await page.waitForSelector('a:has-text("Resume")');
    await assertSamePage();
  });

  it('says that the connection is lost and that it is back, and catches up', async () => {
    await open('/fleet');
    const state = page.locator('#connection[aria-live]');
    await context.setOffline(true);
    await state.and(page.getByText('The connection is lost')).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await dms.api.patch(`/assets/${await idOf(serials[5] as string)}`, { name: 'Meanwhile' });
    await context.setOffline(false);
    await state.and(page.getByText('Connected again')).waitFor();
    await page.waitForSelector('a.name:has-text("Meanwhile")');
    assert.deepEqual(await findBarriers(page), []);
    await assertSamePage();
    // The browser notes each request that found no network.
    shown.complaints.splice(0);
  });

  it('says that the connection is lost once nothing has come for 15 s', async () => {
    const tab = await shown.signIn();
    // The clock of its context stands still but for the steps here.
    await tab.clock.install({ time: 0 });
    await tab.clock.pauseAt(1_000);
    // A stream that stays open and brings nothing.
    await tab.route('**/operator/changes?*', () => {});
    await tab.goto(`${dms.baseUrl}/operator/fleet`);
    await tab.clock.runFor(14_900);
    assert.equal(await tab.textContent('#connection'), '');
    await tab.clock.runFor(200);
    assert.match((await tab.textContent('#connection')) ?? '', /The connection is lost/);
    await tab.context().close();
  });

  it('continues after the stream has ended, without a word', async () => {
    let ended = 0;
    await page.route('**/operator/changes?*', (route) =>
      ended++ === 0 ? route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' }) : route.continue(),
    );
    await open('/fleet');
    await page.evaluate(`globalThis.said = []; new MutationObserver(() => said.push(document.querySelector('#connection').textContent))
      .observe(document.querySelector('#connection'), { childList: true, characterData: true, subtree: true })`);
    await dms.api.patch(`/assets/${await idOf(serials[6] as string)}`, { name: 'Late' });
    await page.waitForSelector('a.name:has-text("Late")');
    assert.deepEqual(await page.evaluate('said'), []);
    assert.ok(ended > 1);
    await page.unrouteAll();
  });

  it('holds no connection while it is hidden, and catches up without a word when it is shown', async () => {
    const tab = await shown.signIn();
    await tab.clock.install({ time: 0 });
    await tab.clock.pauseAt(1_000);
    await tab.addInitScript(`Object.defineProperty(document, 'hidden', { get: () => !globalThis.isSeen })`);
    const streams: Request[] = [];
    tab.on('request', (request) => {
      if (request.url().includes('/operator/changes?')) streams.push(request);
    });
    const see = (isSeen: boolean) =>
      tab.evaluate(`isSeen = ${isSeen}; document.dispatchEvent(new Event('visibilitychange'))`);
    await tab.goto(`${dms.baseUrl}/operator/fleet`);
    for (const name of ['In the background', 'In another tab']) {
      await tab.clock.runFor(20_000);
      await dms.api.patch(`/assets/${await idOf(serials[7] as string)}`, { name });
      await see(true);
      await tab.waitForSelector(`a.name:has-text("${name}")`);
      assert.equal(await tab.textContent('#connection'), '');
      const closed = tab.waitForEvent('requestfailed', (request) => request === streams.at(-1));
      await see(false);
      await closed;
    }
    assert.equal(streams.length, 2);
    await tab.context().close();
  });

  it('goes back from the outcome of a question to the form at its address', async () => {
    await page.goto(`${dms.baseUrl}/operator/forms/updateProfile?slug=fridge`);
    await page.fill('[name="temperatureAlerts.0.highC"]', '9');
    await page.click('button:has-text("Save")');
    await page.getByRole('heading', { name: 'Save the changes' }).waitFor();
    await page.click('button[value=apply]');
    await page.getByText('The profile is saved').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Edit the profile' }).waitFor();
    assert.equal(await page.inputValue('[name="temperatureAlerts.0.highC"]'), '9');
  });

  it('sends a form again whose session had ended, once the person has signed in and loads its answer again', async () => {
    const tab = await shown.signIn({ name: 'Ada' });
    await tab.goto(`${dms.baseUrl}/operator/forms/createGroup`);
    await tab.fill('[name=name]', 'Typed late');
    const { items } = (await dms.api.get('/operator-sessions')).body;
    const { id } = items.find(({ name }: { name: string }) => name === 'Ada');
    assert.equal((await dms.api.delete(`/operator-sessions/${id}`)).status, 204);
    await tab.click('button:has-text("Create")');
    await tab.getByText('Sign in in another tab, then load this page again').waitFor();
    await signInAt(await tab.context().newPage(), await newLink(dms));
    await tab.reload();
    await tab.getByRole('heading', { name: 'Typed late' }).waitFor();
    await tab.context().close();
  });

  it('says that the person is signed out', async () => {
    const other = await shown.signIn({ name: 'Grace' });
    const { items } = (await dms.api.get('/operator-sessions')).body;
    const { id } = items.find(({ name }: { name: string }) => name === 'Grace');
    assert.equal((await dms.api.delete(`/operator-sessions/${id}`)).status, 204);
    await watchAtOnce(other);
    await other.getByText('You are signed out').waitFor();
    await other.context().close();
  });

  it('says that the person is signed in to another organization now, and sends it no form', async () => {
    const other = await shown.signIn({ name: 'Hedy' });
    const tab = await other.context().newPage();
    await signInAt(tab, await newLink(dms, { organizationId: (await dms.addOrganization()).id }));
    await tab.close();
    await watchAtOnce(other);
    await other.getByText('You are signed in to another organization now').waitFor();
    await other.click('button:has-text("Sign out")');
    await other.getByText('open the page again').waitFor();
    await other.context().close();
  });
});
