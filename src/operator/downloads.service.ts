/** Files that operations answer with. One that is being sent breaks off when its person signs out or the session ends. */
import type { Readable } from 'node:stream';
import type { CallOperation, OperationInput } from '../http/operations.ts';
import type { PageReply } from '../http/page-route.ts';
import type { Reply } from '../http/route.ts';
import { type Session, toCaller } from './session.ts';

interface DownloadsDeps {
  call: CallOperation;
  /** Asks before each piece of a streamed answer, and breaks it off. */
  revocable(reply: Reply, isValid: () => Promise<boolean>): Reply;
  isActive(session: Session): Promise<boolean>;
  /** Never adjusted, because a clock that is set back would postpone the next look at the session. */
  monotonicMs(): number;
}

export type Download = (
  session: Session,
  operationId: string,
  input: OperationInput,
) => Promise<Extract<PageReply, { stream: Readable }>>;

/** Minimum time between two looks at the session of a file that is being sent. */
const CHECK_MS = 3_000;

export const createDownload =
  ({ call, revocable, isActive, monotonicMs }: DownloadsDeps): Download =>
  async (session, operationId, input) => {
    const reply = await call(toCaller(session), operationId, input);
    let nextCheckMs = monotonicMs() + CHECK_MS;
    const { body, headers = {} } = revocable(reply, async () => {
      const atMs = monotonicMs();
      if (atMs < nextCheckMs) return true;
      nextCheckMs = atMs + CHECK_MS;
      return isActive(session);
    });
    return { stream: body as Readable, headers };
  };
