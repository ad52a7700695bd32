/**
 * Closes each object of a schema. openapi.json allows additional fields in answers and events, but a
 * comparison with real ones should find them.
 */
export function closedSchemas<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closedSchemas) as Value;
  const entries = Object.entries(value).map(([key, each]) => [key, closedSchemas(each)]);
  const isObject = 'properties' in value && 'type' in value && !('additionalProperties' in value);
  return Object.fromEntries(isObject ? [...entries, ['additionalProperties', false]] : entries);
}
