/** Links to the documentation of errors: each status has a section in docs/errors.md. */
export const ERROR_SECTIONS = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  408: 'request-timeout',
  409: 'conflict',
  413: 'too-large',
  415: 'unsupported-media-type',
  422: 'idempotency-mismatch',
  429: 'rate-limited',
  431: 'headers-too-large',
  500: 'internal',
  503: 'unavailable',
} as const;

export type ErrorStatus = keyof typeof ERROR_SECTIONS;

/** Relative, since only proxies know the public address of the service. */
export const helpLink = (status: ErrorStatus) => ({
  Link: `</docs/errors#${ERROR_SECTIONS[status]}>; rel="help"`,
});
