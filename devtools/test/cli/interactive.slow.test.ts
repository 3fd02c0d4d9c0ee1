import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPageOpener } from '../../src/cli/terminal/open-page.js';
import { call } from '../page/call.js';
import { onTerminal as running, SECRET } from './on-terminal.js';

const limits = { timeout: 30_000 };

const listen = ['listen', '--port', '0'];
const deliver = (url: string, secret = SECRET) => {
  const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], { secret });
  return call(url, { method: 'POST', body, headers });
};

describe('the keys', () => {
  it('filter, clear, resend, explain themselves and quit', limits, async () => {
    const command = running([...listen, '--no-page', '--filter', 'webhooks']);
    await command.shows(/filter: webhooks {2}\? keys/);
    expect(command.text()).toContain('Only deliveries that contain "webhooks" are printed.');
    command.type('or?');
    await command.shows(/There is no page/);
    await command.shows(/There is no delivery to resend/);
    await command.shows(/q {2}quit/);
    await deliver(`${command.url()}other`);
    await command.shows(/1 accepted/);
    expect(command.text()).not.toContain('200 accepted');
    command.type('f\u007f\u007f\u007f\u007f\u007f\u007f\u007f\u007f');
    command.type('\u001b[200~Oth\n\u001b[201~e\u001b[Ar\r');
    await command.shows(/Of those kept: 1\./);
    await command.shows(/200 accepted {2}\/other/);
    command.type('f\r');
    command.type('\u001b[200~r\u001b[201~');
    command.type('r');
    await command.shows(/Not resent: There is no app/);
    command.type('f\u001b');
    await command.shows(/All deliveries are printed\./);
    for (let sent = 0; sent < 20; sent++) await deliver(command.url(), 'another');
    await command.shows(/1 accepted, 20 refused/);
    command.type('c\r');
    await command.shows(/Clear 21 deliveries\?/);
    command.type('cy\r');
    await command.shows(/waiting for deliveries {2}\? keys/);
    command.type('cq');
    expect(await command.ended).toBe(0);
  });

  it('open the page, or say where it is', limits, async () => {
    const command = running(listen);
    await command.shows(/\? keys/);
    command.type('o?');
    await command.shows(/No browser was opened: this terminal has no display\. Open http:\S+#token=/);
    await command.shows(/ {2}Page: http:\S+#token=/);
  });

  it('survive pasted text with pieces of escape sequences, and an end without a start', limits, async () => {
    const command = running([...listen, '--no-page']);
    await command.shows(/\? keys/);
    command.type('f\u001b[201~');
    command.type('\u001b[200~ab\u001b[\u001b[201~');
    command.type(`\u001b[200~${'x'.repeat(3000)}\u001b[20\u001b[201~c\r`);
    await command.shows(/contain "ab\\+e\[x{200}c" are printed/);
    command.type('\u001b[200~never ends\u0003');
    await expect.poll(() => command.kill.mock.calls).toEqual([[0, 'SIGINT']]);
  });

  it('send signals as the terminal does, and give it back meanwhile', limits, async () => {
    const command = running([...listen, '--no-page']);
    await command.shows(/\? keys/);
    expect(command.modes).toEqual([false, true]);
    command.type('\u0003\u0001');
    await expect.poll(() => command.kill.mock.calls).toEqual([[0, 'SIGINT']]);
    expect(command.modes.at(-1)).toBe(true);
    command.type('\u001a');
    await expect.poll(() => command.kill.mock.calls.at(-1)).toEqual([0, 'SIGTSTP']);
    expect(command.modes.at(-1)).toBe(false);
    expect(command.events.listenerCount('SIGTSTP')).toBe(0);
    command.forget();
    command.events.emit('SIGCONT');
    expect(command.modes.at(-1)).toBe(true);
    expect(command.text()).toContain('? keys');
    command.events.emit('SIGTSTP');
    expect(command.kill.mock.calls.at(-1)).toEqual([42, 'SIGTSTP']);
    command.events.emit('SIGCONT');
    command.events.emit('exit');
    expect(command.modes.at(-1)).toBe(false);
    expect(command.text().endsWith('\r\u001b[J\u001b[?2004l')).toBe(true);
  });
});

describe('the opener of the page', () => {
  const address = 'http://127.0.0.1:1/#token=of-this-test';

  /** A folder of programs, and what the opener in it was called with. */
  async function programs(script: string) {
    const directory = await mkdtemp(join(tmpdir(), 'event-webhooks-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const env = {
      PATH: `${directory}:/usr/bin:/bin`,
      DISPLAY: ':9',
      CALLED: join(directory, 'called'),
      WEBHOOK_SECRET: SECRET,
    };
    return { env, called: () => readFile(join(directory, 'called'), 'utf8') };
  }

  it('gives the browser a private file, and neither the token nor a secret', async () => {
    const { env, called } = await programs('echo "$@" > "$CALLED"; env >> "$CALLED"');
    const opener = createPageOpener(address, env, 'linux');
    expect(await opener.open()).toBeUndefined();
    expect(await opener.open()).toBeUndefined();
    const told = await called();
    const [file = ''] = told.split('\n');
    expect(told).not.toMatch(/of-this-test|whsec/);
    expect(await readFile(file, 'utf8')).toContain(`url=${address}"`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await opener.close();
    await expect(readdir(join(file, '..'))).rejects.toThrow('ENOENT');
    const reasons = [{ ...env, DISPLAY: '' }, { ...env, PATH: '' }, (await programs('exit 3')).env].map((each) =>
      createPageOpener(address, each, 'linux').open(),
    );
    expect(await Promise.all(reasons)).toEqual([
      ...['this terminal has no display', 'xdg-open is not installed', 'xdg-open failed'],
    ]);
  });
});
