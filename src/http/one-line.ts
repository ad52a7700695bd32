/**
 * Text for one line of mails, logs and the audit trail has no line breaks and no other control characters.
 */
const LINE = /^[^\p{Cc}\u2028\u2029]*$/u;

/** Gives texts that look the same one form: composed (NFC), without white space at the ends. */
export const toName = (text: string): string => text.normalize('NFC').trim();

/** A name as it is compared without case: by way of upper case "ß" becomes "ss", and "ς" becomes "σ". */
export const withoutCase = (name: string): string => toName(name).toLowerCase().toUpperCase().toLowerCase();

export const isOneLine = (text: string): boolean => LINE.test(text);

/** Invisible formatting and filling characters, and the blank of Braille. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export const isVisible = (text: string): boolean => text.replace(INVISIBLE, '').trim() !== '';

/**
 * Formatting characters except those that names need: joiners (emoji, Persian, Indic scripts), marks of
 * direction, the tags in flags, and visible Arabic and Syriac signs. None of these turns the direction of the
 * text after a name.
 */
const UNNEEDED_FORMATTING =
  /[^\P{Cf}\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u200C-\u200F\u{E0020}-\u{E007F}]/gu;

export const withoutFormatting = (text: string): string => text.replace(UNNEEDED_FORMATTING, '');
