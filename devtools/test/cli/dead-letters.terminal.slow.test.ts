import { expect, it } from 'vitest';
import { onTerminal } from './on-terminal.js';
import { library, scratch } from './tool.js';

it.each([
  ['y', ['retry', '--all'], /Retry all dead letters\? \[y\/N\]/, 0, /0 handled/],
  ['YES', ['retry', '--all'], /\[y\/N\]/, 0, /0 handled/],
  ['n', ['retry', '--all'], /\[y\/N\]/, 1, /Nothing was changed\./],
  ['', ['discard', 'event.emitted:1'], /Discard 1 dead letters\?/, 1, /Nothing was changed\./],
  ['y', ['discard', 'event.emitted:1'], /Discard 1 dead letters\?/, 1, /0 of 1 discarded\./],
] as const)('takes %j on a terminal as the answer to %j', async (answer, args, question, code, shown) => {
  const module = await (await scratch())(
    'webhooks.mjs',
    `import { createReceiver } from '${library}index.js';
     export default createReceiver({ secret: 'whsec-test', deadLetters: {}, onEvent() {} });`,
  );
  const command = onTerminal(['dead-letters', ...args, '--receiver', module]);
  await command.shows(question);
  command.type(`${answer}\n`);
  expect(await command.ended).toBe(code);
  await command.shows(shown);
});
