/**
 * Owners of pending settings: random sequences of actions of jobs, groups and devices on one device, compared
 * with a second implementation that knows no changes, only each setting with its owners. OWNER_STEPS sets the
 * number of steps, SYNC_SEED repeats them.
 */
import assert from 'node:assert/strict';
import { CONFIGURATION_KEYS, type ConfigurationKey } from '../../src/devices/configuration.ts';
import {
  type DeviceSync,
  merge,
  NEW_DEVICE,
  offeredPart,
  replaceHardware,
  withdraw,
} from '../../src/devices/device-sync.ts';
import { endChanges, type OwnedChange, ownedKeys } from '../../src/devices/pending-owners.ts';
import { randomFrom, seed } from '../sync/seed.ts';
import {
  type ConfigSymbol,
  SYMBOLS,
  type SymbolicConfig,
  toConfiguration,
  toSymbols,
} from './config-symbols.ts';
import { overwrittenBy } from './overwritten-by.ts';

const STEPS = Number(process.env.OWNER_STEPS ?? 5_000);
/** With more pending changes than this, the next step withdraws everything. */
const CHANGES_MAX = 12;

interface Setting {
  value: ConfigSymbol;
  owners: Set<number>;
  isRefused: boolean;
}

const PARTNER: Partial<Record<ConfigurationKey, ConfigurationKey>> = {
  measurementPeriodBase: 'measurementPeriodFactor',
  measurementPeriodFactor: 'measurementPeriodBase',
  alarmRules: 'calendars',
  calendars: 'alarmRules',
};

/** The pending settings, one by one. */
class Account {
  readonly settings = new Map<string, Setting>();
  readonly failed = new Set<number>();
  private readonly changes = new Map<number, SymbolicConfig>();

  put(id: number, change: SymbolicConfig) {
    this.changes.set(id, change);
    for (const [key, value] of Object.entries(change)) {
      const owners = [...(this.settings.get(key)?.owners ?? [])].filter((owner) =>
        this.keeps(owner, key as ConfigurationKey, change),
      );
      this.settings.set(key, { value, owners: new Set([...owners, id]), isRefused: false });
    }
  }

  private keeps(owner: number, key: ConfigurationKey, incoming: SymbolicConfig): boolean {
    const own = this.changes.get(owner) ?? {};
    const keys = [key, PARTNER[key] ?? key];
    return keys.every((each) => !own[each] || !incoming[each] || own[each] === incoming[each]);
  }

  end(ids: ReadonlySet<number>) {
    for (const [key, setting] of this.settings) {
      const left = [...setting.owners].filter((id) => !ids.has(id));
      if (left.length === setting.owners.size) continue;
      setting.owners = new Set(left);
      if (left.length === 0) this.settings.delete(key);
      else if (left.every((id) => this.failed.has(id))) setting.isRefused = true;
    }
  }

  refuse(ids: Iterable<number>) {
    for (const setting of this.settings.values()) setting.isRefused = true;
    for (const id of ids) this.failed.add(id);
  }

  confirm() {
    for (const [key, { isRefused }] of this.settings) if (!isRefused) this.settings.delete(key);
  }

  get pending() {
    return Object.fromEntries([...this.settings].map(([key, { value }]) => [key, value]));
  }
  keysWhere(holds: (setting: Setting) => boolean): string[] {
    return [...this.settings].filter(([, setting]) => holds(setting)).map(([key]) => key);
  }
}

interface Change extends OwnedChange {
  id: number;
  groupId: number | null;
  retries: number | null;
  /** Owned as a whole, and its target was ended neither by its device nor by its deadline. */
  isOpen: boolean;
}

/** The rules under test, as the services combine them. */
class Device {
  sync: DeviceSync = NEW_DEVICE;
  changes: Change[] = [];

  put(change: Omit<Change, 'lostKeys' | 'refusalReason' | 'isOpen'>) {
    this.sync = merge(this.sync, change.change);
    this.changes = this.changes.map((before) => {
      const after = overwrittenBy(before, change.change);
      return { ...after, isOpen: after.isOpen && after.lostKeys.length === before.lostKeys.length };
    });
    this.changes.push({ ...change, lostKeys: [], refusalReason: null, isOpen: true });
    this.forgetEmpty();
  }

  end(ids: ReadonlySet<number>) {
    const isEnded = ({ id }: Change) => ids.has(id);
    const others = this.changes.filter((change) => !isEnded(change));
    if (this.sync.pending) {
      const { config } = this.sync.pending;
      const { withdrawn, refusal } = endChanges(config, this.changes.filter(isEnded), others);
      this.sync = withdraw(this.sync, withdrawn, refusal);
    }
    this.changes = others;
  }

  refuse() {
    const { pending } = this.sync;
    if (!pending || offeredPart(pending) === null) return;
    const keys = CONFIGURATION_KEYS.filter((key) => pending.config[key] !== undefined);
    this.sync = { ...this.sync, pending: { ...pending, refusal: { keys, reason: 'no' } } };
    this.changes = this.changes.map((change) =>
      change.isOpen ? { ...change, isOpen: false, refusalReason: 'no' } : change,
    );
  }

  confirm() {
    const { pending } = this.sync;
    const offer = pending && offeredPart(pending);
    if (!offer) return;
    this.sync = withdraw(
      this.sync,
      CONFIGURATION_KEYS.filter((key) => offer[key] !== undefined),
    );
    const left = this.sync.pending?.config ?? {};
    this.changes = this.changes.map((change) => ({
      ...change,
      lostKeys: CONFIGURATION_KEYS.filter((key) => left[key] === undefined || change.lostKeys.includes(key)),
    }));
    this.forgetEmpty();
  }

  private forgetEmpty() {
    this.changes = this.changes.filter((change) => ownedKeys(change).length > 0);
  }
}

describe('A random sequence of applies, groups, moves, cancels, retries, withdrawals and deadlines on a device', function () {
  this.timeout(60_000 + STEPS);
  const { below, pick } = randomFrom(seed);

  const draw = (): SymbolicConfig =>
    Object.fromEntries(
      CONFIGURATION_KEYS.filter(() => below(5) < 2).map((key) => [key, pick(SYMBOLS.slice(0, 2))]),
    );

  it(`leaves each setting pending until the last owner of its value ends, and no other (${STEPS} steps, seed ${seed})`, () => {
    const device = new Device();
    const account = new Account();
    let nextId = 1;
    let groupId = 0;

    function put(change: SymbolicConfig, more: { groupId?: number; retries?: number } = {}) {
      if (Object.keys(change).length === 0) return;
      const id = nextId++;
      const owner = { groupId: more.groupId ?? null, retries: more.retries ?? null };
      device.put({ id, change: toConfiguration(change, below(3)), ...owner });
      account.put(id, change);
    }
    /** Includes the changes that a retry retries. */
    function end(holds: (change: Change) => boolean) {
      const ids = new Set<number>();
      const add = (change: Change) => {
        ids.add(change.id);
        for (const each of device.changes) if (each.id === change.retries && !ids.has(each.id)) add(each);
      };
      device.changes.filter(holds).forEach(add);
      device.end(ids);
      account.end(ids);
    }
    const steps: Record<string, () => void> = {
      apply: () => put(draw()),
      'apply the same': () => put({ ...account.pending, ...draw() }),
      join: () => put(draw(), { groupId }),
      leave: () => end((change) => change.groupId === groupId),
      move: () => {
        end((change) => change.groupId === groupId);
        groupId = below(3);
        put(draw(), { groupId });
      },
      cancel: () => {
        const cancelled = device.changes[below(device.changes.length + 1)];
        end(({ id }) => id === cancelled?.id);
      },
      retry: () => {
        const ended = device.changes.filter(({ isOpen }) => !isOpen);
        const retried = ended[below(ended.length + 1)];
        if (retried) put(toSymbols(retried.change) ?? {}, { retries: retried.id });
      },
      expire: () => {
        const expired = device.changes[below(device.changes.length + 1)];
        if (expired) expired.isOpen = false;
      },
      refuse: () => {
        if (account.keysWhere(({ isRefused }) => !isRefused).length === 0) return;
        account.refuse(device.changes.filter(({ isOpen }) => isOpen).map(({ id }) => id));
        device.refuse();
      },
      confirm: () => {
        device.confirm();
        account.confirm();
      },
      'replace hardware': () => {
        device.sync = replaceHardware(device.sync);
        for (const setting of account.settings.values()) setting.isRefused = false;
      },
      withdraw: () => {
        device.end(new Set(device.changes.map(({ id }) => id)));
        account.end(new Set(Array.from({ length: nextId }, (_, id) => id)));
      },
    };
    const often = ['apply', 'apply', 'apply the same', 'join', 'move', 'cancel', 'cancel', 'retry'];
    const names = [...Object.keys(steps).filter((name) => name !== 'withdraw'), ...often];

    for (let step = 1; step <= STEPS; step++) {
      const name = device.changes.length > CHANGES_MAX ? 'withdraw' : pick(names);
      steps[name]?.();
      const what = `step ${step}: ${name}`;
      const { pending } = device.sync;
      assert.deepEqual(toSymbols(pending?.config) ?? {}, account.pending, what);
      const sorted = (keys: Iterable<string>) => [...keys].sort();
      const refused = sorted(account.keysWhere(({ isRefused }) => isRefused));
      assert.deepEqual(sorted(pending?.refusal?.keys ?? []), refused, what);
      for (const change of device.changes) {
        const owned = account.keysWhere(({ owners }) => owners.has(change.id));
        assert.deepEqual(sorted(ownedKeys(change)), sorted(owned), `${what}: keys of change ${change.id}`);
      }
    }
  });

  it('keeps a setting refused only if the device refused all remaining changes of it, with the last reason', () => {
    const daily = { transmissionInterval: 86_400 };
    const owned = (refusalReason: string | null): OwnedChange => ({
      change: daily,
      lostKeys: [],
      refusalReason,
    });
    const end = (...others: OwnedChange[]) => endChanges(daily, [owned(null)], others);
    const keys: ConfigurationKey[] = ['transmissionInterval'];
    assert.deepEqual(end(), { withdrawn: keys, refusal: null });
    assert.deepEqual(end(owned(null), owned('no')), { withdrawn: [], refusal: null });
    assert.deepEqual(end(owned('no'), owned('never')), { withdrawn: [], refusal: { keys, reason: 'never' } });
  });
});
