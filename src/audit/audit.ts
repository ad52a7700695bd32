/** The audit trail as customers read it. */
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

/** The actor of changes without a key. */
export const COMMAND_LINE = { keyId: null, name: 'command line' };
export const TEMPORAL_UI = { keyId: null, name: 'Temporal UI' };

export function auditEntryView({
  id,
  at,
  keyId,
  actorName,
  action,
  subject,
  before,
  after,
}: StoredAuditEntry) {
  return {
    id,
    recType: 'audit-entry',
    at: at.toISOString(),
    actor: { keyId, name: actorName },
    action,
    subject,
    before,
    after,
  };
}
