/**
 * The schemas of openapi.json allow answers and events more fields than they name. Whoever compares what is really answered
 * or sent with the document wants to find such a field: here each object is closed.
 */
export function closedSchemas<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closedSchemas) as Value;
  const entries = Object.entries(value).map(([key, each]) => [key, closedSchemas(each)]);
  const isObject = 'properties' in value && 'type' in value && !('additionalProperties' in value);
  return Object.fromEntries(isObject ? [...entries, ['additionalProperties', false]] : entries);
}
