/**
 * The reference model of one device and its configuration: section 5 of the contract, implemented a second
 * time in another way. The state of a change is read from a log of everything that has happened since it last
 * changed. Values may be symbols or real settings.
 */
import { type Config, conflicts, contains, only, same } from './config.ts';

export interface ModelReport {
  config: Config;
  receivedMs: number;
  madeMs: number;
  /** `atMs`: by the clock of the device; null: absent. */
  errors: { code: string; atMs: number | null; slackMs: number } | null;
}

/** The message of every error that a device of the tests reports. */
export const ERROR_MESSAGE = 'out of range';

type LogEntry = { did: 'fetch'; ms: number } | { did: 'contradict' };

export type Outcome = 'confirmed' | 'rejected' | 'reoffered' | 'recorded';

/** Settings of which a device always runs some value. */
const INTERVALS = ['measurementPeriodBase', 'measurementPeriodFactor', 'transmissionInterval'];

export class ReferenceDevice {
  /** Empty when nothing is pending. */
  change: Config = {};
  reported: Config | null = null;
  reportedMs: number | null = null;
  confirmed: Config = {};
  /** Other hardware has confirmed this; the current hardware has confirmed nothing yet. */
  private isInheriting = false;
  /** Settings of the change that the device refused. */
  refused: string[] = [];
  /** Settings of confirmed changes that no report has named since. */
  unnamed = new Set<string>();
  private reasonNames: string[] = [];
  /** Errors of the last report before the fetch of the offer. */
  private errorsBefore: (NonNullable<ModelReport['errors']> & { refused: string[] }) | null = null;
  private log: LogEntry[] = [];

  get pending(): Config | null {
    return Object.keys(this.change).length > 0 ? this.change : null;
  }
  /** Texts that the reason of the refusal must contain. */
  get refusal(): string[] | null {
    return this.refused.length > 0 ? this.reasonNames : null;
  }
  get offer(): Config | null {
    const offer = only(this.change, (key) => !this.refused.includes(key));
    return Object.keys(offer).length > 0 ? offer : null;
  }
  get contradictions(): number {
    return this.log.filter(({ did }) => did === 'contradict').length;
  }
  /** Time of the first fetch after the last contradiction. */
  get fetchedMs(): number | null {
    const since = this.log.slice(this.log.findLastIndex(({ did }) => did === 'contradict') + 1);
    return since.find((entry) => entry.did === 'fetch')?.ms ?? null;
  }
  get status(): string {
    if (this.reported === null) return 'no_device_report';
    if (this.pending && !this.offer) return 'failed';
    if (this.pending) return this.fetchedMs === null ? 'pending' : 'sent';
    return conflicts(this.reported, this.confirmed).length > 0 ? 'drifted' : 'applied';
  }

  get unconfirmed(): string[] {
    return this.status === 'applied' ? [...this.unnamed] : [];
  }

  setPending(change: Config) {
    this.change = change;
    if (!this.pending) this.isInheriting = false;
    this.refused = this.refused.filter((key) => key in change);
    this.log = [];
  }
  merge(change: Config) {
    this.refused = this.refused.filter((key) => !(key in change));
    this.setPending({ ...this.change, ...change });
  }
  withdraw(keys: readonly string[]) {
    const inherited = this.isInheriting ? this.confirmed : {};
    const back = only(inherited, (key) => keys.includes(key) && key in this.change);
    this.refused = this.refused.filter((key) => !keys.includes(key));
    this.setPending({ ...only(this.change, (key) => !keys.includes(key)), ...back });
  }
  /** Settings that stay pending only for changes that the device refused. */
  refuseAgain(keys: readonly string[], names: string[]) {
    if (this.refused.length === 0) this.reasonNames = names;
    this.refused.push(...keys);
  }
  replaceHardware() {
    this.refused = [];
    this.errorsBefore = null;
    this.isInheriting = Object.keys(this.confirmed).length > 0;
    this.setPending({ ...this.confirmed, ...this.change });
  }
  fetch(ms: number) {
    if (this.offer) this.log.push({ did: 'fetch', ms });
  }

  report(report: ModelReport): Outcome {
    const { offer, pending, errorsBefore } = this;
    const outcome = this.judge(report);
    const { config, receivedMs, madeMs, errors } = report;
    const fetchedMs = this.offer ? this.fetchedMs : null;
    const isBeforeFetch = fetchedMs === null || Math.min(madeMs, receivedMs) < fetchedMs;
    if (!isBeforeFetch || (!errors && Object.keys(config).length === 0)) return outcome;
    const isSame = errors?.code === errorsBefore?.code;
    const isConfirmed = (key: string) => pending !== null && key in pending && !(key in this.change);
    const stillRefused = isSame ? (errorsBefore?.refused ?? []).filter((key) => !isConfirmed(key)) : [];
    const refused = outcome === 'rejected' ? Object.keys(offer ?? {}) : stillRefused;
    this.errorsBefore = errors && { ...errors, refused };
    return outcome;
  }

  private judge(report: ModelReport): Outcome {
    const { config, receivedMs, madeMs, errors } = report;
    const { fetchedMs, change, offer } = this;
    const isAfterFetch = (ms: number, slackMs: number) =>
      fetchedMs !== null && Math.min(ms, receivedMs) >= fetchedMs - slackMs;
    const isEmpty = Object.keys(config).length === 0;
    if (!isEmpty) this.record(config, receivedMs);
    if (offer && errors && isAfterFetch(errors.atMs ?? madeMs, errors.slackMs)) {
      const isOtherCode = errors.code !== this.errorsBefore?.code;
      const isOtherTime = errors.atMs !== null && errors.atMs !== this.errorsBefore?.atMs;
      const isRefused = this.errorsBefore?.refused.some((key) => key in offer);
      if (isOtherCode || ((isOtherTime || isRefused) && !contains(config, offer)))
        return this.refuse([ERROR_MESSAGE]);
    }
    if (isEmpty || !this.pending) return 'recorded';
    if (contains(config, change)) return this.confirm(config, change);
    if (!offer) return 'recorded';
    if (contains(config, offer)) return this.confirm(config, offer);
    if (!isAfterFetch(madeMs, 0)) return 'recorded';
    const differing = conflicts(config, offer);
    if (differing.length === 0) return this.confirm(config, offer);
    this.log.push({ did: 'contradict' });
    return this.contradictions < 3 ? 'reoffered' : this.refuse(differing);
  }

  private record(config: Config, receivedMs: number) {
    this.confirmed = { ...config, ...this.confirmed };
    this.reported = { ...this.reported, ...config };
    this.reportedMs = receivedMs;
    for (const key of Object.keys(config)) this.unnamed.delete(key);
  }

  private refuse(names: string[]): Outcome {
    this.refused = Object.keys(this.change);
    this.reasonNames = names;
    return 'rejected';
  }

  /**
   * Settings of the change replace those that the report leaves out, but afterwards only intervals are known.
   */
  private confirm(config: Config, change: Config): Outcome {
    const unreported = only(change, (key) => !(key in config));
    this.reported = {
      ...only(this.reported ?? {}, (key) => !(key in unreported)),
      ...only(unreported, (key) => INTERVALS.includes(key)),
    };
    for (const key of Object.keys(unreported)) if (!INTERVALS.includes(key)) this.unnamed.add(key);
    const known = { ...this.confirmed, ...change };
    // Rules that are the same keep the form in which they were offered, which says more about them.
    const isOffered = (key: string) =>
      key === 'alarmRules' && key in known && same(known[key], this.reported?.[key]);
    this.confirmed = { ...known, ...only(this.reported, (key) => !isOffered(key)) };
    this.setPending(only(this.change, (key) => !(key in change)));
    return 'confirmed';
  }
}
