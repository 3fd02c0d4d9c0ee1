import { describe, expect, it } from 'vitest';
import { scriptsOfStore } from './scripts.js';
import { RedisServer } from './server.js';

const run = (...command: string[]) => new RedisServer(() => 0).command(command);

describe('the model of Redis', () => {
  it('runs the scripts of the store', async () => {
    const { claim, complete, release } = await scriptsOfStore();
    let now = 0;
    const server = new RedisServer(() => now);
    const claimBy = (owner: string) => server.command(['eval', claim, '1', 'k', '100', owner]);
    expect(claimBy('a')).toEqual(['claimed']);
    expect(claimBy('b')).toEqual(['in-progress']);
    now = 101;
    expect(claimBy('b')).toEqual(['claimed']);
    expect(server.command(['eval', complete, '1', 'k', '1000', 'a'])).toEqual(['taken']);
    expect(server.command(['eval', release, '1', 'k', '0', 'a'])).toEqual(['released']);
    expect(server.command(['eval', complete, '1', 'k', '1000', 'b'])).toEqual(['recorded']);
    expect(claimBy('c')).toEqual(['duplicate']);
  });

  it.each([
    [['hset', 'k', 'f', 'v'], 'the command HSET'],
    [['set', 'k', 'v', 'ex', '1'], 'SET … ex'],
    [['set', 'k', 'ü'], 'text outside of ASCII'],
    [['set', 'k', 'v', 'px', '9223372036854775807'], 'the number 9223372036854775807'],
    [['eval', 'while true do end', '0'], 'the Lua of a WhileStatement'],
    [['eval', 'local f = function() end', '0'], 'the Lua of a FunctionDeclaration'],
    [['eval', 'x = 1', '0'], 'the Lua variable x, which is not local'],
    [['eval', 'return x', '0'], 'the Lua variable x'],
    [['eval', 'return 2 ^ 2', '0'], 'the operator ^'],
    [['eval', 'return math.max(1, 2)', '0'], 'the Lua function math.max'],
    [['eval', 'for k, v in pairs(KEYS) do end', '0'], 'a loop over anything but ipairs(…)'],
    [['eval', 'return nil .. "x"', '0'], 'the text of nil'],
    [['eval', 'return KEYS[1].x', '0'], 'an index into a value of the type nil'],
    [['eval', 'return redis.call("get")', '0'], 'a script that calls get'],
    [['eval', 'local t = {}\nt[2] = 1', '0'], 'lists with holes'],
  ])('refuses %j by name', (command, what) => {
    expect(() => run(...command)).toThrow(`The Redis model does not know ${what}`);
  });
});
