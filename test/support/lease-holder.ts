/**
 * A process that holds a lease: prints `held` and `lost` on changes.
 */
import { openDatabase } from '../../src/db/database.ts';
import { startLease } from '../../src/db/lease.ts';

const [url = '', name = '', leaseMs = ''] = process.argv.slice(2);
const sql = openDatabase({ url, poolSize: 1, statementTimeoutMs: 0, applicationName: 'lease holder' });
const lease = startLease(sql, { name, leaseMs: Number(leaseMs), onFault: () => {} });
let wasHeld = false;
setInterval(() => {
  if (lease.isHeld() === wasHeld) return;
  wasHeld = !wasHeld;
  process.stdout.write(wasHeld ? 'held\n' : 'lost\n');
}, 20);
