/** How the form of an operation is laid out: everything that its schema does not say. */
import type { Values } from './form-fields.ts';
import type { Content } from './html.ts';
import type { Session } from './session.ts';

/** Lists whose ids or slugs a field takes. */
export type ChoiceSource = 'groups' | 'channels' | 'profiles';

export interface Option {
  value: string;
  label: string;
}

/** By path of the field; `values` are chosen already. */
export type ListChoices = (
  session: Session,
  layout: Pick<FormLayout, 'looks'>,
  values: Values,
) => Promise<Record<string, Option[]>>;

export interface FieldLook {
  label?: string;
  /** In place of the description of the schema; null: the label says it all. */
  help?: string | null;
  /** When the field is needed, in place of "optional"; empty: always. */
  need?: string;
  /** The meaning of a list without a choice. */
  none?: string;
  /** The options in the order of people. */
  values?: readonly string[];
  /** Texts that the browser completes. */
  suggestions?: readonly string[];
  choices?: ChoiceSource;
  /** The field is a time, and the input a number of hours from now, or from the time in the field `since`. */
  hours?: readonly number[];
  /** Beside the hours, a time can be typed: the label of its input. */
  orAt?: string;
  since?: string;
  /** The word for a row of the field. Default: row. */
  row?: string;
  /** Several lines. */
  isLong?: boolean;
  /** A box: when it is ticked, the other fields of its group are not sent as they were. */
  isAlone?: boolean;
}

type Params = Record<string, string>;

export interface FormLayout {
  /** Default: the name of the form. */
  operation?: string;
  /** Address of a form with a page of its own. */
  path?: string;
  title: string;
  submit: string;
  section: string;
  /** Shown above the fields: what will happen. A form without fields asks it before it acts. */
  question?: string;
  /** The thing that the form is about: the operation that shows it, if one does, and its names. */
  about?: {
    operation?: string;
    query?: Record<string, string>;
    /**
     * Empty: the thing is not among those that the operation shows. The answer about a thing of an asset has its `assetName`, and
     * `profileNames` the profile of the answer.
     */
    name(answer: Values, params: Params, profileNames: ReadonlyMap<string, string>): Content;
  };
  isDanger?: boolean;
  /** By path without indexes: `steps.channelIds`. */
  looks?: Readonly<Record<string, FieldLook>>;
  /** The first fields, where the schema has another order. */
  first?: readonly string[];
  /** Fields of the schema that the form leaves out. */
  omits?: readonly string[];
  /** Sent as it is, beside the fields. */
  body?: Values;
  /** The operation whose answer the form shows and changes, where in its answer the values are, and whether intervals stand beside them. */
  changes?: { operation: string; pick?(answer: Values): Values; hasIntervals?: true };
  /** The body is a file. */
  file?: { label: string; accept: string };
  /** The page behind the form. */
  back(params: Params): string;
  /** The page after it; default: the one behind it. */
  next?(params: Params, answer: Values): string;
  said: string;
  /** A further sentence, which some answers need. */
  adds?: { said: string; isNeeded(answer: Values): boolean };
  /** The field of the answer that is shown once. */
  reveals?: { field: string; label: string; advice: string };
}
