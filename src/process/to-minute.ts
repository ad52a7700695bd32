/** `2026-03-02 08:15 UTC`, from ISO 8601. */
export const toMinute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
