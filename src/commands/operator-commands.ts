import { isReservedName } from '../audit/audit.ts';
import type { Database } from '../db/database.ts';
import { readClock } from '../db/database-clock.ts';
import type { Role } from '../http/role.ts';
import { OPERATOR_NAME_MAX, toLink } from '../operator/session.ts';
import { createSessionsRepository } from '../operator/sessions.repository.ts';
import { createLinkIssuer, type LinkRequest } from '../operator/sessions.service.ts';
import { readCommandSettings } from '../process/config.ts';
import { type Change, changing } from './changing.ts';
import { type Command, type CommandInput, option, required, UsageError } from './command.ts';
import { findLocalService } from './local-service.ts';
import { parseName } from './names.ts';
import { findOrganization } from './organization-commands.ts';

export const operatorCommands: Command[] = [
  {
    words: ['operator', 'link'],
    args: '--org NAME [--role admin|write|read] [--name NAME]',
    summary:
      "print a link to the operators' page that signs in once, within 10 minutes, as write without a role",
    ...changing('createOperatorLink', async (input, { sql }) => {
      const baseUrl = findOperatorUrl();
      const name = personName(input);
      const role = (option(input, 'role') ?? 'write') as Role;
      const { id: organizationId } = await findOrganization(sql, required(input, 'org'));
      const { link, change } = await issueLink(sql, baseUrl, { organizationId, name, role });
      return { changes: [change], output: link };
    }),
  },
];

/** Issues a link, which signs in that person once. */
export async function issueLink(
  sql: Database,
  baseUrl: string,
  { organizationId, name, role }: Omit<LinkRequest, 'keyId'>,
): Promise<{ link: string; change: Change }> {
  const now = await readClock(sql);
  const issue = createLinkIssuer({ sessionsIn: createSessionsRepository, now: () => now });
  const link = await issue(sql, { organizationId, name, role, keyId: null });
  const after = { name, role, expiresAt: link.expiresAt.toISOString() };
  return { link: toLink(baseUrl, link), change: { organizationId, subject: link.id, before: null, after } };
}

export function personName(input: CommandInput): string {
  const name = parseName(option(input, 'name') ?? 'operator', '--name', OPERATOR_NAME_MAX);
  if (isReservedName(name))
    throw new UsageError(
      '--name must be the name of a person: the audit trail uses this one for changes without a key',
    );
  return name;
}

/** OPERATOR_URL, else the address of the latest `npm start`. */
export function findOperatorUrl(): string {
  const url = readCommandSettings().operatorUrl ?? findLocalService()?.baseUrl;
  if (!url) throw new UsageError('OPERATOR_URL must say where people reach the page');
  return url;
}
