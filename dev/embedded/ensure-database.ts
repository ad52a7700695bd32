import pg from 'pg';

/** Makes the database when it is not there; the url of it, by the url of any database of the same server. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(name)}`).catch(unlessThere);
  } finally {
    await client.end();
  }
  const made = new URL(url);
  made.pathname = `/${encodeURIComponent(name)}`;
  return made.href;
}

/** Somebody else made it just now; PostgreSQL has two ways to say so. */
function unlessThere(error: { code?: string }) {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}
