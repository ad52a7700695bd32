const EMAIL_LENGTH_MAX = 254;

/** One address as used in practice: no comments, quotes or address literals (RFC 5321, 4.1.2). */
const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}$/;

/** The fault of the address, phrased to follow the name of its field; null when it is valid. */
export function emailFault(text: string): string | null {
  if (text.length > EMAIL_LENGTH_MAX) return `must be at most ${EMAIL_LENGTH_MAX} characters long`;
  return ADDRESS.test(text) ? null : 'must be one e-mail address, such as quality@example.com';
}
