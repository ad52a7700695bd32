/** Paths of the forms for ticked devices, and the field for the profile. */
import { toField } from './form-fields.ts';
import { OPERATOR_PATH } from './session.ts';

export const APPLY_PATH = `${OPERATOR_PATH}/apply`;

/** Ticked devices join a group. */
export const JOIN_PATH = `${OPERATOR_PATH}/join`;

/** All that is pending for ticked devices is withdrawn. */
export const WITHDRAW_PATH = `${OPERATOR_PATH}/withdraw`;

export const PROFILE = toField('slug', { flags: { presence: 'required', only: true } });
