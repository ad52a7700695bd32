/** Finds secrets in any output of the service: plain, in another case, and in common encodings. */
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';

/** Prefixes of keys are public; only the rest is searched. */
const PREFIX = /^(dms_live_|dev_|whsec_)/;

/** By the name that a failure prints. */
export type Secrets = Record<string, string>;

/** The names of the secrets that the text contains. */
export function findSecrets(secrets: Secrets, text: string): string[] {
  const lowerCase = text.toLowerCase();
  return Object.entries(secrets)
    .filter(([, secret]) => spellings(secret).some((spelling) => lowerCase.includes(spelling)))
    .map(([name]) => name);
}

const searched = new Map<string, string[]>();

/** In lower case, because some columns are. */
function spellings(secret: string): string[] {
  const found = searched.get(secret) ?? encodings(secret).map((spelling) => spelling.toLowerCase());
  searched.set(secret, found);
  return found;
}

function encodings(secret: string): string[] {
  const bare = secret.replace(PREFIX, '');
  return [
    bare,
    JSON.stringify(bare).slice(1, -1),
    encodeURIComponent(bare),
    Buffer.from(bare).toString('hex'),
    [...Buffer.from(bare)].join(),
    ...[0, 1, 2].flatMap((offset) => base64At(bare, offset)),
  ];
}

/**
 * In base64 of a longer text, the secret looks different at each of three offsets; its first and last
 * characters depend on its neighbours.
 */
function base64At(text: string, offset: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  const whole = shifted.subarray(offset === 0 ? 0 : 3, shifted.length - (shifted.length % 3));
  return [whole.toString('base64'), whole.toString('base64url')];
}

/** Every row of every table as text. */
export async function storedRows(sql: Sql): Promise<Array<{ table: string; text: string }>> {
  const tables = await query<{ name: string }>(
    sql,
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const rows = tables.map(({ name }) =>
    query<{ table: string; text: string }>(
      sql,
      `select '${name}' as "table", t::text as text from ${name} t`,
    ),
  );
  return (await Promise.all(rows)).flat();
}
