/** One command between a running service and the first person and program that use it. */
import { changing } from './changing.ts';
import { type Command, required } from './command.ts';
import { issueKey } from './key-commands.ts';
import { findOperatorUrl, issueLink, personName } from './operator-commands.ts';
import { ensured, organizationName } from './organization-commands.ts';

const ROLE = 'admin';

export const organizationSetupCommand: Command = {
  words: ['org', 'setup'],
  args: 'NAME [--name NAME]',
  summary: 'make an organization, and print an API key, a device token and a link that signs its operator in',
  details: 'The key and the token are printed only this once; the link works once, within 10 minutes.',
  ...changing('createOrganization', async (input, { sql }) => {
    const baseUrl = findOperatorUrl();
    const { organization, changes } = await ensured(sql, organizationName(required(input, 0, 'NAME')));
    const forOrganization = { organizationId: organization.id, name: personName(input) };
    const key = await issueKey(sql, { ...forOrganization, kind: 'customer', role: ROLE, expiresAt: null });
    const token = await issueKey(sql, { ...forOrganization, kind: 'device', expiresAt: null });
    const { link, change } = await issueLink(sql, baseUrl, { ...forOrganization, role: ROLE });
    return {
      changes: [
        ...changes,
        { ...key.change, action: 'createKey' },
        { ...token.change, action: 'createKey' },
        { ...change, action: 'createOperatorLink' },
      ],
      output: {
        text: [
          `Organization  ${organization.id}`,
          `API key       ${key.token}`,
          `Device token  ${token.token}`,
          `Sign-in link  ${link}`,
        ].join('\n'),
        value: { id: organization.id, apiKey: key.token, deviceToken: token.token, link },
      },
    };
  }),
};
