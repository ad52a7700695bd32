/** Attends to endpoints in trouble that no workflow looks after: a crash, or Temporal away when the trouble began. */
export interface EndpointSweepDeps {
  listUnattended(olderThanMs: number, limit: number): Promise<Array<{ id: string; organizationId: string }>>;
  attend(endpoint: { id: string; organizationId: string }): Promise<void>;
  markSeen(webhookId: string): Promise<void>;
  /** A workflow looks at its endpoint at least this often. */
  lookAgainMs: number;
}

const ENDPOINTS_PER_SWEEP = 200;
const MISSED_LOOKS = 3;

/** Answers with how many it attended to. */
export async function sweepEndpoints({
  listUnattended,
  attend,
  markSeen,
  lookAgainMs,
}: EndpointSweepDeps): Promise<number> {
  const endpoints = await listUnattended(lookAgainMs * MISSED_LOOKS, ENDPOINTS_PER_SWEEP);
  for (const endpoint of endpoints) {
    await attend(endpoint);
    await markSeen(endpoint.id);
  }
  return endpoints.length;
}
