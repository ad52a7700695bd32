import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { serialParams } from '../devices/devices.schemas.ts';
import { NO_SUCH_DEVICE } from '../devices/serial-number.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { streamOf } from '../http/pieces.ts';
import { ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound, orNotFound } from '../process/errors.ts';
import { toFrame } from './frame-body.ts';
import type { HistoryRepository, HistoryScope } from './history.repository.ts';
import { CSV_TYPE, prefers } from './history.ts';
import { listBuckets, listReadings, type TableDeps } from './history-listing.ts';
import type { Intake } from './intake.service.ts';
import {
  listMeasurementsQuery,
  measurementListSchema,
  measurementsBody,
  measurementsCsvExample,
  measurementsResultSchema,
} from './measurements.schemas.ts';

interface MeasurementsRoutesDeps {
  intake: Intake;
  history: Pick<HistoryRepository, 'list' | 'listSamples'>;
  findScope(organizationId: string, assetId: string): Promise<HistoryScope | null>;
  exports: TableDeps & { limit: ConcurrencyLimit };
}

export function measurementsRoutes({ intake, history, findScope, exports }: MeasurementsRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/devices/{serial}/measurements',
      operationId: 'sendMeasurements',
      summary: 'Send readings of a device',
      description:
        'They are stored when the answer comes. Sending them again does no harm: readings are unique by channel and time.',
      tag: 'For devices',
      auth: 'device',
      params: serialParams,
      body: measurementsBody,
      responses: { 202: measurementsResultSchema },
      errors: [404],
      async handle({ caller: { organizationId }, params: { serial }, body, receivedAt }) {
        const frame = toFrame(body, { organizationId, serialNumber: serial, receivedAt });
        const result = orNotFound(await intake.receive(frame), NO_SUCH_DEVICE);
        return { status: 202, body: { ...result, wantsReport: result.wantsReport || undefined } };
      },
    }),
    route({
      method: 'GET',
      path: '/assets/{assetId}/measurements',
      operationId: 'listMeasurements',
      summary: 'Read what a device has measured',
      description:
        'Newest first, also of archived assets; with a resolution minimum, average, maximum and count of each channel and bucket. With Accept: text/csv the whole range from-to as one table, whatever the limit; a connection that ends without its end means that it is not whole.',
      tag: 'Assets',
      params: idParams('assetId'),
      query: listMeasurementsQuery,
      responses: { 200: measurementListSchema },
      alternative: { contentType: 'text/csv', example: measurementsCsvExample },
      errors: [404],
      async handle({ caller, params: { assetId }, query, header }) {
        const scope = await findScope(caller.organizationId, assetId);
        const listing = query.resolution ? listBuckets(query, query.resolution) : listReadings(query);
        if (!scope) throw notFound(NO_SUCH_ASSET);
        if (prefers('text/csv', 'application/json', header('Accept'))) {
          const table = await exports.limit.stream(caller, () => streamOf(listing.table(exports, scope)));
          return ok(table, { 'Content-Type': CSV_TYPE, Vary: 'Accept' });
        }
        const listed = await listing.list(history, scope);
        const page = pageOf(
          listed,
          query.limit,
          ({ cursor }) => cursor(),
          ({ item }) => item,
        );
        return ok(page, { Vary: 'Accept' });
      },
    }),
  ];
}
