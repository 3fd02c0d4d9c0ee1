import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../../chaos/random.js';
import { hasRedis, needsRedis, startRedis } from '../../../servers/redis.js';
import { scriptsOfStore } from './scripts.js';
import { RedisServer } from './server.js';

it.skipIf(!hasRedis)(`the model of Redis answers the scripts of the store as Redis does${needsRedis}`, async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  const random = createRandom(20);
  const scripts = await scriptsOfStore();
  const model = new RedisServer(() => 0);
  for (let step = 0; step < 500; step++) {
    const keys = ['a', 'b', 'c', 'd'].filter(() => random.chance(0.5));
    const owners = keys.map(() => random.pick(['one', 'two']));
    const kind = random.pick(['claim', 'record', 'release'] as const);
    const script = scripts[kind];
    const ms = random.pick(['-1', '1000000']);
    const claim = [ms, '1000000', random.pick(['free', 'free', 'dead']), ...owners, ...keys.map(() => '{"kind":"a"}')];
    const args = kind === 'claim' ? claim : ['1000000', ...owners];
    const real = await client.eval(script, keys.length, ...keys, ...args);
    expect({ keys, args, script, answer: model.eval(script, keys, args) }).toEqual({
      keys,
      args,
      script,
      answer: real,
    });
    // Recorded keys would be all in the end.
    if (random.chance(0.1)) {
      await client.del('a', 'b');
      for (const key of ['a', 'b']) model.eval('redis.call("del", KEYS[1])', [key], []);
    }
  }
});
