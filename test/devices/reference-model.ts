/**
 * The second telling of what contract.md says in sections 3, 4 and 10 of one device: what became of a change is read
 * from its diary, all that happened since it last changed.
 */
import type { ConfigurationKey } from '../../src/devices/configuration.ts';
import type { Letters } from './config-symbols.ts';

export interface Words {
  says: Letters;
  cameInMs: number;
  madeMs: number;
  errors: { madeMs: number; slackMs: number } | null;
}

type DiaryEntry = { was: 'taken'; ms: number } | { was: 'denied' } | { was: 'refused'; naming: string[] };

/** What a device always runs some value of. */
const INTERVALS: ConfigurationKey[] = [
  'measurementPeriodBase',
  'measurementPeriodFactor',
  'transmissionInterval',
];

export class Paper {
  wanted: Letters = {};
  heard: Letters | null = null;
  heardMs: number | null = null;
  /** What the device stands by. */
  held: Letters = {};
  diary: DiaryEntry[] = [];

  get isWaiting() {
    return Object.keys(this.wanted).length > 0;
  }
  get refusal() {
    return this.diary.find((entry) => entry.was === 'refused') ?? null;
  }
  get rounds() {
    return this.diary.filter(({ was }) => was === 'denied').length;
  }
  /** The first fetch after the last denial. */
  get takenMs(): number | null {
    const since = this.diary.slice(this.diary.findLastIndex(({ was }) => was === 'denied') + 1);
    for (const entry of since) if (entry.was === 'taken') return entry.ms;
    return null;
  }

  want(wanted: Letters) {
    this.wanted = wanted;
    this.diary = [];
  }
  replaceHardware() {
    const wanted = { ...this.held, ...this.wanted };
    if (Object.keys(wanted).length > 0) this.want(wanted);
  }
  take(ms: number) {
    if (this.isWaiting && !this.refusal) this.diary.push({ was: 'taken', ms });
  }

  hear({ says, cameInMs, madeMs, errors }: Words): 'settled' | 'refused' | 'denied' | 'nothing' {
    const wantedKeys = Object.keys(this.wanted) as ConfigurationKey[];
    const clashes = wantedKeys.filter((key) => says[key] !== undefined && says[key] !== this.wanted[key]);
    const carriesAll = wantedKeys.every((key) => says[key] === this.wanted[key]);
    const { takenMs, isWaiting } = this;
    const isOpen = isWaiting && !this.refusal && takenMs !== null;
    const isSilent = Object.keys(says).length === 0;
    if (!isSilent) {
      for (const key of Object.keys(says) as ConfigurationKey[]) this.held[key] ??= says[key];
      this.heard = { ...this.heard, ...says };
      this.heardMs = cameInMs;
    }
    if (isOpen && errors && Math.min(errors.madeMs, cameInMs) >= takenMs - errors.slackMs) {
      this.diary.push({ was: 'refused', naming: ['complaint'] });
      return 'refused';
    }
    if (isSilent) return 'nothing';
    if (isWaiting && carriesAll) return this.settle(says);
    if (!isOpen || madeMs < takenMs || cameInMs < takenMs) return 'nothing';
    if (clashes.length === 0) return this.settle(says);
    this.diary.push({ was: 'denied' });
    if (this.rounds < 3) return 'denied';
    this.diary.push({ was: 'refused', naming: clashes });
    return 'refused';
  }

  private settle(says: Letters): 'settled' {
    const unsaid = Object.keys(this.wanted).filter((key) => !(key in says)) as ConfigurationKey[];
    for (const key of unsaid) {
      if (INTERVALS.includes(key)) this.heard = { ...this.heard, [key]: this.wanted[key] };
      else delete this.heard?.[key];
    }
    this.held = { ...this.held, ...this.wanted, ...this.heard };
    this.want({});
    return 'settled';
  }

  get status(): string {
    if (this.heard === null) return 'no_device_report';
    if (this.refusal) return 'failed';
    if (this.isWaiting) return this.takenMs === null ? 'pending' : 'sent';
    const differs = Object.entries(this.heard).some(
      ([key, letter]) => this.held[key as ConfigurationKey] !== letter,
    );
    return differs ? 'drifted' : 'applied';
  }
}
