/** NOTIFY on one channel, over a connection of its own that is made again whenever it is lost. */
import pg from 'pg';

export interface ListenOptions {
  url: string;
  channel: string;
  onNotice(payload: string): void;
  onFault(error: unknown): void;
}

export interface Listener {
  stop(): Promise<void>;
}

const RECONNECT_MS = 500;

export function listenTo({ url, channel, onNotice, onFault }: ListenOptions): Listener {
  let isStopping = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  function lost(error: unknown): void {
    if (isStopping || timer) return;
    onFault(error);
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, RECONNECT_MS);
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: `listen ${channel}`,
    });
    client = fresh;
    fresh.on('error', lost);
    fresh.on('end', () => lost(new Error('the connection ended')));
    fresh.on('notification', ({ payload = '' }) => onNotice(payload));
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      lost(error);
    }
  }

  const connecting = connect();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
