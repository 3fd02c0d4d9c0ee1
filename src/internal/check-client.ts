import { ConfigError } from '../errors.js';
import { checkOptions, optionError } from './check-options.js';

/** Whether a value has methods of these names. */
export function hasMethods<Client>(value: unknown, ...names: (keyof Client & string)[]): value is Client {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** The option that takes a client of another library. */
export interface ClientOption {
  readonly name: string;
  readonly takes: string;
  readonly isClient: (value: unknown) => boolean;
}

/**
 * Like `checkOptions`, and also checks the option that takes the client. Throws ConfigError with the correct call when
 * the client is passed in place of the options.
 */
export function checkClientOptions(
  owner: string,
  options: object,
  { name, takes, isClient }: ClientOption,
  known: readonly string[],
): void {
  if (isClient(options)) throw new ConfigError(`\`${owner}\` takes an options object: call ${owner}({ ${name}, … }).`);
  checkOptions(owner, options, known);
  const client: unknown = Reflect.get(options, name);
  if (!isClient(client)) throw optionError(name, takes, client);
}
