import type { Context } from 'koa';
import { AppError } from '../process/errors.ts';

/** For paths that are no operation of the API: they can only be read. */
export function allowOnlyReads({ method }: Context): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new AppError('method_not_allowed', 'This path takes GET, HEAD', { headers: { Allow: 'GET, HEAD' } });
}
