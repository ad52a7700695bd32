/** The fields of an HTML form. */
import type { IncomingMessage } from 'node:http';
import { AppError, invalid } from '../process/errors.ts';
import { mediaType } from './media-type.ts';
import { isStorable, readBytes } from './read-body.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_BYTES_MAX = 1024 * 1024;

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (mediaType(request.headers['content-type']) !== FORM) {
    throw new AppError('unsupported_media_type', `Content-Type must be ${FORM}`);
  }
  const form = new URLSearchParams((await readBytes(request, FORM_BYTES_MAX)).toString());
  for (const [name, value] of form) {
    if (!isStorable(name) || !isStorable(value)) throw invalid('The form must hold no NUL character');
  }
  return form;
}
