import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/cli/output.js';
import { COMMANDS, createProgram } from '../../src/cli/program/create-program.js';
import { asProcess, inProcess, SECRET, type Tool, ways } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };

const reconcile = ['reconcile', '--rpc', 'http://127.0.0.1:1', '--contract', 'x'];
const wrong: [title: string, args: string[], says: RegExp][] = [
  ['an unknown command', ['sned'], /Unknown command sned\. Did you mean send\?/],
  ['an unknown command similar to no other', ['xyzzy'], /Unknown command xyzzy\. See --help\./],
  ['an unknown command of a group', ['webhooks', 'lsit'], /Unknown command lsit\. Did you mean list\?/],
  ['an unknown option', ['send', '--tiemout', '3'], /Unknown option --tiemout\. Did you mean --timeout\?/],
  ['an unknown option similar to no other', ['send', '--xyzzy'], /Unknown option --xyzzy\. See --help/],
  ['an unknown option in capitals', ['send', '--XYZZY'], /Unknown option\. See --help/],
  ['an unknown short option', ['send', '-x'], /Unknown option -x/],
  ['an option of another command', ['explain', '--repeat', '3'], /Unknown option --repeat/],
  ['a property of every object as an option', ['send', '--constructor', '3'], /Unknown option --constructor/],
  ['an option without its value', ['send', '--file'], /Option '--file <file>' argument missing/],
  ['an option in place of a value', ['send', '--file', '--id'], /--file needs a value/],
  ['an option in place of a repeatable value', ['emulate', '--contract', '--anvil'], /--contract needs a value/],
  ['an empty value', ['send', '--file='], /--file must not be empty/],
  ['an empty repeatable value', ['emulate', '--contract='], /--contract must not be empty/],
  ['a value for an option without one', ['emulate', '--anvil=yes'], /--anvil is unknown or takes no value/],
  ['a number that is not one', ['send', '--repeat', 'many'], /--repeat must be a whole number from 1 to 1000000/],
  ['a number in another notation', ['send', '--repeat', '1e3'], /--repeat must be a whole number/],
  ['a fraction instead of a whole number', ['send', '--repeat', '1.5'], /--repeat must be a whole number/],
  ['a number out of range', ['send', '--concurrency', '0'], /--concurrency must be a whole number from 1 to 1000/],
  ['a fraction that is not one', ['send', '--timeout', 'abc'], /--timeout must be a number from 0\.01 to 600/],
  ['an unknown choice', ['send', '--headers', 'other'], /--headers must be one of service, multibaas/],
  ['an unknown repeatable choice', ['send', '--tamper', 'x'], /--tamper must be one of body, /],
  ['an argument too many', ['send', 'http://127.0.0.1:1/', 'more'], /Expected 1 argument but got 2/],
  ['an argument of a command without any', ['explain', 'it'], /Expected 0 arguments but got 1/],
  ['a missing argument', ['webhooks', 'get'], /Missing required argument 'id'/],
  ['an argument after --', ['send', '--', '--file'], /must be an absolute http or https URL/],
  ['a URL without its scheme', ['send', 'shop.example:3000'], /must be an absolute http or https URL, such as http:/],
  ['samples and a file', ['send', '--file', 'x', '--id', '1'], /'--file <file>' cannot be used with/],
  ['a file and an ABI', ['send', '--file', 'x', '--abi', 'y'], /'--file <file>' cannot be used with/],
  ['an event without an ABI', ['send', '--event', 'Transfer'], /--event, --arg.* need --abi/],
  ['no recording', ['replay'], /Missing required argument 'recording'/],
  ['no speed', ['replay', 'x', '--speed', '0'], /--speed must be a number from 0\.01 to 1000000/],
  ['two deliveries to explain', ['explain', '--request', 'x', '--recording', 'y'], /cannot be used with/],
  ['--nth without a recording to explain', ['explain', '--nth', '1'], /--nth needs --recording/],
  ['a file of another secret without a label', ['explain', '--other-secret-file', 'x'], /LABEL=FILE/],
  ['no label', ['register', 'https://shop.example/'], /Required option '--label <label>' not specified/],
  ['no service', ['webhooks', 'list'], /set WEBHOOK_BASE_URL or use --base-url/],
  ['nothing to change', ['webhooks', 'update', '1'], /Nothing to change/],
  ['an empty file', ['send', '--file', '/dev/null'], /\/dev\/null is empty: nothing to send/],
  ['a file whose name starts with a dash', ['send', '--file=-x'], /Cannot read -x: the file does not exist/],
  ['nobody to send to', ['send', 'http://127.0.0.1:1/'], /cannot be reached \(ECONNREFUSED\): connection refused/],
  [
    'no API key',
    ['webhooks', 'list', '--base-url', 'http://127.0.0.1:1'],
    /API key missing: WEBHOOK_API_KEY is not set/,
  ],
  ['a secret in an option', ['send', '--secret', 'x'], /Unknown option --secret\. /],
  ['a recording without deliveries', ['explain', '--recording', '/dev/null'], /has no deliveries/],
  ['a node without contracts', ['emulate', '--rpc', 'http://127.0.0.1:1'], /Nothing to watch: --rpc needs/],
  ['a contract without a node', ['emulate', '--contract', 'x'], /--contract and --wallet need --rpc or --anvil/],
  ['a webhook without a label', ['emulate', '--register', 'x'], /--register must be LABEL=URL/],
  ['a file for no secret', ['emulate', '--secret-out', 'x'], /--secret-out needs exactly one --register/],
  ['nothing to reconcile', ['reconcile', '--rpc', 'http://127.0.0.1:1'], /Nothing to read: give --contract/],
  ['nothing to compare with', [...reconcile], /Give either --receiver or --webhook/],
  ['nothing to retry', ['dead-letters', 'retry', '--receiver', 'x'], /Cannot import x/],
  ['no receiver', ['dead-letters', 'list'], /--receiver/],
  ['a re-org of no chain', ['reorg'], /Required option '--rpc <url>' not specified/],
  ['a re-org of no block', ['reorg', '--rpc', '1', '--depth', '0'], /--depth must be a whole number from 1/],
  ['a re-org of a chain that is not there', ['reorg', '--rpc', '1'], /localhost:1 does not answer as anvil does/],
  ['an id that is not a number', ['webhooks', 'get', 'x'], /id of a webhook must be a whole number/],
];

describe('wrong usage', () => {
  async function expectOneLine(tool: Tool, args: readonly string[], says: RegExp) {
    const { code, stdout, stderr } = await tool(args, { env });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^(?:event-webhooks: error: |\{"error":)[^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  }

  test.each(wrong)('%s: one line on stderr, exit code 2', (_, args, says) => expectOneLine(inProcess, args, says));

  test('of a process is one line on stderr and exit code 2 too', () =>
    expectOneLine(asProcess, ['sned'], /Unknown command sned\. Did you mean send\?/));
});

test('a misplaced secret is not printed', async () => {
  const misplaced = [
    [SECRET],
    ['send', SECRET],
    ['send', 'http://127.0.0.1:1/', SECRET],
    ['webhooks', SECRET],
    ['webhooks', 'get', SECRET],
    ['send', '--repeat', SECRET],
    ['send', '--tamper', SECRET],
    ['send', '--headers', SECRET],
    ['emulate', `--anvil=${SECRET}`],
    ['send', `--secrett=${SECRET}`],
    ['help', SECRET],
    ['send', '--secret-file', SECRET],
    ['explain', '--secret-file', SECRET],
    ['explain', '--other-secret-file', `a=${SECRET}`],
    ['webhooks', 'list', '--base-url', 'https://service.example', '--api-key-file', SECRET],
  ];
  for (const args of misplaced) expect(await inProcess(args)).toMatchObject({ code: 2, stdout: '' });
});

const commands = [
  ...['listen', 'send', 'replay', 'explain', 'emulate', 'register', 'webhooks list', 'webhooks get', 'webhooks update'],
  ...['webhooks remove', 'webhooks log', 'reconcile', 'dead-letters list', 'dead-letters show'],
  ...['dead-letters retry', 'dead-letters discard', 'status', 'reorg'],
];

describe('help', () => {
  test.each(ways)('is printed on stdout, with and without a command ($way)', async ({ tool }) => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await tool(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const name of commands) expect(stdout).toContain(`\n  ${name.split(' ')[0]} `);
    }
    expect((await tool(['help', 'webhooks'])).stdout).toContain('\n  log <id> ');
  });

  test.each(commands)('of %s has its usage, options, exit codes, and examples that parse', async (name) => {
    const { code, stdout, stderr } = await inProcess([...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: event-webhooks ${name} [options]`);
    expect(stdout).toMatch(/\n {2}--json .+/);
    expect(stdout).toMatch(/\nExit codes:\n {2}0 .+\n(?: {7}.+\n)*. 1 .+\n {2}2 .+\n {2}130 .+\n$/);
    const examples = [...stdout.matchAll(/^ {2}event-webhooks (.+)$/gm)].map(([, run]) => run as string);
    expect(examples.length).toBeGreaterThan(0);
    for (const run of examples) {
      const output = createOutput(process.stdout, process.stderr, { env: {}, json: false, name: '' });
      let started = 0;
      const start = async () => void started++;
      const args = run.split(' ');
      const program = await createProgram(args, COMMANDS, { ...process, output, start });
      await program.parseAsync(args, { from: 'user' });
      expect([run, started]).toEqual([run, 1]);
    }
  });
});

test.each(ways)('the version is that of the package ($way)', async ({ tool }) => {
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
  expect(await tool(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
