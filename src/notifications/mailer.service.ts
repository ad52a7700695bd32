/** Sends e-mail through the operator's mail server. */
import type { Transporter } from 'nodemailer';
import type { AttemptResult } from '../deliveries/delivery.ts';
import type { Settings } from '../process/config.ts';

interface Mail {
  /** The same on every attempt, so that mail programs can drop repeats. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

export type Mailer = ReturnType<typeof createMailer>;

export function createMailer({ url, from, timeoutMs }: NonNullable<Settings['smtp']>) {
  let opening: Promise<Transporter> | undefined;
  return {
    async send({ id, to, subject, text }: Mail): Promise<SendResult> {
      opening ??= openTransport(url, timeoutMs);
      const transport = await opening;
      const startedAt = performance.now();
      const sending = transport.sendMail({
        from,
        to: { name: '', address: to },
        subject: asWritten(subject),
        text,
        messageId: `<${id}@notifications.device-monitoring-service>`,
      });
      const late = failed('retry', `the mail server did not accept it within ${timeoutMs / 1000} s`);
      const outcome = await Promise.race([
        sending.then(() => DELIVERED, toFailure),
        new Promise<Outcome>((resolve) => void setTimeout(resolve, timeoutMs, late).unref()),
      ]);
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
    },
    close: () =>
      void opening?.then(
        (transport) => transport.close(),
        () => {},
      ),
  };
}

/** Mail programs decode "=?…?=" in a subject (RFC 2047), which nodemailer takes for encoded already. */
const asWritten = (subject: string): string => subject.replaceAll('=?', '= ?');

/** The package is loaded with the first mail. */
async function openTransport(url: string, timeoutMs: number): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Prevents nodemailer from reading files and URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

type Outcome = Omit<SendResult, 'durationMs'>;

const DELIVERED: Outcome = { verdict: 'delivered', statusCode: null, error: null, retryAfterMs: null };
const failed = (verdict: 'retry' | 'gone', error: string): Outcome => ({ ...DELIVERED, verdict, error });

/**
 * RFC 5321, 4.2.1: a code that begins with 5 is final. The operator repairs faults of login and sender, so
 * these are not final.
 */
function toFailure(error: MailError): Outcome {
  const { responseCode, command } = error;
  if (responseCode === undefined)
    return { ...failed('retry', 'the mail server could not be reached'), isUnsent: isBeforeMail(error) };
  const isFinal = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  return {
    ...failed(isFinal ? 'gone' : 'retry', `the mail server answered ${responseCode}`),
    isUnsent: !isFinal,
  };
}

interface MailError {
  code?: string;
  command?: string;
  syscall?: string;
  responseCode?: number;
}

/** A connection that breaks off later may have carried the mail. */
const isBeforeMail = ({ code, syscall }: MailError): boolean => code === 'EDNS' || syscall === 'connect';

/** Result of one attempt to send a message. */
export interface SendResult extends Omit<AttemptResult, 'responseExcerpt'> {
  /** The mail server has certainly not taken the e-mail, and is to be tried again. */
  isUnsent?: boolean;
}
