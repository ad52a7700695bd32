/** Commands for logging in: afterwards commands by API need no settings. */
import { readRemoteSettings } from '../process/config.ts';
import { connect, noSuchLogin } from './api.ts';
import { type Command, type CommandInput, option, required, UsageError } from './command.ts';
import { readLogins, writeLogins } from './logins.ts';
import { readSecret } from './read-input.ts';

export const loginCommands: Command[] = [
  {
    words: ['login'],
    args: 'URL [--name NAME]',
    summary: 'keep URL and a customer key for later commands, once the key has been tried',
    details: `The key is read from DMS_KEY, else asked for and not shown, else read from standard input.
It is kept in a file that only you can read, in the folder dms of your configuration folder.`,
    isRemote: true,
    run: async (input) => {
      const url = urlOf(required(input, 0, 'URL'));
      const name = option(input, 'name') ?? url.host;
      const { apiKey: given, loginFile } = readRemoteSettings();
      const apiKey = given ?? (await readSecret(`Customer key for ${url.origin}: `));
      const login = { url: url.origin + url.pathname.replace(/\/+$/, ''), apiKey };
      await connect(login).dms.listAssets({ limit: 1 });
      const { byName } = readLogins(loginFile);
      writeLogins(loginFile, { current: name, byName: { ...byName, [name]: login } });
      return `Logged in to ${login.url} as ${name}`;
    },
  },
  {
    words: ['logout'],
    args: '[NAME]',
    summary: 'forget a login; the key stays valid until it is revoked',
    isRemote: true,
    run: async (input) => {
      const { loginFile } = readRemoteSettings();
      const logins = readLogins(loginFile);
      const name = nameToForget(input, logins.current);
      const { [name]: forgotten, ...byName } = logins.byName;
      if (!forgotten) throw noSuchLogin(name);
      const current = logins.current === name ? (Object.keys(byName)[0] ?? null) : logins.current;
      writeLogins(loginFile, { current, byName });
      return `Forgot ${name}`;
    },
  },
  {
    words: ['logins'],
    args: '',
    summary: 'list logins; the one with * is used',
    isRemote: true,
    run: async () => {
      const { current, byName } = readLogins(readRemoteSettings().loginFile);
      const rows = Object.entries(byName).map(([name, { url }]) => [name === current ? '*' : ' ', name, url]);
      return { headings: ['USED', 'NAME', 'URL'], rows };
    },
  },
];

function urlOf(text: string): URL {
  const url = /^https?:\/\/[^@]+$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) throw new UsageError('URL must be that of the API, such as https://loggers.example.com');
  return url;
}

function nameToForget(input: CommandInput, current: string | null): string {
  const name = input.positionals[0] ?? current;
  if (name === null) throw new UsageError('There is no login');
  return name;
}
