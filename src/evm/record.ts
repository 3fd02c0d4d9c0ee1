import { ConfigError } from '../errors.js';

/**
 * Whether values under these names are an object: each has a name. Otherwise they are an array, as in viem.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when two have the same name, as one of them would be lost.
 */
export function areNamed(names: readonly string[]): boolean {
  const given = names.filter((name) => name !== '');
  const twice = given.find((name, at) => given.indexOf(name) !== at);
  if (twice !== undefined)
    throw new ConfigError(`The ABI has the name ${twice} twice in one place. Rename one of them.`);
  return names.length > 0 && given.length === names.length;
}

/** An object of values under their names. A name is data: `__proto__` becomes a key like any other. */
export function recordOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (name !== '__proto__') record[name] = values[at];
    else
      Object.defineProperty(record, name, { value: values[at], configurable: true, enumerable: true, writable: true });
  }
  return record;
}
