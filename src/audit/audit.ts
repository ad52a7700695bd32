/** The audit trail as customers read it. */
import { UUID } from '../process/uuid.ts';

export interface StoredAuditEntry {
  id: string;
  at: Date;
  keyId: string | null;
  actorName: string;
  action: string;
  subject: string;
  before: object | null;
  after: object | null;
}

/** A subject as people know it: a device has both, a group only a name. */
export interface Subject {
  name: string | null;
  serialNumber: string | null;
}

/** The subject of these is a serial number as the caller spelled it. */
const ABOUT_SERIAL_NUMBER = ['withdrawDeviceConfig', 'removeUnregisteredDevice'];

/** Keys by which the subjects of entries are found: ids, and serial numbers in lower case. */
export function subjectKeys(entries: ReadonlyArray<Pick<StoredAuditEntry, 'action' | 'subject'>>) {
  const ids = entries.map(({ subject }) => subject).filter((subject) => UUID.test(subject));
  const serialNumbers = entries
    .filter(({ action }) => ABOUT_SERIAL_NUMBER.includes(action))
    .map(({ subject }) => subject.toLowerCase());
  return { ids: [...new Set(ids)], serialNumbers: [...new Set(serialNumbers)] };
}

/** The subject as it is now; otherwise as GET showed it with the change. */
function findSubject(entry: StoredAuditEntry, subjects: ReadonlyMap<string, Subject>): Subject {
  const isSerial = ABOUT_SERIAL_NUMBER.includes(entry.action);
  const found = subjects.get(isSerial ? entry.subject.toLowerCase() : entry.subject);
  if (found) return found;
  const shown = (entry.after ?? entry.before ?? {}) as Record<string, unknown>;
  return {
    // Webhooks and channels without a name are known by their address.
    name: toText(shown.name) ?? toText(shown.url) ?? toText(shown.target),
    serialNumber: isSerial ? entry.subject : toText(shown.serialNumber),
  };
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Actors of changes without a key. */
export const COMMAND_LINE = { keyId: null, name: 'command line' };
export const TEMPORAL_UI = { keyId: null, name: 'Temporal UI' };
export const ADDRESS_OWNER = { keyId: null, name: 'owner of the address' };

export function auditEntryView(entry: StoredAuditEntry, subjects: ReadonlyMap<string, Subject>) {
  const { id, at, keyId, actorName, action, subject, before, after } = entry;
  const { name, serialNumber } = findSubject(entry, subjects);
  return {
    id,
    recType: 'audit-entry',
    at: at.toISOString(),
    actor: { keyId, name: actorName },
    action,
    subject,
    subjectName: name,
    serialNumber,
    before,
    after,
  };
}
