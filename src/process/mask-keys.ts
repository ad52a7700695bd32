/** Masks the random part of keys in free text of other origin. */
export const maskKeys = (text: string): string => text.replace(KEY_IN_TEXT, '$1…');

const KEY_IN_TEXT = /(dms_live_|dev_)[0-9A-Za-z]{24,}/g;
