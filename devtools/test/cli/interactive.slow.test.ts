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
  it('choose a delivery, show it in full, resend it, clear the screen and quit', limits, async () => {
    const command = running([...listen, '--no-page']);
    await command.shows(/waiting for deliveries {2}\? keys/);
    command.type('or?\r\u001b[A');
    await command.shows(/There is no page/);
    await command.shows(/There is no delivery to resend/);
    await command.shows(/q {4}quit/);
    for (const path of ['first', 'second', 'third']) await deliver(`${command.url()}${path}`);
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
    command.type('cr');
    await command.shows(/#3 is not resent: There is no app/);
    command.type('q');
    expect(await command.ended).toBe(0);
    expect(command.text()).toMatch(/3 deliveries: 3 accepted\n$/);
  });

  it('open the page, or say where it is', limits, async () => {
    const command = running(listen);
    await command.shows(/\? keys/);
    command.type('o?');
    await command.shows(/No browser was opened: this terminal has no display\. Open http:\S+#token=/);
    await command.shows(/ {2}Page: http:\S+#token=/);
  });

  it('ignore pasted text, also with pieces of escape sequences, and an end without a start', limits, async () => {
    const command = running([...listen, '--no-page']);
    await command.shows(/\? keys/);
    command.type('\u001b[201~\u001b[200~qr\u001b[\u001b[201~');
    command.type(`\u001b[200~${'q'.repeat(3000)}\u001b[20\u001b[201~?`);
    await command.shows(/q {4}quit/);
    expect(command.text()).not.toContain('There is no delivery');
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
