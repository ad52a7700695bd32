/** Exit codes, by which scripts tell apart why a command failed. */
export const EXIT_CODES = {
  failed: 1,
  wrongUse: 2,
  /** It was done for some of the devices. */
  partly: 3,
  notFound: 4,
  forbidden: 5,
  /** No answer, or one that asks to come again later. */
  unavailable: 6,
  /** As shells have it for SIGINT. */
  interrupted: 130,
} as const;

const BY_STATUS: Record<number, number> = {
  400: EXIT_CODES.wrongUse,
  401: EXIT_CODES.forbidden,
  403: EXIT_CODES.forbidden,
  404: EXIT_CODES.notFound,
  429: EXIT_CODES.unavailable,
  502: EXIT_CODES.unavailable,
  503: EXIT_CODES.unavailable,
  504: EXIT_CODES.unavailable,
};

/** For an answer of the service. */
export const exitCodeOf = (status: number): number => BY_STATUS[status] ?? EXIT_CODES.failed;
