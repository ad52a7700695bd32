import { type Html, html } from './html.ts';

const TITLES: Record<number, string> = {
  401: 'You are not signed in',
  403: 'You may not do this',
  404: 'There is nothing here',
  409: 'This cannot be done now',
  429: 'Too many requests',
  503: 'Not available at present',
};

export const errorTitle = (status: number): string =>
  TITLES[status] ?? (status < 500 ? 'This does not work' : 'Something went wrong');

export interface ShownError {
  status: number;
  message: string;
  /** Null where a sign-in does not help. */
  signInUrl: string | null;
  /** The answer to a form. */
  isSent: boolean;
}

export const errorHtml = ({ status, message, signInUrl, isSent }: ShownError): Html =>
  html`<section class="error"><h1>${errorTitle(status)}</h1><p role="alert">${message}</p>
${isSent && status === 401 && html`<p>Nothing has been changed. Sign in in another tab, then load this page again: the browser sends what you typed once more.</p>`}
<p>${
    signInUrl === null
      ? html`<a href="/operator">To the fleet</a>`
      : html`<a href="${signInUrl}"${isSent && html` target="_blank"`}>How to sign in</a>`
  }</p></section>`;
