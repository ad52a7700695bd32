/**
 * Renders the dump of the database schema as a document with a heading for each table, so that tables can be
 * linked and searched.
 */
export function toSchemaDocument(sql: string): string {
  const statements = sql.split(/^(?=CREATE (?:TABLE|OR REPLACE FUNCTION) )/m);
  const parts = statements.map((statement) => {
    const table = /^CREATE TABLE (\w+)/.exec(statement)?.[1];
    return table === undefined ? code(statement) : `## ${table}\n\n${code(statement)}`;
  });
  return `# Database schema\n\n${parts.join('\n\n')}`;
}

const code = (sql: string) => `\`\`\`sql\n${sql.trimEnd()}\n\`\`\``;
