/** Applies a profile to all devices, and waits until each of them runs it or has refused it, or the deadline is over. */
import { createClient, waitUntilApplied } from '../src/index.ts';

const { DMS_URL = 'http://127.0.0.1:8080', DMS_KEY = '', PROFILE = 'vaccine-fridge' } = process.env;
const dms = createClient({ baseUrl: DMS_URL, apiKey: DMS_KEY });

const { jobId } = await dms.applyProfile({ slug: PROFILE, body: { applyToAll: true } });
if (jobId === null) {
  console.log('every device runs it already');
} else {
  const job = await waitUntilApplied(dms, jobId, {
    onProgress: ({ counts, total }) => console.log(`${counts.applied} of ${total} devices`),
  });
  console.log(job.reason === null ? job.status : `${job.status}: ${job.reason}`);
}
