/**
 * Lets organizations take turns with the chunks of certificates: many transfers of one delay others by a
 * chunk, and not by all of them.
 */
import type { CertificateContentsRepository } from './certificate-contents.repository.ts';

export interface ChunkTurns {
  run<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

type Chunks = Pick<CertificateContentsRepository, 'insertChunk' | 'findChunk'>;

export const inTurns = <Contents extends Chunks>(contents: Contents, turns: ChunkTurns): Contents => ({
  ...contents,
  insertChunk: (organizationId: string, ...chunk: Tail<Chunks['insertChunk']>) =>
    turns.run(organizationId, () => contents.insertChunk(organizationId, ...chunk)),
  findChunk: (organizationId: string, ...which: Tail<Chunks['findChunk']>) =>
    turns.run(organizationId, () => contents.findChunk(organizationId, ...which)),
});

type Tail<F extends (first: string, ...rest: never[]) => unknown> =
  Parameters<F> extends [string, ...infer Rest] ? Rest : never;
