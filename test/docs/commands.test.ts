import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inProcess } from '../../devtools/test/cli/tool.js';
import { fences, inProject, REPOSITORY, SITE } from './pages.js';

// Commands that the tests do not run: those of docs/develop/index.md are run by shell.test.ts. Each line of an `sh` block is
// one of a few commands whose parts are checked here, or its block is marked `no-test`.

const manifest = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const examples = ['orms', 'serverless', 'frameworks', 'servers'].map((name) =>
  JSON.parse(readFileSync(inProject(`examples/${name}/package.json`), 'utf8')),
);
const installable = new Set([
  'event-webhook-receiver',
  'event-webhooks',
  '@foundry-rs/anvil',
  ...[manifest, ...examples].flatMap((each) =>
    Object.keys({ ...each.dependencies, ...each.devDependencies, ...each.peerDependencies }),
  ),
]);

const blocks = fences([...REPOSITORY, ...SITE], 'sh').filter(({ info }) => info !== 'no-test');
const lines = blocks
  .flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => ({ page, line })),
  )
  .filter(({ line }) => line.trim() !== '' && !line.startsWith('#'));

async function check(command: string): Promise<void> {
  const words = command.trim().split(/\s+/);
  if (command.startsWith('npm install ')) {
    const names = words.slice(2).filter((word) => !word.startsWith('-'));
    expect(names.filter((name) => !installable.has(name.replace(/(.)@.*/, '$1')))).toEqual([]);
    return;
  }
  const [, script] = /^npm (?:run )?([\w:]+)/.exec(command) ?? [];
  if (script !== undefined && script !== 'exec') {
    const known = ['ci', 'init', 'pkg', ...Object.keys(manifest.scripts)];
    expect(known).toContain(script);
    return;
  }
  const [, run] = /^npx event-webhooks (.*)$/.exec(command) ?? [];
  expect(run, `"${command}" is not checked: mark its block "no-test", or extend this test.`).toBeDefined();
  const named = (run ?? '').split(' ').filter((word) => /^[a-z]+(-[a-z]+)*$/.test(word));
  const path = ['webhooks', 'dead-letters'].includes(named[0] ?? '') ? named.slice(0, 2) : named.slice(0, 1);
  const { code, stdout } = await inProcess([...path, '--help']);
  expect([run, code]).toEqual([run, 0]);
  for (const [option] of (run ?? '').matchAll(/(?<= )--[a-z-]+/g)) expect(stdout).toContain(` ${option} `);
}

it.each(lines)('the command of $page works: $line', async ({ line }) => {
  const withoutVariables = line.replace(/^(export )?\w+=(\$\([^)]*\)|\S+)( |$)/, '');
  for (const command of withoutVariables.split(' && ')) {
    if (command.trim() !== '' && !command.startsWith('node ')) await check(command);
  }
});
