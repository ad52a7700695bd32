import { CONFIRM_PATH } from '../notifications/message.ts';
import { type Html, html } from './html.ts';
import { clock } from './parts.ts';

interface Address {
  addressKey: string;
  organizationName: string;
}

export const confirmAddressHtml = (token: string, { addressKey, organizationName }: Address): Html =>
  html`<section class="sign-in"><h1>Alerts by e-mail</h1>
<p><strong>${organizationName}</strong> wants to send alerts of its temperature loggers to <strong>${addressKey}</strong>.</p>
<form method="post" action="${CONFIRM_PATH}?token=${token}"><input type="hidden" name="token" value="${token}">
<button class="main">Confirm the address</button></form>
<p class="quiet">If you did not ask for this, close the page: nothing more is sent.</p></section>`;

/** `usedAt` is set for a reader who opens the link again. */
export const confirmedHtml = ({ addressKey, organizationName }: Address, usedAt: Date | null = null): Html =>
  html`<section class="sign-in"><h1>The address is confirmed</h1>
<p>Alerts of <strong>${organizationName}</strong> are sent to <strong>${addressKey}</strong>${usedAt === null && ' from now on'}.</p>${usedAt && html`<p>This link was used ${clock(usedAt.toISOString())}, and is not needed again.</p>`}</section>`;

export const deadLinkHtml: Html = html`<section class="sign-in"><h1>This link does not work</h1>
<p>It is older than 24 hours, is not complete, or was replaced by a newer one.</p></section>`;
