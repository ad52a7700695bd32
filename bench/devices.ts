/** `npm run bench:devices [-- frames under-way http history]`: frames over CoAP and HTTP, and a year of history. */
import { startDeviceBench } from './devices/device-bench.ts';
import { benchFrames } from './devices/frames.ts';
import { benchHistory } from './devices/history.ts';
import { benchHttpIntake } from './devices/http-intake.ts';
import { benchUnderWay } from './devices/under-way.ts';
import { runChosen } from './support/run-chosen.ts';

const benches = {
  frames: benchFrames,
  'under-way': benchUnderWay,
  http: benchHttpIntake,
  history: benchHistory,
};

await runChosen(benches, startDeviceBench);
