/** From typed words to the parameters and the body of an operation. */
import { parseDurationMs, UsageError } from './command.ts';
import type { CommandField } from './operation-fields.ts';

/** The moment of the command, and whether durations lie before it. */
export interface Clock {
  now: Date;
  isPast: boolean;
}

/** The value of a field as the operation takes it. What only the service can judge is passed on as typed. */
export function toValue(field: CommandField, typed: string, clock: Clock): unknown {
  if (typed === 'null' && field.isNullable) return null;
  switch (field.kind) {
    case 'number':
      return typed.trim() === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
    case 'boolean':
    case 'flag':
      return typed === 'true';
    case 'time':
      return toTime(typed, clock);
    case 'texts':
      return typed.split(',').filter((each) => each !== '');
    case 'json':
      return parseJson(typed, `--${field.name}`);
    default:
      return typed;
  }
}

/** `now` and durations such as 2h as times; anything else is passed on. */
function toTime(typed: string, { now, isPast }: Clock): string {
  const ms = typed === 'now' ? 0 : parseDurationMs(typed);
  return ms === null ? typed : new Date(now.getTime() + (isPast ? -ms : ms)).toISOString();
}

export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} must be JSON`);
  }
}

/** A copy of the body in which the field has the value. */
export function withField(
  body: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  const known = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  return { ...body, [name]: withField(known, rest, value) };
}
