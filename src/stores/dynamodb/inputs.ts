import type { Engine } from './client.js';

/** How long DynamoDB keeps a key after it has expired, in ms, because its clock may differ from that of the process. */
const EXPIRY_MARGIN_MS = 86_400_000;

type Values = Record<string, string | number | boolean>;

/** Builds the inputs of requests. */
export interface Inputs {
  /** The input that names the item of a key. */
  at(key: string): { readonly TableName: string; readonly Key: object };
  /** The same, with expressions, and with the attribute names and values that they use. */
  input(key: string, expressions: Record<string, string>, values: Values): object;
  /** Only the expressions, names and values. */
  parameters(expressions: Record<string, string>, values: Values): object;
  readonly table: string;
}

export function inputsOf(table: string, engine: Engine): Inputs {
  const at = (key: string) => ({ TableName: table, Key: { key: engine.value(key) } });

  /** DynamoDB rejects names and values that the expressions do not use. */
  function parameters(expressions: Record<string, string>, values: Values) {
    const text = Object.values(expressions).join(' ');
    const names = [...new Set(text.match(/#\w+/g))].map((name) => [name, name.slice(1)]);
    return {
      ...expressions,
      ExpressionAttributeNames: Object.fromEntries(names),
      ...(Object.keys(values).length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`:${name}`, engine.value(value)]),
        ),
      }),
    };
  }

  return {
    table,
    at,
    parameters,
    input: (key, expressions, values) => ({
      ...at(key),
      ...parameters(expressions, values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  };
}

/** `until` in epoch ms, and `expiresAt` in epoch seconds for the TTL of the table. */
export function endsIn(ms: number): { until: number; expiresAt: number } {
  const until = Math.min(Math.ceil(Date.now() + ms), Number.MAX_SAFE_INTEGER);
  return { until, expiresAt: Math.ceil(Math.min(until + EXPIRY_MARGIN_MS, Number.MAX_SAFE_INTEGER) / 1000) };
}
