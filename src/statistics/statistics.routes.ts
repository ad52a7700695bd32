import type { Readable } from 'node:stream';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { prefers } from '../measurements/history.ts';
import { statisticsQuery, statisticsSchema } from './statistics.schemas.ts';
import type { Statistics, StatisticsService } from './statistics.service.ts';

const PDF = 'application/pdf';

export interface StatisticsRoutesDeps {
  compute: StatisticsService;
  toPage(statistics: Statistics): Promise<Readable>;
  /** That of exports. */
  limit: ConcurrencyLimit;
  /** Of pages: drawing one keeps the processor busy. */
  pageLimit: ConcurrencyLimit;
}

export function statisticsRoutes({ compute, toPage, limit, pageLimit }: StatisticsRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/assets/{assetId}/statistics',
      operationId: 'getStatistics',
      summary: 'Statistics of what a device has measured',
      description:
        'Per channel minimum, maximum, average and mean kinetic temperature, the time outside of the bounds that were in force, how complete the readings are, and gaps: all by the settings at each moment, also of archived assets. A sample holds until the next one, for two periods of measurement at most; more is a gap. With Accept: application/pdf the same as one page, with the curve.',
      tag: 'Assets',
      auth: 'customer',
      params: idParams('assetId'),
      query: statisticsQuery,
      responses: { 200: statisticsSchema },
      alternative: { contentType: PDF },
      errors: [404],
      async handle({ caller, params: { assetId }, query: { from, to }, header }) {
        const read = () =>
          limit.run(caller, () => compute({ organizationId: caller.organizationId, assetId, from, to }));
        if (!prefers(PDF, 'application/json', header('Accept'))) return ok(await read(), { Vary: 'Accept' });
        return ok(await pageLimit.stream(caller, async () => toPage(await read())), {
          'Content-Type': PDF,
          'Content-Disposition': `attachment; filename="statistics-${assetId}.pdf"`,
          'Content-Security-Policy': 'sandbox',
          Vary: 'Accept',
        });
      },
    }),
  ];
}
