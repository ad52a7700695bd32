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

/** `signInUrl` is null where a sign-in does not help. */
export const errorHtml = (status: number, message: string, signInUrl: string | null): Html =>
  html`<section class="error"><h1>${errorTitle(status)}</h1><p role="alert">${message}</p>
<p>${
    signInUrl === null
      ? html`<a href="/operator">To the fleet</a>`
      : html`<a href="${signInUrl}">How to sign in</a>`
  }</p></section>`;
