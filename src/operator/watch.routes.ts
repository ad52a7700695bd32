import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { invalid, notFound } from '../process/errors.ts';
import type { OperatorPage } from './page-deps.ts';
import { OPERATOR_PATH, toCaller } from './session.ts';
import type { Watch } from './watch.service.ts';

export interface WatchRoutesDeps {
  watch: Pick<Watch, 'open'>;
  isLive(url: string): boolean;
  limit: ConcurrencyLimit;
}

const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
const URL_LENGTH_MAX = 2048;

export const watchRoutes = ({ watch, isLive, limit }: WatchRoutesDeps): OperatorPage[] => [
  {
    method: 'GET',
    path: `${OPERATOR_PATH}/changes`,
    role: 'read',
    async handle({ visitor: session, query }) {
      const page = query.get('page') ?? '';
      if (page.length > URL_LENGTH_MAX) throw invalid(`page must have at most ${URL_LENGTH_MAX} characters`);
      if (!isLive(page)) throw notFound('This page does not change by itself');
      const stream = await limit.stream(toCaller(session), async () =>
        watch.open(session, page, query.get('fingerprint')),
      );
      return { stream, headers: HEADERS };
    },
  },
];
