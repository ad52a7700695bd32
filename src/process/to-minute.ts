/** `2026-03-02 08:15 UTC`, from ISO 8601. */
export const toMinute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** `2026-03-02 08:15:30 UTC`, from ISO 8601. */
export const toSecond = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;
