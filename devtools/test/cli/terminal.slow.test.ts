import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { call } from '../page/call.js';
import { type OnTerminal, onTerminal, type TerminalOptions, toolOnTerminal } from './pty.js';
import { main } from './tool.js';

const SECRET = 'whsec-of-the-terminal';
const env = { WEBHOOK_SECRET: SECRET };
const limits = { timeout: 60_000 };

async function listening(args: readonly string[] = [], options: TerminalOptions = {}) {
  const terminal = toolOnTerminal(['listen', '--port', '0', ...args], { ...options, env: { ...env, ...options.env } });
  await terminal.shows(/\? keys/);
  const url = /http:\/\/[^\s/]+\//.exec(terminal.all().join('\n'))?.[0] ?? '';
  return { terminal, url };
}

const deliver = (url: string, secret = SECRET, events = [sampleEventEmitted()]) => {
  const { rawBody: body, headers } = createTestDelivery(events, { secret });
  return call(url, { method: 'POST', body, headers });
};

/** The last line that is not empty. */
const lastLine = (terminal: OnTerminal) => terminal.screen().findLast((line) => line !== '');

describe('on a terminal, listen', () => {
  it('keeps a status line with the page and the counts below its output', limits, async () => {
    const { terminal, url } = await listening();
    expect(lastLine(terminal)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ {2}waiting for deliveries {2}\? keys$/);
    await deliver(url);
    await deliver(url, 'another secret');
    await terminal.shows(/1 accepted, 1 refused/);
    await terminal.shows(/certain|likely|possible/);
    // What was printed, and the line below it, come in pieces.
    await expect.poll(() => lastLine(terminal)).toMatch(/ {2}1 accepted, 1 refused {2}\? keys$/);
    expect(terminal.all().filter((line) => line.includes('? keys'))).toHaveLength(1);
  });

  it('stays whole in a burst of five hundred deliveries, and when the terminal is resized', limits, async () => {
    const { terminal, url } = await listening(['--no-page']);
    const events = Array.from({ length: 20 }, () => sampleEventEmitted());
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 25 }, () => deliver(url, SECRET, events)));
    }
    await terminal.shows(/500 accepted/);
    await expect.poll(() => terminal.all().filter((line) => line.includes('Transfer')).length).toBe(500);
    expect(lastLine(terminal)).toBe('500 accepted  ? keys');
    expect(terminal.all().filter((line) => line.includes('? keys'))).toHaveLength(1);
    terminal.resize(18, 24);
    await terminal.shows(/^500 accepted$/m);
    terminal.resize(60, 10);
    await terminal.shows(/500 accepted {2}\? keys$/m);
    await deliver(url);
    await terminal.shows(/501 accepted {2}\? keys$/m);
    expect(lastLine(terminal)).toBe('501 accepted  ? keys');
  });
});

describe('the terminal', () => {
  /** A shell on a terminal, whose settings a command must not change. */
  const shell = () => onTerminal(['bash', '--norc', '--noprofile', '-i'], { env: { ...env, PS1: '$ ' } });
  const command = `"${process.execPath}" "${main}" listen --port 0 --no-page`;
  const settings = /-icanon|-echo\b|-isig/;

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('is as before after %s', limits, async (signal) => {
    const terminal = shell();
    terminal.type(`bash -c 'echo "pid $$"; exec ${command}'; echo "ended"; stty -a\r`);
    await terminal.shows(/\? keys/);
    process.kill(Number(/^pid (\d+)$/m.exec(terminal.all().join('\n'))?.[1]), signal);
    await terminal.shows(/^ended$[\s\S]* icanon/m);
    expect(terminal.screen().join('\n')).not.toMatch(settings);
    expect(terminal.screen().join('\n')).not.toMatch(/\? keys/);
  });

  it('is as before after a crash', limits, async () => {
    const terminal = shell();
    const crash = 'data:text/javascript,setTimeout(()=>{throw(0)},2000)';
    terminal.type(`NODE_OPTIONS='--import "${crash}"' ${command}; echo "ended"; stty -a\r`);
    await terminal.shows(/\? keys/);
    await terminal.shows(/^ended$[\s\S]* icanon/m);
    expect(terminal.screen().join('\n')).not.toMatch(settings);
    expect(terminal.screen().join('\n')).not.toMatch(/\? keys/);
  });

  it('is given back on Ctrl+Z, and taken again on fg', limits, async () => {
    const terminal = shell();
    terminal.type(`${command}\r`);
    await terminal.shows(/\? keys/);
    terminal.type('\u001a');
    await terminal.shows(/Stopped/);
    expect(terminal.screen().join('\n')).not.toMatch(/\? keys/);
    terminal.type('stty -a\r');
    await terminal.shows(/ icanon/);
    terminal.type('clear; fg\r');
    await terminal.shows(/\? keys/);
    terminal.type('?');
    await terminal.shows(/quit, as Ctrl\+C does/);
    terminal.type('q');
    await terminal.shows(/\$ *$/m);
  });
});
