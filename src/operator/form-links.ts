import type { FormLayout } from './form-layout.ts';
import { FORMS, type FormName, operationOf, toFormUrl } from './forms.ts';
import { type Content, html } from './html.ts';
import type { Session } from './session.ts';

/** A link to a form, or nothing for a session whose role may not send it. */
export type FormLink = (name: FormName, params?: Record<string, string>, look?: LinkLook) => Content;

export interface LinkLook {
  label?: string;
  /** Read to those who do not see where the link stands. */
  about?: string;
  tone?: 'main' | 'plain';
}

export type LinksFor = (session: Session) => FormLink;

export const createFormLinks =
  (mayCall: (session: Session, operationId: string) => boolean): LinksFor =>
  (session) =>
  (name, params = {}, { label, about, tone = 'plain' } = {}) => {
    const { title, isDanger }: FormLayout = FORMS[name];
    return (
      mayCall(session, operationOf(name)) &&
      html`<a class="button ${isDanger ? 'danger' : tone}" href="${toFormUrl(name, params)}">${label ?? title}${about && html`<span class="hidden"> ${about}</span>`}</a>`
    );
  };
