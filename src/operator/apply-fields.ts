/** Fields of the form that applies a profile: the body of the operation, and the profile that its path names. */
import { type Described, type Field, toFields } from './form-fields.ts';
import { OPERATOR_PATH } from './session.ts';

export const APPLY_PATH = `${OPERATOR_PATH}/apply`;

const PROFILE: Field = {
  name: 'slug',
  kind: 'choice',
  isRequired: true,
  isNullable: false,
  isSecret: false,
  isInteger: false,
  options: [],
  fields: [],
};

export const toApplyFields = (body: Described): Field[] => [PROFILE, ...toFields(body)];
