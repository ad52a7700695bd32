/** A project with nothing but the installed package: registers a device, applies a profile, and waits for the device. */
import { createClient, waitUntilApplied } from 'device-monitoring-client';

declare const process: { argv: string[] };
const [baseUrl = '', apiKey = '', deviceToken = '', serial = ''] = process.argv.slice(2);
const dms = createClient({ baseUrl, apiKey });
const devices = createClient({ baseUrl, apiKey: deviceToken });

const { id: assetId } = await dms.registerAsset({ body: { serialNumber: serial } });
const factory = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };
await devices.reportConfig({ serial, body: factory });
const { jobId } = await dms.applyProfile({ slug: 'vaccine-fridge', body: { serialNumbers: [serial] } });
const pending = await devices.fetchPendingConfig({ serial });
await devices.reportConfig({ serial, body: { ...factory, ...pending?.config } as never });
const job = await waitUntilApplied(dms, jobId as string, { pollMs: 50 });
console.log(`${(await dms.getAsset({ assetId })).serialNumber} ${job.status}`);
