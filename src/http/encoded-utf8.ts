import { isUtf8 } from 'node:buffer';
import querystring from 'node:querystring';

/** Node exports it, and its types leave it out. Malformed escapes stay as they are. */
const { unescapeBuffer } = querystring as unknown as { unescapeBuffer(text: string): Buffer };

/**
 * Whether percent-encoded text, with a character for each byte, stands for text in UTF-8. Parsers of forms and queries
 * replace bytes that are none, so it has to be checked before.
 */
export const isEncodedUtf8 = (text: string): boolean => isUtf8(unescapeBuffer(text));
