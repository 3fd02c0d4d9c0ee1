import { nodeHandler } from 'event-webhook-receiver/node';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { signed } from '../listener/listening.js';
import { call } from '../page/call.js';
import { serve } from '../servers.js';
import { onTerminal, type TerminalOptions, toolOnTerminal } from './pty.js';
import { urlIn } from './running.js';
import { main, scratch } from './tool.js';

const SECRET = 'whsec-of-the-terminal';
const env = { WEBHOOK_SECRET: SECRET };
const limits = { timeout: 60_000 };

async function listening(args: readonly string[] = [], options: TerminalOptions = {}) {
  const terminal = toolOnTerminal(['listen', '--port', '0', ...args], { ...options, env: { ...env, ...options.env } });
  await terminal.shows(/\? keys/);
  return { terminal, url: urlIn(terminal.all().join('\n')) };
}

const deliver = (url: string, secret = SECRET, events = [sampleEventEmitted()]) => call(url, signed(events, secret));

/** The last line that is not empty. */
const lastLine = (terminal: ReturnType<typeof onTerminal>) => terminal.screen().findLast((line) => line !== '');

describe('on a terminal, listen', () => {
  it('stays whole in a burst of five hundred deliveries, and when the terminal is resized', limits, async () => {
    const { terminal, url } = await listening();
    const events = Array.from({ length: 20 }, () => sampleEventEmitted());
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 25 }, () => deliver(url, SECRET, events)));
    }
    await terminal.shows(/500 accepted/);
    await expect.poll(() => terminal.all().filter((line) => line.includes('Transfer')).length).toBe(500);
    expect(lastLine(terminal)).toMatch(/^http:\S+ {2}500 accepted {2}\? keys$/);
    expect(terminal.all().filter((line) => line.includes('? keys'))).toHaveLength(1);
    terminal.resize(18, 24);
    await terminal.shows(/^500 accepted$/m);
    terminal.resize(60, 10);
    await terminal.shows(/500 accepted {2}\? keys$/m);
    await deliver(url);
    await terminal.shows(/501 accepted {2}\? keys$/m);
    expect(lastLine(terminal)).toMatch(/ 501 accepted {2}\? keys$/);
  });
});

describe('on a terminal of 80 columns, listen', () => {
  it('wraps only between words, and keeps one status line when it gets narrower', limits, async () => {
    const { terminal, url } = await listening([], { columns: 80 });
    expect(lastLine(terminal)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ {2}waiting for deliveries {2}\? keys$/);
    await deliver(url);
    await deliver(url, `${SECRET}\n`);
    await terminal.shows(/certain: [\s\S]*1 accepted, 1 refused/);
    const before = terminal.all().join('\n');
    expect(before).toMatch(/^#1 {4}\S+ {2}200 accepted {2}Transfer/m);
    expect(before).toMatch(/^#2 {4}\S+ {2}403 refused {3}Transfer/m);
    const text = before.slice(before.indexOf('#1'), before.lastIndexOf('http:'));
    const words = new Set((text.match(/[a-z]{4,}/gi) ?? []).map((word) => word.toLowerCase()));
    for (const word of ['accepted', 'refused', 'signature', 'secret']) expect([...words]).toContain(word);
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(80);
    for (const columns of [40, 22]) {
      terminal.resize(columns, 24);
      await expect.poll(() => lastLine(terminal)).toMatch(/^1 accepted, 1 refused( {2}\? keys)?$/);
      expect(
        terminal
          .all()
          .join('')
          .match(/1 accepted, 1 refused/g),
      ).toHaveLength(1);
    }
  });

  it('prints a summary at Ctrl+C: counts, causes by frequency, and the recording', limits, async () => {
    const file = await (await scratch())('deliveries.ndjson');
    const { terminal, url } = await listening(['--record', file], { columns: 80 });
    await deliver(url);
    for (const secret of [`${SECRET}\n`, 'another', `${SECRET}\n`]) await deliver(url, secret);
    await terminal.shows(/1 accepted, 3 refused/);
    await terminal.shows(/#4 [\s\S]*certain/);
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    await terminal.shows(/Recorded in/);
    const end = terminal.all().join('\n').split('4 deliveries: ')[1] ?? '';
    expect(end).toMatch(/^1 accepted, 3 refused\n {2}2 × secret whitespace lost\n {2}1 × .+\nRecorded in /);
    expect(end.replaceAll('\n', '')).toContain(file);
  });
});

it('on a terminal, send asks for a secret that is missing, and does not show it', limits, async () => {
  const handled: string[] = [];
  const receive = nodeHandler({ secret: SECRET, onEvent: ({ id }) => void handled.push(id) });
  const url = await serve((request, response) => void receive(request, response));
  const terminal = toolOnTerminal(['send', url, '--id', 'order-1'], {});
  await terminal.shows(/Signing secret \(WEBHOOK_SECRET is not set; the input is not shown\):/);
  terminal.type(`${SECRET}x\u007f\r`);
  expect(await terminal.ended).toBe(0);
  await expect.poll(() => terminal.all().join('\n')).toMatch(/#1 {4}200 accepted/);
  expect(terminal.all().join('\n')).not.toContain(SECRET);
  expect(handled).toEqual(['order-1']);
});

describe('the terminal', () => {
  /** A shell on a terminal, whose settings a command must not change. */
  const shell = () => onTerminal(['bash', '--norc', '--noprofile', '-i'], { env: { ...env, PS1: '$ ' } });
  const command = `"${process.execPath}" "${main}" listen --port 0`;
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
