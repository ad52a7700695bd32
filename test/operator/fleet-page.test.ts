/** The page of the fleet: its counts are those of its lists. */
import assert from 'node:assert/strict';
import { fleetPageView } from '../../src/fleet/fleet.ts';
import { alertTabs } from '../../src/operator/alerts-html.ts';
import { fleetHtml } from '../../src/operator/fleet-html.ts';
import { html, toText } from '../../src/operator/html.ts';
import { apply, applyAnswer, createProfile, FACTORY, FRIDGE, register, report } from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

describe('The page of the fleet', () => {
  const dms = useService({ withWorker: false });
  let org: TestOrganization;
  let cookie: string;
  let groupId: string;

  before(async () => {
    org = await dms.addOrganization();
    cookie = await signIn(dms, { organizationId: org.id });
    for (const serial of ['NEVER', 'PLAIN', 'RUNS', 'WAITS']) await register(org, serial);
    const slug = await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await apply(org, slug, { serialNumbers: ['RUNS', 'WAITS'] });
    await applyAnswer(org, 'RUNS');
    await report(org, 'WAITS', FACTORY);
    await report(org, 'PLAIN', FACTORY);
    groupId = (await org.api.post('/groups', { name: 'Some' })).body.id;
    await org.api.post(`/groups/${groupId}/add-members`, { serialNumbers: ['PLAIN', 'RUNS'] });
  });

  async function read(query: string): Promise<string> {
    const { status, text } = await visit(`${dms.baseUrl}/operator/fleet${query}`, { cookie });
    assert.equal(status, 200, text);
    return text;
  }

  /** The address and the number of each count above 0. */
  function countsIn(text: string, label: string): Record<string, number> {
    const [, section = ''] = text.match(new RegExp(`aria-label="${label}">(.*?)</section>`, 's')) ?? [];
    const counts = section.matchAll(
      /href="\/operator\/fleet\?([^"]+)"[^>]*><span class="number">(\d+)<\/span>/g,
    );
    return Object.fromEntries(
      [...counts].map(([, query = '', count]) => [query, Number(count)] as const).filter(([, n]) => n > 0),
    );
  }

  const serialsIn = (text: string): string[] =>
    [...text.matchAll(/<a class="name" href="[^"]+">([^<]+)<\/a>/g)].map(([, name = '']) => name).sort();

  it('counts a device without a profile under that alone, and each count leads to as many devices', async () => {
    const counts = countsIn(await read(''), 'Configuration');
    assert.deepEqual(counts, { 'syncStatus=applied': 1, 'syncStatus=sent': 1, 'syncStatus=no_profile': 2 });
    assert.deepEqual(serialsIn(await read('?syncStatus=applied')), ['RUNS']);
    const text = await read('?syncStatus=no_profile');
    assert.deepEqual(serialsIn(text), ['NEVER', 'PLAIN']);
    assert.match(text, /<h2>2 devices found/);
  });

  it('counts the members alone with a filter by group, whose counts lead to members', async () => {
    const text = await read(`?groupId=${groupId}`);
    const both = (query: string) => `groupId=${groupId}&amp;${query}`;
    assert.deepEqual(countsIn(text, 'Configuration'), {
      [both('syncStatus=applied')]: 1,
      [both('syncStatus=no_profile')]: 1,
    });
    assert.deepEqual(countsIn(text, 'Contact'), { [both('status=online')]: 2 });
    assert.deepEqual(serialsIn(await read(`?groupId=${groupId}&syncStatus=no_profile`)), ['PLAIN']);
    assert.match(text, new RegExp(`href="/operator/alerts\\?groupId=${groupId}"`));
  });

  it('finds devices by a part of their serial number', async () => {
    const text = await read('?q=lai');
    assert.deepEqual(serialsIn(text), ['PLAIN']);
    assert.match(text, /name="q" value="lai"/);
  });

  it('finds the devices that run a profile, to which the page of the profile leads', async () => {
    const { text } = await visit(`${dms.baseUrl}/operator/profiles/fridge`, { cookie });
    const [, query = ''] = text.match(/href="\/operator\/fleet(\?profileSlug=fridge)">Those with it/) ?? [];
    const found = await read(query);
    assert.deepEqual(serialsIn(found), ['RUNS']);
    assert.match(found, /<option value="fridge" selected>/);
    const filter = 'profileSlug=fridge';
    const form = await visit(`${dms.baseUrl}/operator/apply?${new URLSearchParams({ filter })}`, { cookie });
    assert.match(form.text, /To <strong>the one that matches<.*profile: fridge</s);
  });

  it('applies a profile to the devices without one', async () => {
    const filter = new URLSearchParams({ syncStatus: 'no_profile' }).toString();
    const { status, text } = await visit(
      `${dms.baseUrl}/operator/apply?${new URLSearchParams({ slug: 'fridge', filter })}`,
      { cookie },
    );
    assert.equal(status, 200, text);
    assert.match(text, /To <strong>all 2 that match/);
    assert.doesNotMatch(text, /Choose one of the three/);
  });

  it('says where a count ends before all are counted, counts one alert in the singular, and offers no apply that would be refused', () => {
    const see = (totalItems: number | undefined, filter: Record<string, string>) =>
      toText(
        fleetHtml({
          counts: fleetPageView([
            { key: 'status:online', count: 1_000 },
            { key: 'alert:low_battery', count: 1 },
          ]),
          page: { items: [], nextCursor: null, totalItems },
          listed: [],
          filter,
          order: null,
          profiles: [],
          groups: [],
          past: null,
          link: (name, _, look) => html`${name}: ${look?.label}`,
          mayChange: true,
          now: new Date(),
        }),
      );
    const some = see(1_000, { q: 'EFENTO' });
    assert.match(
      some,
      /<span class="number">1<\/span> <span>open alert<.*<h2>1,000 or more devices found.*applyProfile: [\w ]+ all 1,000 or more that match</s,
    );
    assert.match(
      see(999, { q: 'EFENTO' }),
      /<h2>999 devices found.*applyProfile: [\w ]+ all 999 that match</s,
    );
    assert.match(see(undefined, { groupId }), /<h2>1,000 devices found.* all 1,000 that match</s);
    const most = see(10_001, { model: 'TVO-THT' });
    assert.match(most, /<h2>10,001 devices found/);
    assert.doesNotMatch(most, /applyProfile/);
    assert.match(most, /More than 10,000 devices match: apply to a group, or to all\./);
    assert.match(toText(alertTabs({ status: 'new' }, { new: 100_000 })), />New 100,000 or more</);
  });

  it('says of an empty list whether a filter has made it empty', async () => {
    const stranger = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    const see = async (path: string) =>
      (await visit(`${dms.baseUrl}/operator/${path}`, { cookie: stranger })).text;
    for (const [path, words] of [
      ['fleet', 'No device is registered yet.'],
      ['fleet?status=offline', 'No device matches.'],
      ['archived', 'No device is archived.'],
      ['archived?q=x', 'No archived device matches.'],
      ['jobs', 'No job. One begins when a profile is applied.'],
      ['jobs?status=aborted', 'No job has this status.'],
    ] as const)
      assert.ok((await see(path)).includes(`class="empty">${words}`), path);
  });

  it('finds devices by model, and applies a profile to them', async () => {
    await org.api.patch(`/assets/${(await org.api.get('/assets?serialNumber=PLAIN')).body.items[0].id}`, {
      model: 'TVO-THT',
    });
    const text = await read('?model=TVO-THT');
    assert.deepEqual(serialsIn(text), ['PLAIN']);
    assert.match(text, /name="model" value="TVO-THT"/);
    assert.match(text, /filter=model%3DTVO-THT">Apply a profile to the one that matches/);
    const form = await visit(`${dms.baseUrl}/operator/apply?filter=model%3DTVO-THT`, { cookie });
    assert.match(form.text, /<strong>the one that matches<\/strong> <span class="badge">model: TVO-THT</);
  });

  it('says in words which devices a profile is applied to, and that none matches', async () => {
    const filter = new URLSearchParams({ groupId, syncStatus: 'no_profile', q: 'PL_A' }).toString();
    const { text } = await visit(`${dms.baseUrl}/operator/apply?${new URLSearchParams({ filter })}`, {
      cookie,
    });
    const [, matching = ''] = text.match(/that match<\/strong>(.*?)<\/p>/s) ?? [];
    const badges = [...matching.matchAll(/<span class="badge">([^<]+)</g)].map(([, badge]) => badge);
    assert.deepEqual(badges, ['search: PL_A', 'configuration: no profile', 'group: Some']);
    const form = { slug: 'fridge', filter };
    const refused = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form });
    assert.match(refused.text, /role="alert">No device matches</);
  });

  it('lists no members of a deleted group, which have yet to leave it', async () => {
    await dms.service
      .sql('groups')
      .where({ organization_id: org.id, id: groupId })
      .update({ deleted_at: new Date() });
    assert.deepEqual(serialsIn(await read(`?groupId=${groupId}`)), []);
  });
});
