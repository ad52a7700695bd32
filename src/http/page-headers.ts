/** Headers of pages for people: no other origin may provide content or embed them, and inline scripts and styles are forbidden. */
export const pageHeaders = (directives: readonly string[]) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...directives,
  ].join('; '),
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
});
