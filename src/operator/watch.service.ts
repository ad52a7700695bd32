/**
 * Notifies open pages of changes: a page is drawn again from time to time, once for all who watch the same,
 * and its watchers are notified when it looks different. They fetch it themselves, so no content is sent
 * here.
 */
import { PassThrough, type Readable } from 'node:stream';
import { fingerprintOfPage } from './page-fingerprint.ts';
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
      const drawn = await draw(session, url).then(fingerprintOfPage, () => null);
      for (const [stream, watcher] of watchers)
        if (!stream.writableEnded) stream.write(lineFor(watcher, drawn));
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
    /** `seen`: the fingerprint of the page in the browser, so that no change since is missed. */
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
      stream.write(STILL_THERE);
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

/** Null if the page could not be drawn. */
function lineFor(watcher: Watcher, drawn: string | null): string {
  if (drawn === null) return STILL_THERE;
  const { seen } = watcher;
  watcher.seen = drawn;
  return seen !== null && seen !== drawn ? CHANGED : STILL_THERE;
}

const CHANGED = 'event: changed\ndata:\n\n';
const STILL_THERE = ':\n\n';
