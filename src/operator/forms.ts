/** All forms by name: the operation id, unless several forms share an operation. */
import { ACCESS_FORMS } from './access-forms.ts';
import { ALERT_FORMS } from './alert-forms.ts';
import { ASSET_FORMS } from './asset-forms.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { GROUP_FORMS } from './group-forms.ts';
import { JOB_FORMS } from './job-forms.ts';
import { NOTIFICATION_FORMS } from './notification-forms.ts';
import { PROFILE_FORMS } from './profile-forms.ts';
import { OPERATOR_PATH } from './session.ts';
import { WEBHOOK_FORMS } from './webhook-forms.ts';

export const FORM_PATH = `${OPERATOR_PATH}/forms`;

export const FORMS = {
  ...ALERT_FORMS,
  ...ASSET_FORMS,
  ...GROUP_FORMS,
  ...PROFILE_FORMS,
  ...JOB_FORMS,
  ...WEBHOOK_FORMS,
  ...NOTIFICATION_FORMS,
  ...ACCESS_FORMS,
} satisfies Record<string, FormLayout>;

export type FormName = keyof typeof FORMS;

export const operationOf = (name: FormName): string => (FORMS[name] as FormLayout).operation ?? name;

type Params = Record<string, string>;

export function toFormUrl(name: FormName, params: Params = {}): string {
  const { path = `${FORM_PATH}/${name}` }: FormLayout = FORMS[name];
  return withQuery(path, params);
}

/** Where the form is sent to: bodies with a file have an address of their own, with another bound. */
export const toActionUrl = (name: FormName, params: Params): string =>
  withQuery(`${FORM_PATH}/${name}${'file' in FORMS[name] ? '/file' : ''}`, params);

function withQuery(path: string, params: Params): string {
  const query = new URLSearchParams(params).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Marks the sentence with its addition. */
const MORE = '-more';

/** Names the sentence that is shown after a form was sent, for the address of a page. */
export const outcomeOf = (name: FormName, answer: Values): string =>
  (FORMS[name] as FormLayout).adds?.isNeeded(answer) ? name + MORE : name;

/** Sentences that pages show after a form was sent, by their names. */
export const SAID: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries<FormLayout>(FORMS).flatMap(([name, { said, adds }]) => [
      [name, said],
      ...(adds ? [[name + MORE, `${said} ${adds.said}`]] : []),
    ]),
  ),
  tickFirst: 'Tick the alerts to be acknowledged first.',
  acknowledgeTicked: 'The ticked alerts are acknowledged, but for those that have ended meanwhile.',
};
