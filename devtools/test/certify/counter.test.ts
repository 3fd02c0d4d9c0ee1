import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createCounter } from '../../src/certify/counter.js';

async function serve(status: number, text: string): Promise<URL> {
  const server = createServer((_, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
}
const read = (from: URL | string) => createCounter(from, () => 10_000)();

it('reads the last line of a URL or of a command', async () => {
  expect(await read(await serve(200, 'effects:\n12\n'))).toBe(12);
  expect(await read('echo effects; echo 12')).toBe(12);
});

it.each([
  ['no number', () => serve(200, 'many'), /must give a whole number/],
  ['too much', () => serve(200, 'x'.repeat(100_000)), /must give a whole number/],
  ['another status', () => serve(500, '12'), /answered 500/],
  ['no server', () => new URL('http://127.0.0.1:1/'), /connection refused/],
  ['a command that fails', () => 'exit 3', /ended with 3/],
])('rejects for %s', async (_, from, message) => {
  await expect(read(await from())).rejects.toThrow(message);
});
