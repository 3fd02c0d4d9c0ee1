import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { onTerminal } from './pty.js';
import { main, scratch } from './tool.js';

const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined;
const shells = [
  ['bash', ['--norc', '--noprofile', '-i'], 'source <(event-webhooks completion bash)'],
  ['zsh', ['-f', '-i'], 'autoload -U compinit; compinit -u; source <(event-webhooks completion zsh)'],
  ['fish', ['--no-config', '--interactive'], 'event-webhooks completion fish | source'],
] as const;

describe.each(shells)('completion in %s', (shell, args, setup) => {
  it.skipIf(!has(shell))('completes commands, options and choices', { timeout: 60_000 }, async () => {
    const file = await scratch();
    const tool = await file('event-webhooks', `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, 0o700);
    const env = {
      PATH: `${tool.replace(/\/[^/]*$/, '')}:${process.env.PATH}`,
      PS1: '$ ',
      HOME: tool.replace(/\/[^/]*$/, ''),
    };
    const terminal = onTerminal([shell, ...args], { env, columns: 120 });
    terminal.type(`${setup}; echo re""ady\r`);
    await terminal.shows(/^ready$/m);
    terminal.type('event-webhooks lis\t');
    await terminal.shows(/event-webhooks listen/);
    terminal.type('--forw\t');
    await terminal.shows(/event-webhooks listen +--forward/);
    terminal.type('\u0015event-webhooks send --headers mul\t');
    await terminal.shows(/event-webhooks send --headers multibaas/);
  });
});
