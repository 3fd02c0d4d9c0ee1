import { describe, expect, it } from 'vitest';
import { signed } from '../listener/listening.js';
import { call } from '../page/call.js';
import { onTerminal as running, SECRET } from './on-terminal.js';

const limits = { timeout: 30_000 };

const listen = ['listen', '--port', '0'];

describe('the keys', () => {
  it('choose a delivery, show it in full, resend it and quit', limits, async () => {
    const command = running([...listen]);
    await command.shows(/waiting for deliveries {2}\? keys/);
    for (const key of ['r', '?', '\r', '\u001b[A', '\u001b[15~']) command.type(key);
    await command.shows(/There is no delivery to resend/);
    await command.shows(/q {4}quit/);
    for (const path of ['first', 'second', 'third']) await call(`${command.url()}${path}`, signed(undefined, SECRET));
    await command.shows(/3 accepted/);
    command.forget();
    command.type('\u001b[A\u001b[A');
    await command.shows(/› #2 {4}\S+ {2}200 accepted {2}Transfer .*\/second/);
    await command.shows(/Enter: show {2}r: resend {2}Esc/);
    command.forget();
    command.type('\r');
    await command.shows(/POST \/second[\s\S]*X-Service-Signature: [\da-f]{64}[\s\S]*\d+ bytes:\s+\[\{/i);
    command.type('r');
    await command.shows(/#2 is not resent: There is no app/);
    command.forget();
    command.type('\u001b');
    await command.shows(/3 accepted {2}\? keys/);
    command.type('r');
    await command.shows(/#3 is not resent: There is no app/);
    command.type('q');
    expect(await command.ended).toBe(0);
    expect(command.text()).toMatch(/3 deliveries: 3 accepted\n$/);
  });

  it('ignore pasted text, except Ctrl+C', limits, async () => {
    const command = running(listen);
    await command.shows(/\? keys/);
    command.type('ar\u001b[qr');
    command.type('?');
    await command.shows(/ {2}Page: http:\S+#token=/);
    expect(command.text()).not.toContain('There is no delivery');
    command.type('never ends\u0003');
    await expect.poll(() => command.kill.mock.calls).toEqual([[0, 'SIGINT']]);
  });

  it('send signals as the terminal does, and give it back meanwhile', limits, async () => {
    const command = running([...listen]);
    await command.shows(/\? keys/);
    expect(command.modes).toEqual([true]);
    command.type('\u0003');
    command.type('\u0001');
    await expect.poll(() => command.kill.mock.calls).toEqual([[0, 'SIGINT']]);
    expect(command.modes.at(-1)).toBe(true);
    command.type('\u001a');
    await expect.poll(() => command.kill.mock.calls.at(-1)).toEqual([0, 'SIGTSTP']);
    expect(command.modes.at(-1)).toBe(false);
    command.forget();
    command.events.emit('SIGCONT');
    expect(command.modes.at(-1)).toBe(true);
    expect(command.text()).toContain('? keys');
    command.events.emit('exit');
    expect(command.modes.at(-1)).toBe(false);
    expect(command.text().endsWith('\r\u001b[J')).toBe(true);
  });
});
