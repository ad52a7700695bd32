/**
 * `npm run bench:delivery [-- saturated outage flaky held-snapshot]`: webhooks, from the committed event to the
 * recorded 2xx. `flaky` and `held-snapshot` take ten minutes each and run only by name.
 */
import { startDeliveryBench } from './delivery/delivery-bench.ts';
import { benchFlaky } from './delivery/flaky.ts';
import { benchHeldSnapshot } from './delivery/held-snapshot.ts';
import { benchOutage } from './delivery/outage.ts';
import { benchSaturated } from './delivery/saturated.ts';
import { runChosen } from './support/run-chosen.ts';

await runChosen(
  {
    saturated: benchSaturated,
    outage: benchOutage,
    flaky: benchFlaky,
    'held-snapshot': benchHeldSnapshot,
  },
  startDeliveryBench,
  ['flaky', 'held-snapshot'],
);
