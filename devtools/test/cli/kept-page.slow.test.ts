import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptPageFile, readKeptPage, writeKeptPage } from '../../src/cli/kept-page.js';
import { closedPort } from '../listener/listening.js';
import { call, pageHeaders } from '../page/call.js';
import { limits } from './emulated.js';
import { noting } from './recordings.js';
import { ways } from './running.js';
import { SECRET, scratch } from './tool.js';

const token = 'x'.repeat(43);
const kept = { token, port: 4100 };

describe('keptPageFile', () => {
  it('is beside the file of the service, or for a fixed port in the state directory of the user', () => {
    expect(keptPageFile({ file: 'a/state', pagePort: 4100 }, {})).toBe('a/state.page');
    expect(keptPageFile({ pagePort: 0 }, {})).toBeUndefined();
    const at = (XDG_STATE_HOME?: string) => keptPageFile({ pagePort: 4100 }, { XDG_STATE_HOME });
    expect(at('/state')).toBe(join('/state', 'event-webhooks', 'page-4100'));
    const home = join(homedir(), '.local', 'state', 'event-webhooks', 'page-4100');
    expect([at(), at(''), at('relative')]).toEqual([home, home, home]);
  });
});

describe('the kept token', () => {
  it('is read again, from a file that only its owner can read, in a directory made for it', async () => {
    const file = await scratch();
    const { notes, output } = noting();
    const path = await file('state/event-webhooks/page-4100');
    expect(await readKeptPage(path, output)).toBeUndefined();
    await writeKeptPage(path, kept, output);
    await writeKeptPage(path, { ...kept, port: 4101 }, output);
    expect(await readKeptPage(path, output)).toEqual({ token, port: 4101 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(await file('state'))).mode & 0o777).toBe(0o700);
    expect([notes, await readdir(await file('state/event-webhooks'))]).toEqual([[], ['page-4100']]);
  });

  it.each([
    ['other content', 'mine'],
    ['other content', 'x'.repeat(201)],
    ['other content', JSON.stringify({ token: 'short', port: 4100 })],
    ['other content', JSON.stringify({ token, port: 0 })],
    ['other content', JSON.stringify({ token, port: 70_000 })],
    ['other content', 'null'],
  ])('is not read from a file with %s: %s', async (reason, content) => {
    const path = await (await scratch())('page', content);
    const { notes, output } = noting();
    expect(await readKeptPage(path, output)).toBeUndefined();
    expect(notes).toEqual([`The page has a new token: ${path} was not used, because it has ${reason}.`]);
    await writeKeptPage(path, kept, output);
    expect(await readKeptPage(path, output)).toEqual(kept);
  });

  it('is not read from a file that other users can read, or through a link, which is not followed either', async () => {
    const file = await scratch();
    const { notes, output } = noting();
    const [open, target, path] = [await file('open', '{}'), await file('target'), await file('link')];
    await chmod(open, 0o644);
    await writeKeptPage(target, kept, output);
    await symlink(target, path);
    expect([await readKeptPage(open, output), await readKeptPage(path, output)]).toEqual([undefined, undefined]);
    expect(notes.map((note) => note.slice(note.lastIndexOf('because')))).toEqual([
      'because other users can read it.',
      'because it is a symbolic link.',
    ]);
    await writeKeptPage(path, { ...kept, port: 1 }, output);
    expect([await readKeptPage(target, output), await readKeptPage(path, output)]).toEqual([kept, { token, port: 1 }]);
  });

  it('that cannot be written is noted, and leaves nothing behind', async () => {
    const file = await scratch();
    const { notes, output } = noting();
    const path = await file('page');
    await mkdir(path);
    await writeKeptPage(path, kept, output);
    await writeKeptPage(join(await file('plain', ''), 'page'), kept, output);
    expect(notes).toEqual([
      `An open page will not survive a restart: cannot write ${path}: it is a directory.`,
      expect.stringMatching(/cannot write .*plain\/page: /),
    ]);
    expect((await readdir(await file('.'))).sort()).toEqual(['page', 'plain']);
  });
});

describe.each(ways)('an open page, $way', ({ start }) => {
  const address = async (command: ReturnType<typeof start>) => (await command.until(/^Page/)).replace('Page: ', '');
  const works = async (page: string) => {
    const [url, used = ''] = page.split('#token=');
    return (await call(`${url}api/state`, { headers: pageHeaders(used) })).status;
  };

  it('still works after `emulate --file` was killed and started again', limits, async () => {
    const file = await (await scratch())('state');
    const args = ['emulate', '--port', '0', '--file', file];
    const first = start(args);
    const page = await address(first);
    await first.end('SIGKILL');
    const second = start(args);
    expect(await address(second)).toBe(page);
    expect(await works(page)).toBe(200);
    expect((await stat(`${file}.page`)).mode & 0o777).toBe(0o600);
    expect(second.stderr).toBe('');
    await second.end();
  });

  it('gets another address when its port was taken meanwhile, and the next one is kept', limits, async () => {
    const file = await scratch();
    const args = async (name: string) => ['emulate', '--port', '0', '--file', await file(name)];
    const first = start(await args('a'));
    const page = await address(first);
    await writeKeptPage(await file('b.page'), { token, port: Number(new URL(page).port) }, noting().output);
    const second = start(await args('b'));
    const other = await address(second);
    expect([new URL(other).port === new URL(page).port, other.endsWith(token), await works(other)]).toEqual([
      ...[false, false, 200],
    ]);
    expect(second.stderr).toContain('The page has a new address: port ');
    expect(JSON.parse(await readFile(await file('b.page'), 'utf8')).port).toBe(Number(new URL(other).port));
    await Promise.all([first.end(), second.end()]);
  });

  it('still works after `listen --page-port` was started again', limits, async () => {
    const file = await scratch();
    const port = String(await closedPort());
    const env = { XDG_STATE_HOME: await file('state'), WEBHOOK_SECRET: SECRET };
    const args = ['listen', '--port', '0', '--page-port', port];
    const first = start(args, env);
    const page = await address(first);
    await first.end();
    const second = start(args, env);
    expect(await address(second)).toBe(page);
    expect(await works(page)).toBe(200);
    const third = start(args, env);
    expect(await third.ended).toBe(2);
    expect(third.stderr).toContain(`Cannot listen on port ${port}: it is in use.`);
    expect(await works(page)).toBe(200);
    await second.end();
  });
});
