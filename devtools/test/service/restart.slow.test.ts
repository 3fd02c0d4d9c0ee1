import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred, event } from '../../../test/helpers.js';
import { createLocalService } from '../../src/service/index.js';
import { listening, pair, receiving } from './receivers.js';
import { serving } from './service.js';
import { newFile } from './storages.js';

const program = fileURLToPath(new URL('service-child.mjs', import.meta.url));

/** Starts a process with a service of its own. */
async function starting(...args: string[]) {
  const child = fork(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [{ secret }] = (await once(child, 'message')) as [{ secret: string }];
  return { child, secret };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('a local service with a file', () => {
  it('has after a restart what it had before: webhooks, secrets, the log, its key', async () => {
    const file = newFile();
    const { receiver, ...first } = await pair({ file });
    const secret = first.service.secretOf(1);
    first.service.emit([event('a')]);
    await first.service.idle();
    const before = [first.service.webhooks(), first.service.apiKeys, await first.call('GET', '/1/events')];
    await first.service.close();
    const second = await serving({ file });
    const strip = (values: unknown[]) => JSON.stringify(values).replace(/"headers":\{\}/, '');
    expect(strip([second.service.webhooks(), second.service.apiKeys, await second.call('GET', '/1/events')])).toBe(
      strip(before),
    );
    expect(second.service.secretOf(1)).toBe(secret);
    expect(second.changes).toEqual([]);
    second.service.redeliver('1');
    second.service.emit([event('b')]);
    await second.service.idle();
    expect(second.changes.map(({ id }) => id)).toEqual(['1', '1', '2', '2']);
    expect(receiver.ids()).toEqual(['a', 'b']);
  });

  it('resumes what was not delivered, with the attempts that it had', async () => {
    const file = newFile();
    let status = 500;
    const { url } = await listening((_request, response) => response.writeHead(status).end());
    const first = await serving({ file, retries: { initialDelayMs: 60_000, maxDelayMs: 60_000 } });
    first.service.register({ label: 'mine', url });
    first.service.emit([event('a')]);
    first.service.emit([event('b')]);
    await first.changed(({ nextAttemptAt }) => nextAttemptAt !== undefined);
    await first.service.close();
    status = 200;
    const second = await serving({ file });
    await second.service.idle();
    const delivered = second.changes.filter(({ state }) => state === 'delivered');
    expect(delivered.map(({ id, attempts }) => [id, ...attempts.map((each) => each.status)])).toEqual([
      ['1', 500, 200],
      ['2', 200],
    ]);
  });

  it('that is killed again and again loses no event that it has taken, and a receiver handles each once', {
    timeout: 60_000,
  }, async () => {
    const file = newFile();
    const emitted: string[] = [];
    let enough = { count: 0, reached: deferred() };
    const handled: string[] = [];
    const receiver = await receiving({
      onEvent: ({ id }) => {
        handled.push(id);
        if (--enough.count === 0) enough.reached.resolve();
      },
    });
    const secrets = new Set<string>();
    for (const [name, count] of [
      ['first', 1],
      ['second', 20],
      ['third', 70],
    ] as const) {
      enough = { count, reached: deferred() };
      const { child, secret } = await starting(file, 'emit', receiver.url, name);
      secrets.add(secret);
      receiver.setSecret(secret);
      child.on('message', (message: { emitted?: string }) => message.emitted && emitted.push(message.emitted));
      await enough.reached.promise;
      await kill(child);
    }
    const { service } = await serving({ file });
    await service.idle();
    expect(secrets.size).toBe(1);
    expect(emitted.length).toBeGreaterThan(70);
    expect(emitted.filter((id) => !handled.includes(id))).toEqual([]);
    expect(new Set(handled).size).toBe(handled.length);
    expect(receiver.refused).toEqual([]);
  });

  it('has exclusive use of it until it is closed or killed', async () => {
    const file = newFile();
    const { child } = await starting(file, 'hold');
    await expect(createLocalService({ file })).rejects.toThrow(`${file} is in use by another local service`);
    await kill(child);
    const { service } = await serving({ file });
    await expect(createLocalService({ file })).rejects.toThrow(`${file} is in use by another local service`);
    await service.close();
    await serving({ file });
  });

  it('that cannot listen leaves the file to others', async () => {
    const file = newFile();
    const { service } = await serving();
    const port = Number(new URL(service.url).port);
    await expect(createLocalService({ file, port })).rejects.toThrow('The port is in use. Choose another `port`');
    await serving({ file });
  });

  it('leaves nothing that keeps a process alive once it is closed', async () => {
    const hanging = await listening(() => {});
    const { child } = await starting(newFile(), 'close', hanging.url);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
