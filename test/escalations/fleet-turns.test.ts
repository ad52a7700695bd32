/** The sweep over overdue fleets: each fleet has its turn, regardless of faults in others. */
import assert from 'node:assert/strict';
import {
  createFleetEscalations,
  type FleetEscalationsDeps,
} from '../../src/escalations/fleet-escalations.service.ts';

describe('The sweep over overdue fleets', () => {
  let done: string[] = [];
  let setAside: string[] = [];
  let bounds: string[] = [];

  beforeEach(() => {
    [done, setAside, bounds] = [[], [], []];
  });

  const sweepOf = (
    fleets: Array<{ organizationId: string; isAcknowledged: boolean }>,
    { hasPolicy = async () => true }: Partial<FleetEscalationsDeps['fleets']> = {},
  ) =>
    createFleetEscalations({
      transact: (work) => work({ sql: {} as never, afterCommit: () => {} } as never),
      fleets: {
        list: async () =>
          fleets.map(({ organizationId, isAcknowledged }) => ({
            organizationId,
            isAcknowledged,
            alertId: isAcknowledged ? `alert of ${organizationId}` : null,
            status: isAcknowledged ? ('acknowledged' as const) : null,
          })),
        hasPolicy,
      },
      unannounced: { count: async () => 20_000 },
      fleetsIn: () => ({
        lock: async () => true,
        async escalateNext(organizationId) {
          if (organizationId === 'failing') throw new Error('is wrong');
          if (organizationId === 'away') throw Object.assign(new Error('shutting down'), { code: '57P01' });
          done.push(organizationId);
          return null;
        },
      }),
      unannouncedIn: () => ({
        async acknowledgeAs({ organizationId }, { after }) {
          done.push(organizationId);
          return after === null ? 'last' : null;
        },
      }),
      runs: { begin: () => {}, wake: () => {} },
      onSetAside: ({ organizationId }) => void setAside.push(organizationId),
      onBoundHit: (organizationId) => void bounds.push(organizationId),
      now: () => new Date('2026-03-02T08:15:30Z'),
    });

  it('continues with the others when one fails', async () => {
    const fleets = ['failing', 'b'].map((organizationId) => ({ organizationId, isAcknowledged: false }));
    await sweepOf(fleets)(() => true);
    assert.deepEqual([done, setAside], [['b'], ['failing']]);
  });

  it('sets no fleet aside while the database is away', async () => {
    await assert.rejects(
      sweepOf([{ organizationId: 'away', isAcknowledged: false }])(() => true),
      /shutting down/,
    );
    assert.deepEqual(setAside, []);
  });

  it('acknowledges a page of each fleet in turn', async () => {
    const fleets = ['a', 'b'].map((organizationId) => ({ organizationId, isAcknowledged: true }));
    await sweepOf(fleets)(() => true);
    assert.deepEqual(done, ['a', 'b', 'a', 'b']);
  });

  it('checks no alert when no policy is for missed contacts', async () => {
    const fleets = [{ organizationId: 'a', isAcknowledged: false }];
    await sweepOf(fleets, { hasPolicy: async () => false })(() => true);
    assert.deepEqual(done, []);
  });

  it('reports once that no policy matches the checked alerts of a fleet', async () => {
    const sweep = sweepOf([{ organizationId: 'a', isAcknowledged: false }]);
    await sweep(() => true);
    await sweep(() => true);
    assert.deepEqual(bounds, ['a']);
  });
});
