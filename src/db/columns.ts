type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** Columns that have the names of the fields in snake case: `is_confirmed` for `isConfirmed`. */
export type Columns<T> = { [Field in keyof T as Snake<Field & string>]: T[Field] };
