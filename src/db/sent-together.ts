/**
 * Answers of statements of one transaction that were sent together. After a failure PostgreSQL refuses all statements that
 * follow, so the first failure in the order of the statements is the cause.
 */
export async function sentTogether<const Answers extends readonly unknown[]>(
  statements: readonly [...{ [Each in keyof Answers]: Promise<Answers[Each]> }],
): Promise<Answers> {
  await Promise.allSettled(statements);
  return Promise.all(statements) as Promise<unknown> as Promise<Answers>;
}
