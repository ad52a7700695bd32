import pg from 'pg';

/** Creates the database if it does not exist. Takes the URL of any database of the server, returns that of this one. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`create database ${client.escapeIdentifier(name)}`).catch(ignoreExisting);
  } finally {
    await client.end();
  }
  const created = new URL(url);
  created.pathname = `/${encodeURIComponent(name)}`;
  return created.href;
}

/** Another process created it meanwhile; PostgreSQL has two codes for that. */
function ignoreExisting(error: { code?: string }) {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}
