/**
 * `npm run bench:devices [-- frames organizations beside-apply beside-alerts http end-to-end saturated lone history cadence memory]`:
 * frames over CoAP and HTTP, and a year of history. `memory` takes an hour and runs only by name.
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
import { benchMemory } from './devices/memory.ts';
import { benchOrganizations } from './devices/organizations.ts';
import { benchSaturated } from './devices/saturated.ts';
import { runChosen } from './support/run-chosen.ts';

const benches = {
  frames: benchFrames,
  organizations: benchOrganizations,
  'beside-apply': benchBesideApply,
  'beside-alerts': benchBesideAlerts,
  http: benchHttpIntake,
  'end-to-end': benchEndToEnd,
  saturated: benchSaturated,
  lone: benchLone,
  history: benchHistory,
  cadence: benchCadence,
  memory: benchMemory,
};

await runChosen(benches, startDeviceBench, ['memory']);
