import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { prefers } from '../measurements/history.ts';
import { invalid } from '../process/errors.ts';
import { fileNameOf } from './record-text.ts';
import { statisticsQuery, statisticsSchema } from './statistics.schemas.ts';
import type { Statistics, StatisticsService } from './statistics.service.ts';
import type { ToPage } from './statistics-page.service.ts';
import { statisticsView } from './statistics-view.ts';

const PDF = 'application/pdf';

interface StatisticsRoutesDeps {
  compute: StatisticsService;
  toPage: ToPage;
  /** Shared with exports. */
  limit: ConcurrencyLimit;
  /** Limits PDF pages, because drawing one keeps the processor busy. */
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
        'Per channel minimum, maximum, average and mean kinetic temperature, the time outside of the bounds that were in force, how complete the readings are, and gaps: all by the settings at each moment, also of archived assets. A sample holds until the next one, for two periods of measurement at most; more is a gap. With Accept: application/pdf the same as a document, with the curve, also of several devices.',
      tag: 'Assets',
      params: idParams('assetId'),
      query: statisticsQuery,
      responses: { 200: statisticsSchema },
      alternative: { contentType: PDF },
      errors: [404],
      async handle({ caller, params: { assetId }, query, header, isAbandoned }) {
        const { from, to, timezone, with: others = [] } = query;
        const { organizationId } = caller;
        const read = (id: string) =>
          limit.run(caller, () => compute({ organizationId, assetId: id, from, to, isAbandoned }));
        if (!prefers(PDF, 'application/json', header('Accept'))) {
          if (others.length > 0) throw invalid('Several devices need Accept: application/pdf');
          return ok(statisticsView(await read(assetId)), { Vary: 'Accept' });
        }
        let fileName = '';
        const madeBy = caller.actor?.name ?? caller.keyName;
        const page = await pageLimit.stream(caller, async () => {
          const records: [Statistics, ...Statistics[]] = [await read(assetId)];
          for (const id of others) if (id !== assetId.toLowerCase()) records.push(await read(id));
          fileName = fileNameOf(records, timezone);
          return toPage(organizationId, records, { madeBy, timezone });
        });
        return ok(page, {
          'Content-Type': PDF,
          'Content-Disposition': `attachment; filename="${fileName}"`,
          'Content-Security-Policy': 'sandbox',
          Vary: 'Accept',
        });
      },
    }),
  ];
}
