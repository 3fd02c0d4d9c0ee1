import { describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output.js';
import { sinks } from './sink.js';

/** An output on terminals, or on what is none, and what stands there. */
function outputs({ env = {} as NodeJS.ProcessEnv, json = false, isTTY = false } = {}) {
  const { texts, stdout, stderr } = sinks({ isTTY });
  return { texts, output: createOutput(stdout, stderr, { env, json, name: 'tool' }) };
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

  it('ends each text with one line break', () => {
    const { texts, output } = outputs();
    output.print('one');
    output.print('two\n');
    expect(texts.stdout).toBe('one\ntwo\n');
  });

  it('keeps lines below what is printed, on either stream, with the cursor at their start', () => {
    const { texts, output } = outputs({ isTTY: true, env: { NO_COLOR: '1' } });
    output.footer(['? keys']);
    const footer = '\u001b[?7l? keys\u001b[?7h\r';
    const erase = '\r\u001b[J';
    output.note('careful');
    expect(texts).toEqual({ stdout: footer + erase + footer, stderr: 'note: careful\n' });
    output.footer(['one', 'two']);
    output.footer([]);
    expect(texts.stdout.slice((footer + erase + footer).length)).toBe(
      `${erase}\u001b[?7lone\r\ntwo\u001b[?7h\u001b[1A\r${erase}`,
    );
  });

  it('wraps between words on a terminal, and leaves a long word whole', () => {
    const { texts, output } = outputs({ isTTY: true, env: { NO_COLOR: '1' } });
    expect(output.wrap(`  ${'word '.repeat(20)}end`, '    ')).toBe(
      `  ${'word '.repeat(15).trimEnd()}\n    ${'word '.repeat(5)}end`,
    );
    output.note(`see ${'x'.repeat(100)}`);
    expect(texts.stderr).toBe(`note: see\n  ${'x'.repeat(100)}\n`);
    expect(outputs().output.wrap('word '.repeat(30), '')).toBe('word '.repeat(30));
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
});
