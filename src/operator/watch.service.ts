/**
 * Sends changes to open pages: a page is drawn again from time to time, once for all who watch the same, and
 * its watchers get the new content when it looks different. A hundred watchers cost one drawing, and no
 * requests of their own.
 */
import { PassThrough, type Readable } from 'node:stream';
import { contentOfPage, type PageContent } from './page-fingerprint.ts';
import type { Session } from './session.ts';

export interface WatchDeps {
  /** The page at the address, as this session sees it. */
  draw(session: Session, url: string): Promise<string>;
  intervalMs: number;
  /** Checked for each stream whenever the page is drawn, because a stream ends with its session. */
  isActive(session: Session): Promise<boolean>;
  /** A stream ends after this time. Browsers open it again, which checks the session again. */
  lifetimeMs: number;
}

interface Watcher {
  session: Session;
  /** The fingerprint of the page in the browser; null: unknown. */
  seen: string | null;
}

interface Watched {
  streams: Map<PassThrough, Watcher>;
  timer: NodeJS.Timeout;
}

export type Watch = ReturnType<typeof createWatch>;

export function createWatch({ draw, isActive, intervalMs, lifetimeMs }: WatchDeps) {
  const watched = new Map<string, Watched>();

  function follow(key: string, session: Session, url: string): Watched {
    const streams = new Map<PassThrough, Watcher>();
    async function endWithSession(stream: PassThrough, own: Session): Promise<void> {
      // If the check fails, the stream continues.
      if (!(await isActive(own).catch(() => true))) stream.end();
    }
    async function look(): Promise<void> {
      await Promise.all([...streams].map(([stream, { session: own }]) => endWithSession(stream, own)));
      // A watcher that comes while the page is drawn may have a later state of it.
      const watchers = [...streams];
      const drawn = await draw(session, url).then(contentOfPage, () => null);
      // A browser that gets no event for 15 seconds says that its page is out of date.
      if (drawn !== null) send(watchers, drawn);
      if (watched.get(key) === entry) entry.timer = setTimeout(look, intervalMs).unref();
    }
    const entry: Watched = { streams, timer: setTimeout(look, 0) };
    watched.set(key, entry);
    return entry;
  }

  function leave(key: string, entry: Watched, stream: PassThrough): void {
    entry.streams.delete(stream);
    if (entry.streams.size > 0) return;
    clearTimeout(entry.timer);
    watched.delete(key);
  }

  return {
    /**
     * `seen`: the fingerprint of the page in the browser, so that no change since is missed. Without it, the
     * content is sent in any case.
     */
    open(session: Session, url: string, seen: string | null = null): Readable {
      const key = [session.organizationId, session.role, url].join(' ');
      const entry = watched.get(key) ?? follow(key, session, url);
      const stream = new PassThrough();
      entry.streams.set(stream, { session, seen });
      const end = setTimeout(() => stream.end(), lifetimeMs).unref();
      stream.once('close', () => {
        clearTimeout(end);
        leave(key, entry, stream);
      });
      stream.write(BEGIN);
      return stream;
    },

    /** Number of watched pages. */
    count: () => watched.size,

    /** The process stops, and browsers turn to another one. */
    close(): void {
      for (const { streams } of watched.values()) for (const stream of streams.keys()) stream.end();
    },
  };
}

function send(watchers: ReadonlyArray<[PassThrough, Watcher]>, drawn: PageContent): void {
  const changed = changedLine(drawn);
  for (const [stream, watcher] of watchers) {
    // A browser that reads slowly gets the latest state once it has read the one before.
    if (stream.writableEnded || stream.writableNeedDrain) continue;
    const isNew = watcher.seen !== drawn.fingerprint;
    if (isNew) watcher.seen = drawn.fingerprint;
    stream.write(isNew ? changed : UNCHANGED);
  }
}

/** JSON has no line breaks, which would end the event. The bytes are the same for all watchers. */
const changedLine = (drawn: PageContent): Buffer =>
  Buffer.from(`event: changed\ndata: ${JSON.stringify(drawn)}\n\n`);
/** A comment, which sends the headers. */
const BEGIN = ':\n\n';
/** A heartbeat, by which browsers know that their page is up to date. */
const UNCHANGED = 'event: unchanged\ndata:\n\n';
