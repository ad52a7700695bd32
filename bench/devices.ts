/**
 * `npm run bench:devices [-- frames organizations under-way beside-apply beside-alerts http end-to-end lone history cadence]`:
 * frames over CoAP and HTTP, and a year of history.
 */
import { benchBesideAlerts } from './devices/beside-alerts.ts';
import { benchBesideApply } from './devices/beside-apply.ts';
import { benchCadence } from './devices/cadence.ts';
import { startDeviceBench } from './devices/device-bench.ts';
import { benchEndToEnd } from './devices/end-to-end.ts';
import { benchFrames } from './devices/frames.ts';
import { benchHistory } from './devices/history.ts';
import { benchHttpIntake } from './devices/http-intake.ts';
import { benchLone } from './devices/lone.ts';
import { benchOrganizations } from './devices/organizations.ts';
import { benchUnderWay } from './devices/under-way.ts';
import { runChosen } from './support/run-chosen.ts';

const benches = {
  frames: benchFrames,
  organizations: benchOrganizations,
  'under-way': benchUnderWay,
  'beside-apply': benchBesideApply,
  'beside-alerts': benchBesideAlerts,
  http: benchHttpIntake,
  'end-to-end': benchEndToEnd,
  lone: benchLone,
  history: benchHistory,
  cadence: benchCadence,
};

await runChosen(benches, startDeviceBench);
