/** What mails, logs and the audit trail show in one line holds no line break and nothing else that controls. */
const LINE = /^[^\p{Cc}\u2028\u2029]*$/u;

/** One text for what looks the same: in Unicode's composed form (NFC), without blanks at the ends. */
export const toName = (text: string): string => text.normalize('NFC').trim();

export const isOneLine = (text: string): boolean => LINE.test(text);

/** Characters that format, such as those of no width and those that turn the direction of writing. */
const FORMATTING = /\p{Cf}/gu;

export const withoutFormatting = (text: string): string => text.replace(FORMATTING, '');

export const isVisible = (text: string): boolean => withoutFormatting(text).trim() !== '';
