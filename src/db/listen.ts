/** Listens to one channel of NOTIFY, over a connection of its own that is reopened whenever it is lost. */
import pg from 'pg';
import { KEEP_ALIVE } from './database.ts';

interface ListenOptions {
  url: string;
  channel: string;
  onNotification(payload: string): void;
  onFault(error: unknown): void;
}

const RECONNECT_MS = 500;
const CONNECT_MS_MAX = 5_000;

export function listenTo({ url, channel, onNotification, onFault }: ListenOptions) {
  let isStopping = false;
  let client: pg.Client | null = null;
  let isListening = false;
  let timer: NodeJS.Timeout | undefined;

  /** Ignores events of connections that were given up before. */
  function lost(which: pg.Client, error: unknown): void {
    if (isStopping || which !== client) return;
    client = null;
    isListening = false;
    void which.end().catch(() => {});
    onFault(error);
    timer = setTimeout(() => {
      connecting = connect();
    }, RECONNECT_MS);
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: url,
      ...KEEP_ALIVE,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      application_name: `listen ${channel}`,
    });
    client = fresh;
    fresh.on('error', (error) => lost(fresh, error));
    fresh.on('end', () => lost(fresh, new Error('the connection ended')));
    fresh.on('notification', ({ payload = '' }) => onNotification(payload));
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
      isListening = fresh === client;
    } catch (error) {
      lost(fresh, error);
    }
  }

  let connecting = connect();
  return {
    /** Whether the connection exists, so that notifications arrive. */
    isListening: () => isListening,
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
