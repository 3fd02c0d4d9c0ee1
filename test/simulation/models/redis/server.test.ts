import { describe, expect, it } from 'vitest';
import { scriptsOfStore } from './scripts.js';
import { RedisServer } from './server.js';

describe('the model of Redis', () => {
  it('runs the scripts of the store', async () => {
    const { claim, record, release } = await scriptsOfStore();
    let now = 0;
    const server = new RedisServer(() => now);
    const claimBy = (owner: string) => server.eval(claim, ['k'], ['100', '10000', 'free', owner, '']);
    expect(claimBy('a')).toEqual(['claimed']);
    expect(claimBy('b')).toEqual(['in-progress']);
    now = 101;
    expect(claimBy('b')).toEqual(['abandoned']);
    expect(server.eval(record, ['k'], ['1000', 'a'])).toEqual(['taken']);
    expect(server.eval(release, ['k'], ['0', 'a'])).toEqual(['released']);
    expect(server.eval(record, ['k'], ['1000', 'b'])).toEqual(['recorded']);
    expect(claimBy('c')).toEqual(['duplicate']);
  });

  it.each([
    ['return redis.call("hset", KEYS[1])', 'the command hset'],
    ['while true do end', 'the Lua of a WhileStatement'],
    ['return 2 ^ 2', 'the Lua of ^'],
  ])('refuses what it does not know by name: %s', (script, what) => {
    expect(() => new RedisServer(() => 0).eval(script, ['k'], [])).toThrow(`The Redis model does not know ${what}`);
  });
});
