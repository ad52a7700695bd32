/** The fields of an HTML form, and the file of one that takes a file. Both are read whole, so both are bounded. */
import type { IncomingMessage } from 'node:http';
import { AppError, invalid } from '../process/errors.ts';
import { requireMediaType } from './media-type.ts';
import { isStorable, readBytes } from './read-body.ts';

export interface FormFile {
  /** As the browser names it. */
  name: string;
  bytes: Buffer;
}

export interface SentForm {
  form: URLSearchParams;
  file: FormFile | null;
}

const FIELDS = 'application/x-www-form-urlencoded';
const FIELDS_AND_FILE = 'multipart/form-data';
const FIELDS_BYTES_MAX = 1024 * 1024;

export async function readForm(request: IncomingMessage): Promise<SentForm> {
  const bytes = await readBytes(request, FIELDS_BYTES_MAX);
  if (bytes.length > 0) requireMediaType(request, [FIELDS]);
  return { form: storable(new URLSearchParams(bytes.toString())), file: null };
}

export async function readFileForm(request: IncomingMessage, fileBytesMax: number): Promise<SentForm> {
  requireMediaType(request, [FIELDS_AND_FILE]);
  const bytes = await readBytes(request, fileBytesMax + FIELDS_BYTES_MAX);
  const form = new URLSearchParams();
  let file: FormFile | null = null;
  for (const [name, value] of await parseParts(bytes, request.headers['content-type'] as string)) {
    if (typeof value === 'string') form.append(name, value);
    // A browser sends an empty file without a name when none was chosen.
    else if (value.name !== '') file = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  if (file && file.bytes.length > fileBytesMax) {
    throw new AppError('too_large', `The file must be at most ${fileBytesMax} bytes`);
  }
  return { form: storable(form), file };
}

async function parseParts(bytes: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData();
  } catch {
    throw invalid('The form must be whole, as browsers send it');
  }
}

function storable(form: URLSearchParams): URLSearchParams {
  for (const [name, value] of form) {
    if (!isStorable(name) || !isStorable(value)) throw invalid('The form must hold no NUL character');
  }
  return form;
}
