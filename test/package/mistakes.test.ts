import { expect, it } from 'vitest';
import { type compilers, resolutions, typeCheck, useConsumer } from './consumer.js';

const RECEIVER = `import { createReceiver, createRouter } from 'event-webhook-receiver';`;
const options = (more: string) => `${RECEIVER} createReceiver({ secret: 'whsec', ${more} });`;

/** Programs with one typical mistake each, and what the first error says: most of it is text that our types contain. */
const MISTAKES: Readonly<Record<string, readonly [program: string, says: string]>> = {
  'misspelt-kind': [
    `${RECEIVER} createRouter().on('event.emited', () => {});`,
    '"event.emitted" | "transaction.included"',
  ],
  'text-abi': [
    `import { contractEvent } from 'event-webhook-receiver/evm';
     contractEvent({ abi: ['event Paused()'] as const, name: 'Paused' });`,
    'This ABI is text: pass it through parseAbi(...) of abitype or viem',
  ],
  'misspelt-option': [options('toleranceSecond: 60, onEvent: () => {}'), "Did you mean to write 'toleranceSeconds'?"],
  'onEvent-beside-enqueue': [
    options('onEvent: () => {}, enqueue: () => {}'),
    'Set one of onEvent, onEvents and enqueue',
  ],
  'async-handler-in-a-synchronous-transaction': [
    `${RECEIVER}
     import type { SqlStore, Synchronous } from 'event-webhook-receiver/stores/sql';
     declare const store: SqlStore<Synchronous<{ exec(sql: string): void }>>;
     createReceiver({ secret: 'whsec', store, onEvent: async (event, { tx }) => tx.exec(event.id) });`,
    'The handler of a synchronous transaction must not return a promise',
  ],
};

const fileOf = (name: string) => `${name}.ts`;
const consumer = useConsumer(async ({ write }) => {
  for (const [name, [program]] of Object.entries(MISTAKES)) await write(fileOf(name), program);
});

/** The first error that a compiler reports for each program. */
async function compile(compiler: keyof typeof compilers): Promise<Record<string, string>> {
  const files = Object.keys(MISTAKES).map(fileOf);
  const output = await typeCheck(consumer, compiler, {
    files,
    compilerOptions: { ...resolutions.nodenext, skipLibCheck: true },
  });
  const errors: Record<string, string> = {};
  for (const diagnostic of output.trim().split(/\n(?! )/)) {
    const [, name, message] = /^(?:.*\/)?([\w-]+)\.ts\(\d+,\d+\): error (.*)$/s.exec(diagnostic) ?? [];
    if (name === undefined || message === undefined) throw new Error(`Not a diagnostic: ${diagnostic}`);
    errors[name] ??= message;
  }
  return errors;
}

it.each(['5.9', '6.0', '7.0'] as const)(
  'TypeScript %s rejects each mistake, and says what to do',
  async (compiler) => {
    const errors = await compile(compiler);
    expect(Object.keys(errors).sort()).toEqual(Object.keys(MISTAKES).sort());
    for (const [name, [, says]] of Object.entries(MISTAKES)) expect(errors[name], name).toContain(says);
  },
  120_000,
);
