import { NO_SUCH_ASSET } from '../assets/asset.ts';
import type { SettingsRepository } from '../devices/settings.repository.ts';
import { ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound } from '../process/errors.ts';
import type { RecordRepository } from './record.repository.ts';
import { listSettingsQuery, settingsListSchema } from './settings.schemas.ts';
import { settingsView } from './settings-view.ts';

interface SettingsRoutesDeps {
  record: RecordRepository;
  settings: SettingsRepository;
}

export const settingsRoutes = ({ record, settings }: SettingsRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/assets/{assetId}/settings',
    operationId: 'listSettings',
    summary: 'List the settings that a device ran, and when',
    description:
      'Newest first, each whole where it overlaps the span; also of archived assets. Times of which nothing is known have no item. Statistics and curves evaluate each reading by the settings that were in force when it was measured.',
    tag: 'Assets',
    params: idParams('assetId'),
    query: listSettingsQuery,
    responses: { 200: settingsListSchema },
    errors: [404],
    async handle({ caller: { organizationId }, params: { assetId }, query }) {
      const { from = null, to = null, limit, cursor } = query;
      if (!(await record.find(organizationId, assetId))) throw notFound(NO_SUCH_ASSET);
      // An empty span overlaps nothing, also within a period.
      if (from && to && to <= from) return ok({ items: [], nextCursor: null });
      const before = cursor === undefined ? null : new Date(Number(cursor));
      const found = await settings.list(organizationId, assetId, {
        from,
        to: before && to && to < before ? to : (before ?? to),
        limit: limit + 1,
      });
      return ok(pageOf(found, limit, (last) => String(last.from.getTime()), settingsView));
    },
  }),
];
