import { expect, it } from 'vitest';
import { listening } from './receivers.js';
import { serving } from './service.js';

it('a local service tells what the receiver answered, with each attempt that it ends', async () => {
  let attempts = 0;
  const { url } = await listening((_, answer) => {
    attempts++;
    answer.writeHead(attempts === 1 ? 500 : 200, { 'X-Mine': String(attempts) }).end(`answer ${attempts}`);
  });
  const { service, changes } = await serving();
  service.register({ label: 'mine', url });
  service.emit([{ id: 'a' }] as never, { unchecked: true });
  await service.idle();
  const responses = changes.flatMap(({ attempts }) => attempts.at(-1)?.response ?? []);
  const texts = responses.map(({ bodyBase64 }) => Buffer.from(bodyBase64, 'base64').toString());
  expect(texts).toEqual(['answer 1', 'answer 2']);
  expect(responses[1]?.headers).toContainEqual(['X-Mine', '2']);
});
