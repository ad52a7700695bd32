/** A response for tests of code that waits until a client has read it, or has gone. */
import { EventEmitter } from 'node:events';

const closing = (destroyed = false) => Object.assign(new EventEmitter(), { destroyed });

export const clientResponse = (destroyed = false) =>
  Object.assign(closing(destroyed), { req: { socket: closing() } });
