/** The mail server of SMTP_URL. */
import { connect } from 'node:net';

interface MailServerAddress {
  host: string;
  port: number;
}

const PORT_SMTPS = 465;
const PORT_SUBMISSION = 587;

/** The address in an smtp:// or smtps:// URL, without user and password; null if the URL is none of these. */
export function mailServerAddress(text: string): MailServerAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, search, hash } = new URL(text);
  // An @ behind the host means that what stands before it, a / ? or # in a password, has cut the host off.
  const isCut = `${pathname}${search}${hash}`.includes('@');
  if (!['smtp:', 'smtps:'].includes(protocol) || hostname === '' || isCut) return null;
  const portDefault = protocol === 'smtps:' ? PORT_SMTPS : PORT_SUBMISSION;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || portDefault };
}

/** Connects and sends nothing. Returns why that failed, or null. */
export const findConnectFault = (address: MailServerAddress, timeoutMs: number): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ ...address, timeout: timeoutMs });
    const end = (fault: string | null) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`no answer within ${timeoutMs / 1_000} s`));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code ?? 'no connection'));
  });
