/** A response, as far as who waits for its end looks at it. */
import { EventEmitter } from 'node:events';

const closing = (destroyed = false) => Object.assign(new EventEmitter(), { destroyed });

export const clientResponse = (destroyed = false) =>
  Object.assign(closing(destroyed), { req: { socket: closing() } });
