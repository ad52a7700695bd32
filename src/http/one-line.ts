/** What mails, logs and the audit trail show in one line holds no line break and nothing else that controls. */
const LINE = /^[^\p{Cc}\u2028\u2029]*$/u;

export const isOneLine = (text: string): boolean => LINE.test(text);
