/**
 * What contract.md says in sections 3, 4 and 10 of one device and its configuration: any course of events against a
 * second telling of the same rules. SYNC_STORIES sets how many.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CONTRADICTIONS_MAX, type DeviceReport, receiveReport } from '../../src/devices/config-report.ts';
import type { ConfigurationKey } from '../../src/devices/configuration.ts';
import {
  type DeviceSync,
  fetch,
  merge,
  NEW_DEVICE,
  offered,
  replaceHardware,
  syncStatus,
  withdraw,
} from '../../src/devices/device-sync.ts';
import { type Letters, lettersOf, spelt } from './config-symbols.ts';
import { START_MS } from './fixtures.ts';
import { Paper, type Words } from './reference-model.ts';
import { stories, type TimedEvent, wordsOf } from './scenario.ts';

const OUTCOMES = {
  settled: 'confirmed',
  refused: 'rejected',
  denied: 'reoffered',
  nothing: 'recorded',
} as const;

const deviceReport = ({ says, cameInMs, madeMs, errors }: Words, spelling: number): DeviceReport => ({
  config: spelt(says, spelling),
  hash: null,
  receivedAt: new Date(cameInMs),
  madeAt: new Date(madeMs),
  errors: errors && {
    messages: ['complaint'],
    madeAt: new Date(errors.madeMs),
    slackMs: errors.slackMs,
  },
});

/** A course of events on both: the paper and the code. */
class Story {
  readonly paper = new Paper();
  sync: DeviceSync = NEW_DEVICE;
  private nowMs = START_MS;
  private last: { words: Words; spelling: number } | null = null;

  play({ afterSeconds, event }: TimedEvent) {
    this.nowMs += afterSeconds * 1_000;
    const before = this.sync;
    if (event.does === 'merge') this.merge(event.change);
    else if (event.does === 'withdraw') this.withdraw(event.keys);
    else if (event.does === 'replace') this.replace();
    else if (event.does === 'fetch') this.fetch();
    else if (event.does === 'repeat') this.repeat();
    else this.report(wordsOf(event.said, this.paper, this.nowMs), event.spelling);
    this.compare();
    this.checkRevision(before);
  }

  private merge(change: Letters) {
    const { revision } = this.sync;
    this.sync = merge(this.sync, spelt(change, 0));
    this.paper.want({ ...this.paper.wanted, ...change });
    assert.equal(this.sync.revision > revision, true, 'a merge gives a new revision');
  }

  private withdraw(keys: ConfigurationKey[]) {
    this.sync = withdraw(this.sync, keys);
    const rest = Object.entries(this.paper.wanted).filter(([key]) => !keys.includes(key as ConfigurationKey));
    this.paper.want(Object.fromEntries(rest));
  }

  private replace() {
    this.sync = replaceHardware(this.sync);
    this.paper.replaceHardware();
  }

  private fetch() {
    const offer = offered(this.sync);
    assert.deepEqual(lettersOf(offer?.config), this.paper.refusal ? null : this.wantedOrNull());
    if (offer) assert.equal(offer.revision, this.sync.revision);
    this.sync = fetch(this.sync, new Date(this.nowMs));
    this.paper.take(this.nowMs);
  }

  private repeat() {
    if (this.last) this.report({ ...this.last.words, cameInMs: this.nowMs }, this.last.spelling);
  }

  private report(said: Words, spelling: number) {
    this.last = { words: said, spelling };
    const before = this.sync;
    const { sync, outcome } = receiveReport(before, deviceReport(said, spelling));
    this.sync = sync;
    assert.equal(outcome.kind, OUTCOMES[this.paper.hear(said)]);
    this.checkReport(before, outcome.kind);
  }

  /** What holds of every report, whatever the paper says. */
  private checkReport(before: DeviceSync, outcome: string) {
    assert.equal(this.sync.revision, before.revision, 'a report makes no revision');
    if (outcome === 'confirmed') {
      assert.notEqual(before.pending, null, 'only what was pending can be confirmed');
      assert.equal(this.sync.pending, null);
      assert.equal(syncStatus(this.sync), 'applied');
    } else {
      assert.deepEqual(this.sync.pending?.config, before.pending?.config, 'a report changes nothing pending');
    }
    if (before.pending?.failure != null && outcome !== 'confirmed')
      assert.deepEqual(this.sync.pending, before.pending, 'what has failed stays so');
  }

  /** Whoever sees a revision twice sees the same change twice. */
  private checkRevision(before: DeviceSync) {
    assert.equal(this.sync.revision >= before.revision, true, 'revisions never shrink');
    const { pending } = this.sync;
    if (pending && JSON.stringify(pending.config) !== JSON.stringify(before.pending?.config))
      assert.equal(this.sync.revision > before.revision, true, 'another change needs another revision');
  }

  private wantedOrNull(): Letters | null {
    return this.paper.isWaiting ? this.paper.wanted : null;
  }

  private compare() {
    const { paper, sync } = this;
    assert.equal(syncStatus(sync), paper.status);
    assert.deepEqual(lettersOf(sync.pending?.config), this.wantedOrNull());
    assert.deepEqual(lettersOf(sync.reported?.config), paper.heard);
    assert.equal(sync.reported?.at.getTime() ?? null, paper.heardMs);
    assert.deepEqual(lettersOf(sync.confirmed) ?? {}, paper.held);
    const offer = offered(sync);
    if (syncStatus(sync) === 'failed' || paper.refusal) assert.equal(offer, null, 'failed is never offered');
    else assert.equal(offer === null, sync.pending === null, 'what is pending is offered');
    for (const name of paper.refusal?.naming ?? [])
      assert.equal(sync.pending?.failure?.includes(name), true, `the reason names ${name}`);
  }
}

describe('Any course of merges, fetches, reports, withdrawals and new hardware', function () {
  const numRuns = Number(process.env.SYNC_STORIES ?? 3_000);
  this.timeout(10_000 + 10 * numRuns);

  it(`ends as the second telling of the rules says (${numRuns} stories)`, () => {
    assert.equal(CONTRADICTIONS_MAX, 3);
    fc.assert(
      fc.property(stories, (story) => {
        const both = new Story();
        for (const event of story) both.play(event);
      }),
      { numRuns },
    );
  });

  it('leaves no device stuck: one that fetches and obeys is applied, if anything is still offered', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const both = new Story();
        for (const event of story) both.play(event);
        const late = new Date(START_MS + 86_400_000);
        const offer = offered(both.sync);
        if (!offer) return;
        const running = { ...both.sync.reported?.config, ...offer.config };
        const report = { config: running, hash: null, receivedAt: late, madeAt: late, errors: null };
        const { sync } = receiveReport(fetch(both.sync, late), report);
        assert.equal(syncStatus(sync), 'applied');
        assert.equal(sync.pending, null);
        assert.deepEqual(sync.reported?.config, running);
      }),
      { numRuns: Math.ceil(numRuns / 10) },
    );
  });
});
