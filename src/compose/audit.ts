import { createAuditRepository } from '../audit/audit.repository.ts';
import { auditRoutes } from '../audit/audit.routes.ts';
import type { RecordAudit } from '../http/audit.ts';
import type { Resources } from './resources.ts';

const recordAudit: RecordAudit = (sql, entry) => createAuditRepository(sql).insert(entry);

export const composeAudit = ({ sql }: Resources) => ({
  routes: auditRoutes(createAuditRepository(sql)),
  record: recordAudit,
});
