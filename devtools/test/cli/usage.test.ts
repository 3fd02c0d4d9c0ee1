import { describe, expect, test } from 'vitest';
import { commandTable } from '../../src/cli/command-table.js';
import { readFlags } from '../../src/cli/flags.js';
import { everyCommand } from '../../src/cli/help.js';
import { asProcess, inProcess, SECRET, ways } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };

const wrong: [title: string, args: string[], says: RegExp][] = [
  ['no command', [], /A command comes first: send/],
  ['an unknown command', ['sned'], /no such command. Did you mean send\?/],
  ['an unknown command that is like no other', ['xyzzy'], /The commands are send, /],
  ['a group without its command', ['webhooks'], /webhooks needs one of its commands: list, /],
  [
    'an unknown command of a group',
    ['webhooks', 'lsit'],
    /event-webhooks webhooks has no such command. Did you mean list\?/,
  ],
  ['--version with something beside it', ['--version', 'send', '--x'], /A command comes first/],
  ['an unknown flag', ['send', '--tiemout', '3'], /no flag --tiemout; did you mean --timeout\?/],
  ['an unknown flag that is like no other', ['send', '--xyzzy'], /no flag --xyzzy\. See --help/],
  ['an unknown short flag', ['send', '-x'], /no flag -x/],
  ['a flag of another command', ['explain', '--repeat', '3'], /no flag --repeat/],
  ['a flag of the language', ['send', '--constructor', '3'], /no flag --constructor/],
  ['a flag without its value', ['send', '--file'], /--file needs a value: --file <file>/],
  ['a flag in place of a value', ['send', '--file', '--fresh'], /--file needs a value, and a flag follows/],
  ['an empty value', ['send', '--file='], /--file needs a value that is not empty/],
  ['a value for a flag that has none', ['send', '--fresh=yes'], /--fresh takes no value: give --fresh or --no-fresh/],
  ['a flag that is given twice', ['send', '--timeout', '1', '--timeout=2'], /--timeout is given twice/],
  ['a number that is none', ['send', '--repeat', 'many'], /--repeat is a whole number from 1 to 1000000/],
  ['a number in another notation', ['send', '--repeat', '1e3'], /--repeat is a whole number/],
  ['a number with a fraction where there is none', ['send', '--repeat', '1.5'], /--repeat is a whole number/],
  ['a number out of bounds', ['send', '--concurrency', '0'], /--concurrency is a whole number from 1 to 1000/],
  ['a choice that is none', ['send', '--kind', 'event'], /--kind is one of event.emitted, transaction.included/],
  ['an argument too many', ['send', 'http://127.0.0.1:1/', 'more'], /send takes 1 at most \(url\), and 2 are given/],
  ['an argument of a command without any', ['explain', 'it'], /explain takes no arguments, and 1 is given/],
  ['a missing argument', ['webhooks', 'get'], /webhooks get needs <id>/],
  ['an argument after --', ['send', '--', '--file'], /must be a whole URL/],
  ['a URL that is none', ['send', 'localhost:3000'], /must be a whole URL, such as http:/],
  [
    'samples and a file',
    ['send', '--file', 'x', '--kind', 'event.emitted'],
    /--kind, --count and --fresh are about samples/,
  ],
  ['a file and a recording', ['send', '--file', 'x', '--recording', 'y'], /--file or --recording, not both/],
  ['--nth without a recording', ['send', '--nth', '2'], /need --recording/],
  ['--nth and --all', ['send', '--recording', 'x', '--nth', '1', '--all'], /--nth or --all, not both/],
  [
    '--as-recorded and --tamper',
    ['send', '--recording', 'x', '--as-recorded', '--tamper', 'body'],
    /leave --tamper out/,
  ],
  ['a header name that is none', ['send', '--signature-header', 'a b'], /A header name has letters/],
  [
    'one header for both',
    ['send', '--signature-header', 'x-a', '--timestamp-header', 'X-A'],
    /headers of different names/,
  ],
  [
    'two deliveries to explain',
    ['explain', '--request', 'x', '--recording', 'y'],
    /one of --body-file, --recording and --request/,
  ],
  ['--signature without --body-file', ['explain', '--signature', 'x'], /belong to a --body-file/],
  ['--nth of no recording', ['explain', '--nth', '1'], /--nth needs --recording/],
  ['a file of another secret without a label', ['explain', '--other-secret-file', 'x'], /LABEL=FILE/],
  ['no label', ['register', 'https://shop.example/'], /register needs --label/],
  ['no service', ['webhooks', 'list'], /set WEBHOOK_BASE_URL, or give --base-url/],
  ['nothing to change', ['webhooks', 'update', '1'], /Say what is to change/],
  ['an id that is none', ['webhooks', 'get', 'x'], /id is a whole number/],
];

describe.each(ways)('what is wrong about a call ($way)', ({ tool }) => {
  test.each(wrong)('%s: one line on stderr, exit code 2', async (_, args, says) => {
    const { code, stdout, stderr } = await tool(args, { env });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^event-webhooks: error: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

test.each(wrong)('%s: with --json, one JSON document on stderr', async (_, args, says) => {
  const { code, stdout, stderr } = await inProcess(['--json', ...args], { env });
  const { error, ...others } = JSON.parse(stderr);
  expect(error).toEqual({ code: 'ERR_CLI_USAGE', message: expect.stringMatching(says) });
  expect({ code, stdout, others }).toEqual({ code: 2, stdout: '', others: {} });
});

test('a text stays the text that it is', () => {
  const table = { label: { type: 'text', placeholder: 'label', help: '' } } as const;
  for (const label of ['0012', '1e3', 'true', 'null', ' a ', '-', '0x10', '--json']) {
    expect(readFlags([`--label=${label}`], table).flags).toEqual({ label });
  }
  expect(readFlags(['--label', '0012', '1e3'], table)).toEqual({ flags: { label: '0012' }, positionals: ['1e3'] });
});

test('a flag can be turned off', () => {
  const table = { fresh: { type: 'boolean', help: '' } } as const;
  expect(readFlags(['--no-fresh'], table).flags).toEqual({ fresh: false });
  expect(readFlags(['--fresh'], table).flags).toEqual({ fresh: true });
  expect(readFlags([], table).flags).toEqual({ fresh: undefined });
});

test.each([
  ['--secret', 'set WEBHOOK_SECRET or give --secret-file'],
  ['--api-key', 'set WEBHOOK_API_KEY or give --api-key-file'],
])('%s is refused with the reason, and what was given is not repeated', async (flag, instead) => {
  for (const args of [
    ['send', flag, SECRET],
    ['send', `${flag}=${SECRET}`],
  ]) {
    for (const tool of [asProcess, inProcess]) {
      const { code, stderr } = await tool(args);
      expect(code).toBe(2);
      expect(stderr).toContain('list of processes');
      expect(stderr).toContain(instead);
    }
  }
});

test('a secret in the place of anything else is not repeated either', async () => {
  const misplaced = [
    [SECRET],
    ['send', SECRET],
    ['send', 'http://127.0.0.1:1/', SECRET],
    ['webhooks', SECRET],
    ['webhooks', 'get', SECRET],
    ['send', '--repeat', SECRET],
    ['send', '--tamper', SECRET],
    ['send', '--secret-file', SECRET],
    ['explain', '--secret-file', SECRET],
    ['explain', '--other-secret-file', `a=${SECRET}`],
    ['webhooks', 'list', '--base-url', 'https://service.example', '--api-key-file', SECRET],
  ];
  for (const args of misplaced) expect(await inProcess(args)).toMatchObject({ code: 2, stdout: '' });
});

describe('help', () => {
  const commands = everyCommand(commandTable);

  test.each(ways)('is printed on stdout, with and without a command ($way)', async ({ tool }) => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await tool(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const [name] of commands) expect(stdout).toContain(`  ${name} `);
    }
    expect((await tool(['help', 'webhooks'])).stdout).toContain('webhooks log');
  });

  test.each(commands)('of %s has its usage, its flags, examples and exit codes', async (name, { summary, load }) => {
    const command = await load?.();
    const { code, stdout, stderr } = await asProcess([...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(command).toMatchObject({ name, summary });
    for (const flag of Object.keys(command?.flags ?? {})) expect(stdout).toContain(`  --${flag}`);
    for (const { run } of command?.examples ?? []) expect(stdout).toContain(`  event-webhooks ${run}\n`);
    expect(stdout).toMatch(/\nExit codes\n {2}0 .+\n {2}1 .+\n {2}2 .+\n {2}130 .+\n$/);
    expect(command?.examples.length).toBeGreaterThan(0);
  });

  test.each(commands)('of %s is JSON with --json', async (name) => {
    const { code, stdout } = await inProcess([...name.split(' '), '--help', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name, exitCodes: { 2: expect.any(String) } });
  });

  test.each(commands)('of %s shows examples that the command takes', async (name, { load }) => {
    const command = await load?.();
    for (const { run } of command?.examples ?? []) {
      const words = run.split(' ');
      expect(words.splice(0, name.split(' ').length).join(' ')).toBe(name);
      const { positionals } = readFlags(
        words.filter((word) => word !== '--json'),
        command?.flags ?? {},
      );
      expect(positionals.length).toBeLessThanOrEqual(command?.arguments.length ?? 0);
      expect(positionals.length).toBeGreaterThanOrEqual(
        command?.arguments.filter(({ required }) => required).length ?? 0,
      );
    }
  });
});

test.each(ways)('the version is that of the package ($way)', async ({ tool }) => {
  const { version } = (await import('../../../package.json', { with: { type: 'json' } })).default;
  expect(await tool(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(JSON.parse((await tool(['--version', '--json'])).stdout)).toEqual({ name: 'event-webhooks', version });
});

describe('colours', () => {
  const ESC = '\u001b[';

  test('are there on a terminal', async () => {
    expect((await inProcess(['--help'], { terminal: true })).stdout).toContain(ESC);
    expect((await inProcess(['send', '--x'], { terminal: true })).stderr).toContain(ESC);
  });

  test('are not there in a pipe, unless they are asked for', async () => {
    expect((await asProcess(['--help'])).stdout).not.toContain(ESC);
    expect((await asProcess(['--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(ESC);
    expect((await asProcess(['--help'], { env: { FORCE_COLOR: '0' } })).stdout).not.toContain(ESC);
  });

  test.each([{ NO_COLOR: '1' }, { NO_COLOR: '1', FORCE_COLOR: '1' }, { TERM: 'dumb' }])(
    'are not there on a terminal with %o',
    async (env) => {
      const { stdout } = await inProcess(['--help'], { terminal: true, env });
      expect(stdout).not.toContain(ESC);
    },
  );

  test('are not there with --json', async () => {
    expect((await inProcess(['--help', '--json'], { terminal: true })).stdout).not.toContain(ESC);
  });
});
