import { chmod, readdir, stat, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptPageFile, readKeptPage, writeKeptPage } from '../../src/cli/kept-page.js';
import { call, pageHeaders } from '../page/call.js';
import { limits } from './emulated.js';
import { noting } from './recordings.js';
import { ways } from './running.js';
import { scratch } from './tool.js';

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
});
