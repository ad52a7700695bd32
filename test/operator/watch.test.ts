/** Open pages are notified of changes: few at a time, drawn once for all who watch the same. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Session } from '../../src/operator/session.ts';
import { createWatch } from '../../src/operator/watch.service.ts';
import { eventually } from '../support/fleet.ts';
import { startService, useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const PER_SESSION = 12;
const ADA: Session = {
  organizationId: 'o',
  id: 's',
  organizationName: 'Clinic',
  name: 'Ada',
  role: 'read',
  keyId: null,
};

const pageOf = (content: string) =>
  `<body data-watch="/" data-fingerprint="${content}">Ada<main id="main">\n${content}\n</main></body>`;

describe('Watching a page', () => {
  it('draws a page once for a hundred who watch the same, and stops when the last one has gone', async () => {
    let drawn = 0;
    const draw = async () => pageOf(String(drawn++ < 3));
    const watch = createWatch({ draw, isActive: async () => true, intervalMs: 20, lifetimeMs: 60_000 });
    const streams = Array.from({ length: 100 }, () =>
      watch.open({ ...ADA, id: crypto.randomUUID() }, '/operator/jobs', 'true'),
    );
    const texts = streams.map(() => '');
    for (const [index, stream] of streams.entries())
      stream.on('data', (chunk) => {
        texts[index] += chunk;
      });
    await eventually(
      async () => texts,
      (all) => all.every((text) => text.includes('event: changed\ndata: {"fingerprint":"false"')),
      { pauseMs: 2 },
    );
    // Three times as it was, and once as it is; some more while the hundred are read here.
    assert.ok(drawn < 100, `${drawn} drawings`);
    assert.equal(watch.count(), 1);
    const closed = streams.map((stream) => once(stream, 'close'));
    for (const stream of streams) stream.destroy();
    await Promise.all(closed);
    assert.equal(watch.count(), 0);
    const before = drawn;
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.ok(drawn <= before + 1);
  });

  it('sends the content when it has changed since the browser got the page, without the frame', async () => {
    const watch = createWatch({
      draw: async () => pageOf('now'),
      isActive: async () => true,
      intervalMs: 60_000,
      lifetimeMs: 60_000,
    });
    const linesOf = (seen: string | null) =>
      watch
        .open(ADA, '/operator/jobs', seen)
        .take(2)
        .reduce((text: string, line) => text + line, '');
    const lines = await Promise.all(['before', 'now', null].map(linesOf));
    const changed = ':\n\nevent: changed\ndata: {"fingerprint":"now","html":"now"}\n\n';
    assert.deepEqual(lines, [changed, ':\n\nevent: unchanged\ndata:\n\n', changed]);
    watch.close();
  });

  it('sends nothing while the page cannot be drawn, so that browsers say that it is old', async () => {
    let drawn = 0;
    const draw = async () => {
      if (drawn++ < 3) throw new Error('The database is away');
      return pageOf('now');
    };
    const watch = createWatch({ draw, isActive: async () => true, intervalMs: 1, lifetimeMs: 60_000 });
    const [, first] = await watch.open(ADA, '/operator/jobs', 'now').take(2).toArray();
    assert.equal(drawn, 4);
    assert.equal(String(first), 'event: unchanged\ndata:\n\n');
    watch.close();
  });

  it('sends a slow reader the latest content only, once it reads again', async () => {
    const drawings = [1, 2, 3].map((drawing) => String(drawing).repeat(20_000));
    let drawn = 0;
    const watch = createWatch({
      draw: async () => pageOf(drawings[Math.min(drawn++, 2)] as string),
      isActive: async () => true,
      intervalMs: 2,
      lifetimeMs: 60_000,
    });
    const stream = watch.open(ADA, '/operator/jobs', 'before');
    await eventually(
      async () => drawn,
      (count) => count > 5,
      { pauseMs: 2 },
    );
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    await eventually(
      async () => text,
      (read) => read.includes(drawings[2] as string),
      { pauseMs: 2 },
    );
    assert.ok(!text.includes(drawings[1] as string));
    watch.close();
  });

  it('ends the stream of an ended session, and leaves the others', async () => {
    const watch = createWatch({
      draw: async () => '',
      isActive: async ({ id }) => id !== 'ended',
      intervalMs: 5,
      lifetimeMs: 60_000,
    });
    const [ended, other] = ['ended', 'other'].map((id) => watch.open({ ...ADA, id }, '/operator').resume());
    await once(ended as Readable, 'end');
    assert.equal(other?.readableEnded, false);
    watch.close();
  });

  it('draws separately for people who may see more, and for other organizations', () => {
    const watch = createWatch({
      draw: async () => '',
      isActive: async () => true,
      intervalMs: 60_000,
      lifetimeMs: 60_000,
    });
    const streams = [ADA, { ...ADA, role: 'admin' as const }, { ...ADA, organizationId: 'other' }].map(
      (session) => watch.open(session, '/operator'),
    );
    assert.equal(watch.count(), 3);
    for (const stream of streams) stream.destroy();
  });

  describe('over HTTP', () => {
    const dms = useService({ withWorker: false });
    let cookie: string;

    before(async () => {
      cookie = await signIn(dms);
    });

    async function open(path = '/operator/jobs', more = {}) {
      const abort = new AbortController();
      const url = `${dms.baseUrl}/operator/changes?${new URLSearchParams({ page: path, ...more })}`;
      const { status } = await fetch(url, { headers: { cookie }, signal: abort.signal });
      return { status, leave: () => abort.abort() };
    }

    it('limits the watched pages of one session, and frees a place when one has vanished', async () => {
      const all = await Promise.all(Array.from({ length: PER_SESSION }, () => open()));
      assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
      assert.equal((await open()).status, 429);
      all[0]?.leave();
      const next = await eventually(open, ({ status }) => status === 200);
      for (const each of [...all, next]) each.leave();
    });

    it('refuses pages that are costly to draw, and unknown addresses', async () => {
      const device = `/operator/devices/${crypto.randomUUID()}`;
      for (const path of [`${device}/statistics?span=year`, `${device}/statistics.pdf`, '/assets', ''])
        assert.equal((await open(path)).status, 404, path);
      for (const path of ['/operator', '/operator/alerts?status=all']) {
        const { status, leave } = await open(path);
        leave();
        assert.equal(status, 200, path);
      }
    });

    it('neither follows a page of another organization nor carries out its forms', async () => {
      const drawnFor = (await dms.addOrganization()).id;
      const followed = await open('/operator/jobs', { drawnFor });
      followed.leave();
      assert.equal(followed.status, 409);
      const send = (organizationId: string) =>
        visit(`${dms.baseUrl}/operator/forms/createGroup`, {
          cookie,
          form: { name: 'Attic', drawnFor: organizationId },
        });
      const { status, text } = await send(drawnFor);
      assert.equal(status, 409);
      assert.match(text, /signed in to another organization/);
      assert.equal((await send(dms.id)).status, 303);
    });

    it('does not delay a stopping process', async () => {
      const other = await startService({ withWorker: false, databaseUrl: dms.settings.databaseUrl });
      const headers = { cookie: await signIn(other) };
      const { body } = await fetch(`${other.baseUrl}/operator/changes?page=/operator/jobs`, { headers });
      const ended = new Response(body).text();
      await other.stop();
      assert.match(await ended, /^:/);
    });
  });
});
