import { CONFIRM_PATH } from '../notifications/message.ts';
import { type Html, html } from './html.ts';

interface Address {
  addressKey: string;
  organizationName: string;
}

export const confirmAddressHtml = (token: string, { addressKey, organizationName }: Address): Html =>
  html`<section class="sign-in"><h1>Alerts by e-mail</h1>
<p><strong>${organizationName}</strong> wants to send alerts of its temperature loggers to <strong>${addressKey}</strong>.</p>
<form method="post" action="${CONFIRM_PATH}"><input type="hidden" name="token" value="${token}">
<button class="main">Confirm the address</button></form>
<p class="quiet">If you did not ask for this, close the page: nothing more is sent.</p></section>`;

export const confirmedHtml = ({ addressKey, organizationName }: Address): Html =>
  html`<section class="sign-in"><h1>The address is confirmed</h1>
<p>Alerts of <strong>${organizationName}</strong> are sent to <strong>${addressKey}</strong> from now on.</p></section>`;

export const deadLinkHtml: Html = html`<section class="sign-in"><h1>This link does not work</h1>
<p>It is older than 24 hours, is not complete, or was replaced by a newer one.</p></section>`;
