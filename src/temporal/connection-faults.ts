/** Explains why Temporal cannot be reached, in a sentence that names the fix. */

/** Status codes of gRPC. */
const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;

/** By the messages of gRPC, OpenSSL (clients) and rustls (workers). */
const EXPLANATIONS: Array<[RegExp, string]> = [
  [
    /unknownissuer|self.signed|unable to (?:get|verify)|invalidsignature|caUsedAsEndEntity/i,
    "the server's certificate is signed by an authority that is not trusted: name its certificate in TEMPORAL_TLS_SERVER_CA_CERT_PATH",
  ],
  [
    /notvalidforname|altname|does not match/i,
    "the server's certificate is for another name: connect by that name, or set TEMPORAL_TLS_SERVER_NAME to it",
  ],
  [
    /certificate (?:has )?expired|invalid peer certificate: expired|notvalidyet|not yet valid/i,
    "the server's certificate has expired, or is not valid yet: renew it, and check the clocks",
  ],
  [
    /certificate.?required|bad.?certificate|unknown.?ca|handshake.?failure|certificate.?unknown|certificateexpired/i,
    'the server asks for a client certificate that it trusts: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  ],
  [
    /operation was canceled.*connection closed|broken.?pipe|connection.?reset|econnreset|epipe/is,
    'the server closes the connection: if it asks for a client certificate, set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  ],
  [
    /wrong.version.number|invalidcontenttype|corrupt message|packet length too long/i,
    'the server does not speak TLS at this address: leave out TEMPORAL_TLS, or correct the address',
  ],
  [
    /unauthenticated|permission.?denied|unauthorized/i,
    'the server refuses the API key or certificate: check TEMPORAL_API_KEY and the namespace',
  ],
];

/** The explanation, or else the message of the innermost error. */
export function explainFault(error: unknown): string {
  const text = textOf(error);
  const found = EXPLANATIONS.find(([pattern]) => pattern.test(text));
  return found ? found[1] : reasonOf(error);
}

/** Whether Temporal is unreachable, or does not answer in time. */
export function isTemporalAway(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, name } = each as Error & { code?: unknown };
    if (code === UNAVAILABLE || code === DEADLINE_EXCEEDED || name === 'TransportError') return true;
  }
  return false;
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
};

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { details = '' } = error as Error & { details?: unknown };
  return `${error.message} ${details} ${error.cause === undefined ? '' : textOf(error.cause)}`;
}
