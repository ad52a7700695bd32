/** The fields of an HTML form, and its file if it has one. Both are read whole, so both are bounded. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, invalid } from '../process/errors.ts';
import { isEncodedUtf8 } from './encoded-utf8.ts';
import { isStorable, readBytes, requireMediaType, type TakeBytes } from './read-body.ts';

export interface FormFile {
  /** Name given by the browser. */
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
/** Four times the form of a link with the ids of 20 alerts. A stranger may have many connections open. */
const OPEN_FIELDS_BYTES_MAX = 4 * 1024;
const FIELDS_MAX = 10_000;
const PARTS_MAX = 100;

/** `isOpen`: everybody may send it, without a session. */
export async function readForm(
  request: IncomingMessage,
  take: TakeBytes,
  { isOpen }: { isOpen: boolean },
): Promise<SentForm> {
  const bytes = await readBytes(request, isOpen ? OPEN_FIELDS_BYTES_MAX : FIELDS_BYTES_MAX, take);
  if (bytes.length > 0) requireMediaType(request, [FIELDS]);
  requireFewer(bytes, '&', FIELDS_MAX);
  if (!isEncodedUtf8(bytes.toString('latin1'))) throw notText();
  const form = storable(new URLSearchParams(bytes.toString()));
  // What is done with many fields is a turn of its own.
  await nextTurn();
  return { form, file: null };
}

export async function readFileForm(
  request: IncomingMessage,
  fileBytesMax: number,
  take: TakeBytes,
): Promise<SentForm> {
  requireMediaType(request, [FIELDS_AND_FILE]);
  const bytes = await readBytes(request, fileBytesMax + FIELDS_BYTES_MAX, take);
  const form = new URLSearchParams();
  let file: FormFile | null = null;
  for await (const { name, fileName, content } of partsOf(bytes, boundaryIn(request))) {
    if (fileName === undefined && !isUtf8(content)) throw notText();
    if (fileName === undefined) form.append(name, content.toString());
    // A browser sends an empty file without a name when none was chosen.
    else if (fileName !== '') file = { name: fileName, bytes: content };
  }
  if (file && file.bytes.length > fileBytesMax) {
    throw new AppError('too_large', `The file must be at most ${fileBytesMax} bytes`);
  }
  return { form: storable(form), file };
}

/** Counted before parsing. */
function requireFewer(bytes: Buffer, separator: string, max: number): void {
  let count = 0;
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1)) {
    if (++count >= max) throw tooMany(max);
  }
}

/** The query of a page. */
export function readQuery(text: string): URLSearchParams {
  if (!isEncodedUtf8(text)) throw invalid('The query must be text in UTF-8');
  return storable(new URLSearchParams(text), 'query');
}

const tooMany = (max: number) => invalid(`The form must have at most ${max} fields`);
const notText = () => invalid('The form must be text in UTF-8');
const notWhole = () => invalid('The form must be whole, as browsers send it');

interface Part {
  name: string;
  /** Undefined for a field. */
  fileName: string | undefined;
  content: Buffer;
}

const BOUNDARY = /boundary="?([^";]{1,70})/i;
const BETWEEN_PARTS = '\r\n--';
const AFTER_HEADERS = '\r\n\r\n';
const HEADERS_BYTES_MAX = 4_096;
const SEARCHED_BYTES = 1024 * 1024;

function boundaryIn({ headers }: IncomingMessage): string {
  const [, boundary] = BOUNDARY.exec(headers['content-type'] as string) ?? [];
  if (boundary === undefined) throw notWhole();
  return boundary;
}

/**
 * Parses multipart/form-data (RFC 7578) without copying its content. `Response.formData()` would copy a file several
 * times in one turn, and replace bytes of fields that are no UTF-8.
 */
async function* partsOf(bytes: Buffer, boundary: string): AsyncGenerator<Part> {
  const opening = Buffer.from(`--${boundary}`);
  let at = bytes.subarray(0, opening.length).equals(opening)
    ? opening.length
    : (await endOfPart(bytes, 0, boundary)).next;
  for (let count = 0; bytes.toString('latin1', at, at + 2) !== '--'; count++) {
    if (count === PARTS_MAX) throw tooMany(PARTS_MAX);
    const headersEnd = bytes.subarray(0, at + HEADERS_BYTES_MAX).indexOf(AFTER_HEADERS, at);
    if (headersEnd < 0) throw notWhole();
    const headers = bytes.toString('utf8', at, headersEnd);
    const begin = headersEnd + AFTER_HEADERS.length;
    // The blank line after the headers may directly precede the next boundary.
    const { end, next } = await endOfPart(bytes, begin - 2, boundary);
    const name = parameterOf(headers, 'name');
    if (name === undefined) throw notWhole();
    yield {
      name,
      fileName: parameterOf(headers, 'filename'),
      content: bytes.subarray(begin, Math.max(begin, end)),
    };
    at = next;
  }
}

/**
 * Searches for the short text that all boundaries begin with, so that no boundary makes the search slow, and
 * yields to other requests after each stretch of bytes.
 */
async function endOfPart(
  bytes: Buffer,
  from: number,
  boundary: string,
): Promise<{ end: number; next: number }> {
  const expected = Buffer.from(boundary);
  for (let begin = from; begin < bytes.length; begin += SEARCHED_BYTES) {
    if (begin > from) await nextTurn();
    const stretch = bytes.subarray(0, begin + SEARCHED_BYTES + BETWEEN_PARTS.length - 1);
    for (
      let end = stretch.indexOf(BETWEEN_PARTS, begin);
      end >= 0;
      end = stretch.indexOf(BETWEEN_PARTS, end + 1)
    ) {
      const at = end + BETWEEN_PARTS.length;
      const next = at + expected.length;
      if (bytes.subarray(at, next).equals(expected)) return { end, next };
    }
  }
  throw notWhole();
}

/** Browsers write a quote as %22. */
const parameterOf = (headers: string, name: string): string | undefined =>
  new RegExp(`; *${name}="([^"]*)"`, 'i').exec(headers)?.[1]?.replaceAll('%22', '"');

function storable(form: URLSearchParams, of = 'form'): URLSearchParams {
  for (const [name, value] of form) {
    if (!isStorable(name) || !isStorable(value)) throw invalid(`The ${of} must hold no NUL character`);
  }
  return form;
}
