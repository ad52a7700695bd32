/**
 * `npm run bench:size [-- find lists sweeps]`: a large installation. Loads once into a
 * folder, which is kept.
 *
 * SIZE_FOLDER: where the data is kept (default: dms-size in the folder for temporary files)
 * SIZE_ORGANIZATIONS: organizations (default: 10)
 * SIZE_DEVICES: their devices together (default: 1,000,000)
 * SIZE_DELIVERIES: deliveries, half of them held by one disabled endpoint (default: 20,000,000)
 */
import { benchFind } from './size/find.ts';
import { benchLists } from './size/lists.ts';
import { type SizeBench, startSizeBench } from './size/size-bench.ts';
import { benchSweeps } from './size/sweeps.ts';
import { runChosen } from './support/run-chosen.ts';

await runChosen<SizeBench>({ find: benchFind, lists: benchLists, sweeps: benchSweeps }, startSizeBench);
