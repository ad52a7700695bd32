/** The audit trail as customers read it. */
import { withoutCase } from '../http/one-line.ts';
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

/** The subject of these is a serial number, or the id of the device. */
export const ABOUT_SERIAL_NUMBER = [
  'withdrawDeviceConfig',
  'removeUnregisteredDevice',
  'uploadCalibrationCertificate',
];

const isAboutSerialNumber = ({ action, subject }: Pick<StoredAuditEntry, 'action' | 'subject'>): boolean =>
  ABOUT_SERIAL_NUMBER.includes(action) && !UUID.test(subject);

/** Keys by which the subjects of entries are found: ids, and serial numbers in lower case. */
export function subjectKeys(entries: ReadonlyArray<Pick<StoredAuditEntry, 'action' | 'subject'>>) {
  const ids = entries.map(({ subject }) => subject).filter((subject) => UUID.test(subject));
  const serialNumbers = entries.filter(isAboutSerialNumber).map(({ subject }) => subject.toLowerCase());
  return { ids: [...new Set(ids)], serialNumbers: [...new Set(serialNumbers)] };
}

/** The subject as it is now; otherwise as GET showed it with the change. */
function findSubject(entry: StoredAuditEntry, subjects: ReadonlyMap<string, Subject>): Subject {
  const isSerial = isAboutSerialNumber(entry);
  const found = subjects.get(isSerial ? entry.subject.toLowerCase() : entry.subject);
  if (found) return found;
  const shown = (entry.after ?? entry.before ?? {}) as Record<string, unknown>;
  return {
    // Webhooks and channels without a name are known by their address.
    name: toText(shown.name) ?? toText(shown.url) ?? toText(shown.target),
    serialNumber: toText(shown.serialNumber) ?? (isSerial ? entry.subject : null),
  };
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Actors of changes without a key. */
export const COMMAND_LINE = { keyId: null, name: 'command line' };
export const TEMPORAL_UI = { keyId: null, name: 'Temporal UI' };
export const ADDRESS_OWNER = { keyId: null, name: 'owner of the address' };
const BY_MAIL = '(link in an e-mail)';
export const toMailReaderName = (address: string): string => `${address} ${BY_MAIL}`;

/** Letters and digits alone, so that no blank or invisible character makes a name look like another one. */
const toLetters = (name: string): string =>
  withoutCase(name.normalize('NFKC')).replace(/[^\p{L}\p{N}]/gu, '');

const RESERVED = [COMMAND_LINE, TEMPORAL_UI, ADDRESS_OWNER].map(({ name }) => toLetters(name));

/** Names that no person may have, because actors without a key are told apart by their names. */
export function isReservedName(name: string): boolean {
  const letters = toLetters(name);
  return RESERVED.includes(letters) || letters.endsWith(toLetters(BY_MAIL));
}

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
