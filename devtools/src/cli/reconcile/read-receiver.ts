import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReconcilingReceiver } from 'event-webhook-receiver/chain';
import { inputError } from '../command-error.js';
import { visible } from '../visible.js';

const METHODS = ['idempotencyKey', 'rememberedSince', 'handleEvents', 'peek'];
const LOGS = ['log', 'info', 'debug'] as const;

/**
 * Imports a receiver: `file` with a default export or an export `receiver`, or `file#name`. What the module logs goes to
 * stderr.
 *
 * @throws CommandError when the module cannot be imported or exports something else.
 */
export async function readReceiver(
  given: string,
  isReceiver: (value: unknown) => boolean = isReconciling,
): Promise<ReconcilingReceiver> {
  const [, file = given, name] = /^(.+?)(?:#([\w$]+))?$/s.exec(given) as RegExpExecArray;
  const exported = await importLogging(pathToFileURL(resolve(file)).href, file);
  const names = name === undefined ? ['default', 'receiver'] : [name];
  for (const each of names) {
    const found = await exported[each];
    if (isReceiver(found)) return found as ReconcilingReceiver;
  }
  const what = name === undefined ? 'as default or as `receiver`' : `as \`${name}\``;
  throw inputError(`The module of --receiver exports no receiver ${what}. Export what createReceiver returns.`);
}

async function importLogging(url: string, file: string): Promise<Record<string, unknown>> {
  const before = LOGS.map((name) => console[name]);
  for (const name of LOGS) console[name] = (...args: unknown[]) => console.error(...args);
  try {
    return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw inputError(`Cannot import ${visible(file, 200)}: ${visible(reason, 300)}`);
  } finally {
    for (const [index, name] of LOGS.entries()) console[name] = before[index] as (typeof console)['log'];
  }
}

function isReconciling(value: unknown): boolean {
  return METHODS.every((name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function');
}
