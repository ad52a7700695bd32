/** Examples of a reading in each media type, for the documentation. */
import { TEMPERATURE } from '../devices/channel-layout.ts';
import type { StoredReading } from '../devices/reading.ts';
import { CSV, NDJSON } from './export.ts';
import { CSV_HEADER, csvLine, readingView } from './history.ts';

const reading: StoredReading = {
  channel: 1,
  type: TEMPERATURE,
  value: 4.2,
  error: null,
  measuredAt: new Date('2026-03-02T08:15:00.000Z'),
  receivedAt: new Date('2026-03-02T08:15:30.000Z'),
  late: false,
  periodSeconds: 300,
};
const layout = { channelTypes: [TEMPERATURE], model: null };
const scope = {
  organizationId: '019cb0a4-0a6e-7c91-b2d5-8e3f1a7c4d60',
  assetId: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
  serialNumber: '282C02424EED',
  layout,
};

export const measurementExample = readingView(reading, layout);
export const measurementsCsvExample = CSV_HEADER + csvLine(reading, layout);
export const exportNdjsonExample = NDJSON.toLine(scope, reading);
export const exportCsvExample = CSV.header + CSV.toLine(scope, reading);
