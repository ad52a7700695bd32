/**
 * The beginning of a text, with at most `lengthMax` UTF-16 code units including the ending, which marks the
 * cut. The result is well formed, as PostgreSQL requires of text and JSON: a code point of two units is kept
 * or left out whole.
 */
export function cutText(text: string, lengthMax: number, ending = ''): string {
  if (text.length <= lengthMax) return text.toWellFormed();
  const end = lengthMax - ending.length;
  const isWithinPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return text.slice(0, isWithinPair ? end - 1 : end).toWellFormed() + ending;
}
