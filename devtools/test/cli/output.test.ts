import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createPrinter } from '../../src/cli/delivery-printer.js';
import { createOutput } from '../../src/cli/output.js';
import { deliveryStyle } from '../../src/cli/printed-delivery.js';
import { visibleJson } from '../../src/cli/visible.js';
import { createFeed } from '../../src/deliveries/feed.js';
import { recordOf } from '../deliveries/records.js';

/** An output on terminals, or on what is none, and what stands there. */
function outputs({
  env = {},
  json = false,
  isTTY = false,
}: {
  env?: NodeJS.ProcessEnv;
  json?: boolean;
  isTTY?: boolean;
} = {}) {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof texts) =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          texts[name] += chunk;
          done();
        },
      }),
      isTTY && { isTTY },
    );
  return { texts, output: createOutput(sink('stdout'), sink('stderr'), { env, json, name: 'tool' }) };
}

describe('the output of a command', () => {
  it.each<[string, NodeJS.ProcessEnv, boolean, boolean]>([
    ['on a terminal', {}, true, true],
    ['on a terminal that is dumb', { TERM: 'dumb' }, true, false],
    ['elsewhere', {}, false, false],
    ['elsewhere when it is forced', { FORCE_COLOR: '1' }, false, true],
    ['on a terminal when none are forced', { FORCE_COLOR: '0' }, true, false],
    ['on a terminal when it is forced to be without', { FORCE_COLOR: 'false' }, true, false],
    ['elsewhere when NO_COLOR speaks against it', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
  ])('%s has colours or none', (_, env, isTTY, coloured) => {
    const { texts, output } = outputs({ env, isTTY });
    output.note('careful');
    expect(texts.stderr.includes('\u001b[33m')).toBe(coloured);
    expect(output.colors.isColorSupported).toBe(coloured);
  });

  it('ends each text with one line break, and clears the drawn line first', () => {
    const { texts, output } = outputs({ isTTY: true, env: { NO_COLOR: '1' } });
    output.print('one');
    output.print('two\n');
    expect(texts.stdout).toBe('one\ntwo\n');
    output.status?.('x'.repeat(100));
    expect(texts.stderr).toBe(`\r${'x'.repeat(79)}\u001b[K`);
    output.note('done');
    expect(texts.stderr).toBe(`\r${'x'.repeat(79)}\u001b[K\r\u001b[Knote: done\n`);
  });

  it('does not print text with --json', () => {
    const { texts, output } = outputs({ json: true });
    output.print('for people');
    output.note('both');
    expect(texts).toEqual({ stdout: '', stderr: '{"note":{"message":"both"}}\n' });
  });

  it('masks a secret everywhere, but no short word', () => {
    const { texts, output } = outputs();
    output.hide('whsec-hidden');
    output.hide('short');
    output.note('a short text with whsec-hidden in it');
    expect(texts.stderr).toBe('note: a short text with [secret] in it\n');
  });

  it('writes undefined as null', () => {
    expect(visibleJson(undefined)).toBe('null');
  });
});

describe('the printer of deliveries', () => {
  it('skips deliveries that are no longer kept, and notes those that it could not print', async () => {
    const { texts, output } = outputs();
    const feed = createFeed();
    feed.put(recordOf('1', { attempt: { status: 403 } }));
    const sources = {
      ...{ headers: { signature: 'a', timestamp: 'b' }, toleranceSeconds: 300 },
      secretOf: (): string => {
        throw new Error('mine');
      },
    };
    const explainer = { explain: async () => [], read: async () => undefined, view: async () => undefined };
    const printer = createPrinter({ feed, sources, explainer, output, style: deliveryStyle });
    printer.print('gone');
    await printer.done();
    expect(texts).toEqual({ stdout: '', stderr: '' });
    printer.print('1');
    await printer.done();
    expect(texts).toEqual({ stdout: '', stderr: 'note: A delivery could not be printed.\n' });
  });
});
