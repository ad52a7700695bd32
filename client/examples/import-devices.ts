/** Registers devices, with a result for each. May be run again: devices that are registered already stay as they are. */
import { createClient } from '../src/index.ts';

const DEVICES = [
  { serialNumber: '282C02424EED', name: 'Vaccine fridge 1' },
  { serialNumber: '282C02424EEE', name: 'Vaccine fridge 2' },
];

const { DMS_URL = 'http://127.0.0.1:8080', DMS_KEY = '' } = process.env;
const dms = createClient({ baseUrl: DMS_URL, apiKey: DMS_KEY });

const { created, unchanged, results } = await dms.importAssets({ body: DEVICES });
console.log(`${created} registered, ${unchanged} already there`);
for (const { row, error } of results) if (error !== null) console.log(`row ${row}: ${error}`);
