import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, needsRedis, startRedis } from '../../../servers/redis.js';
import type { TestServer } from '../../../servers/server.js';
import { type StoreScripts, scriptsOfStore } from './scripts.js';
import { RedisServer } from './server.js';
import { RedisError, type Reply, Status } from './values.js';

type Command = readonly string[];

/** A reply as ioredis passes it on. */
function plain(reply: Reply): unknown {
  if (reply instanceof Status) return reply.text;
  if (reply instanceof RedisError) return { error: reply.message };
  return Array.isArray(reply) ? reply.map(plain) : reply;
}

/** Scripts with what only one of them uses. Each is called with the keys `s` (a string), `l` (a list) and `n` (nothing). */
const SCRIPTS: readonly string[] = [
  'return KEYS',
  'return ARGV[1]',
  'return',
  'return {1, 2.7, -2.7, "three", true, false, "after nil"}',
  'return redis.call("get", KEYS[3])',
  'return type(redis.call("get", KEYS[3])) .. type(redis.call("get", KEYS[1])) .. type(ARGV[9])',
  'return redis.call("set", KEYS[3], "x", "px", 1000 * 2, "nx")',
  'return {type(redis.call("set", KEYS[1], "x", "nx")), redis.call("set", KEYS[1], "x").ok}',
  'return redis.pcall("get", KEYS[2])',
  'return redis.pcall("get", KEYS[2]).err',
  'local a = 1\nlocal b = redis.call("get", KEYS[2])\nreturn a',
  'return redis.call("set", KEYS[1], "x", "px", "soon")',
  'redis.call("del", KEYS[1])\nreturn redis.call("rpush", KEYS[1], "a", "b")',
  'local words = {}\nfor i, key in ipairs(KEYS) do words[i] = key .. i .. #key end\nreturn words',
  'for i, key in ipairs(KEYS) do if i == 2 then return key end end',
  'local x = "outer"\nif true then local x = "inner" end\nreturn x',
  'local x = 1\nlocal x = x + 1\nreturn x * 3 - 1',
  'local a, b = "a"\na, b = b, a\nreturn {b, a == nil}',
  'local t = {name = "n", "first", "second"}\nt.more = "m"\nt["last"] = "l"\nreturn {t.name, t[1], #t, t.more, t.last}',
  'return {string.sub("done:x", 1, 5), string.sub("done", 3), string.sub("done", -2), string.sub("done", 2, -2)}',
  'return {string.sub("abc", 0, 2), string.sub("abc", 4), string.sub("abc", -9, 1), string.sub("abc", 3, 2)}',
  'return {0 and "0 is true", "" and "so is empty", nil or "nil", false == nil, not nil, 1 == "1", 1 ~= 1}',
  'return {1 < 2, "a" < "b", 2 <= 2, 2 >= 3, "b" > "a", -3 < -2}',
  'return {tonumber("12") + "3", tostring(7) .. 8, -ARGV[2]}',
  'return {ok = "FINE"}',
  'return {err = "MINE is an error"}',
  'if KEYS[1] == "x" then return 1 elseif KEYS[4] then return 2 else return 3 end',
];

describe.skipIf(!hasRedis)(`the model of Redis answers as Redis${needsRedis}`, () => {
  let server: TestServer;
  let client: Redis;
  let scripts: StoreScripts;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
    scripts = await scriptsOfStore();
  });
  afterAll(async () => {
    client?.disconnect();
    await server?.stop();
  });

  /** The answers of the real server, and the times in ms between which it gave them. */
  async function ask(commands: readonly Command[]): Promise<{ answers: unknown[]; from: number; to: number }> {
    const all = [['time'], ...commands, ['time']];
    const results = (await client.pipeline(all.map((each) => ['call', ...each])).exec()) ?? [];
    const answers = results.map(([error, answer]) => (error ? { error: error.message } : answer));
    const timeOf = (answer: unknown) => {
      const [seconds, micros] = answer as [string, string];
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    };
    return { answers: answers.slice(1, -1), from: timeOf(answers[0]), to: timeOf(answers.at(-1)) };
  }

  /**
   * Runs steps on both sides. The model replays them at the times that the real server states; where that is between two
   * milliseconds, at the one that explains its answers. Returns whether the times were precise enough to compare all.
   */
  async function agree(steps: readonly Step[], keys: readonly string[]): Promise<boolean> {
    const past: { commands: readonly Command[]; at: number }[] = [];
    const model = (commands: readonly Command[], at: number) => {
      let now = 0;
      const replica = new RedisServer(() => now);
      for (const each of past) {
        now = each.at;
        for (const command of each.commands) replica.command(command);
      }
      now = at;
      return commands.map((command) => plain(replica.command(command)));
    };
    for (const step of steps) {
      if (step.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
      const looks = keys.flatMap((key) => [
        ['get', key],
        ['pexpiretime', key],
      ]);
      const commands = [step.command, ...looks];
      const { answers, from, to } = await ask(commands);
      let at = from;
      while (at < to && JSON.stringify(model(commands, at)) !== JSON.stringify(answers)) at++;
      const expected = model(commands, at);
      // A script that began in one millisecond and ended in the next.
      if (from < to && JSON.stringify(expected) !== JSON.stringify(answers)) return false;
      expect({ command: step.command, answers: expected }).toEqual({ command: step.command, answers });
      past.push({ commands, at });
    }
    return true;
  }

  interface Step {
    readonly command: Command;
    readonly waitMs: number;
  }

  function stepOf(keys: readonly string[]): fc.Arbitrary<Step> {
    const key = fc.constantFrom(...keys);
    const owner = fc.constantFrom('owner-1', 'owner-2', 'done:owner-1');
    const ms = fc.constantFrom('6', '20', '10000');
    const some = fc.uniqueArray(key, { minLength: 1 });
    const script = fc
      .tuple(fc.constantFrom(...Object.values(scripts)), some, ms, fc.array(owner, { minLength: 3, maxLength: 3 }))
      .map(([text, on, time, owners]) => ['eval', text, String(on.length), ...on, time, ...owners.slice(0, on.length)]);
    const single = fc.oneof(
      fc.tuple(fc.constant('set'), key, owner),
      fc.tuple(fc.constant('set'), key, owner, fc.constant('px'), fc.oneof(ms, fc.constantFrom('0', '-1', '1.5', 'x'))),
      fc.tuple(fc.constant('SET'), key, owner, fc.constant('NX'), fc.constant('PX'), ms),
      fc.tuple(fc.constant('set'), key, owner, fc.constantFrom('px', 'nx', 'odd', 'keepttl')),
      fc.constant(['set', 'a', 'v', 'keepttl', 'px', '6']),
      fc.constant(['set', 'a', 'v', 'px', '6', 'keepttl']),
      fc.tuple(fc.constantFrom('get', 'del', 'pexpiretime', 'set', 'pexpire', 'rpush'), key),
      fc.tuple(fc.constant('pexpire'), key, fc.oneof(ms, fc.constantFrom('0', '-7', '01', 'x'))),
      fc.tuple(fc.constant('del'), key, key),
      fc.tuple(fc.constant('rpush'), key, owner),
    );
    const command: fc.Arbitrary<Command> = fc.oneof({ weight: 4, arbitrary: script }, { weight: 1, arbitrary: single });
    return fc.record({ command, waitMs: fc.constantFrom(0, 0, 0, 4, 9, 25) });
  }

  it('in any sequence of claims, records, releases and single commands, while keys expire', async () => {
    let sequence = 0;
    let compared = 0;
    const plans = fc.sample(fc.array(stepOf(['a', 'b', 'c']), { minLength: 6, maxLength: 14 }), {
      numRuns: 120,
      seed: 20,
    });
    for (const plan of plans) {
      await client.flushall();
      sequence++;
      if (await agree(plan, ['a', 'b', 'c'])) compared++;
    }
    expect(compared).toBeGreaterThan(sequence / 2);
  }, 60_000);

  it.each(SCRIPTS)('to the script %j', async (text) => {
    const setUp: Command[] = [
      ['set', 's', 'text'],
      ['rpush', 'l', 'item'],
    ];
    const script = ['eval', text, '3', 's', 'l', 'n', 'first', '2'];
    await client.flushall();
    const { answers } = await ask([...setUp, script]);
    const model = new RedisServer(() => 0);
    expect([...setUp, script].map((command) => plain(model.command(command)))).toEqual(answers);
  });

  it('to a script with fewer keys than it counts, or no count', async () => {
    const commands = [
      ['eval', 'return 1', '2', 'a'],
      ['eval', 'return 1', 'x'],
    ];
    const model = new RedisServer(() => 0);
    const { answers } = await ask(commands);
    expect(commands.map((command) => plain(model.command(command)))).toEqual(answers);
  });

  it('in the millisecond in which a key expires: it still exists', async () => {
    const seen = { before: 0, at: 0, after: 0 };
    for (let round = 0; round < 200 && Object.values(seen).includes(0); round++) {
      const { answers: set, from, to } = await ask([['set', 'k', 'v', 'px', '3']]);
      expect(set).toEqual(['OK']);
      if (from !== to) continue;
      const expiresAt = from + 3;
      const looks = await Promise.all(Array.from({ length: 60 }, () => ask([['get', 'k']])));
      for (const { answers, from: since, to: until } of looks) {
        if (since !== until) continue;
        let now = from;
        const model = new RedisServer(() => now);
        model.command(['set', 'k', 'v', 'px', '3']);
        now = since;
        expect([plain(model.command(['get', 'k']))]).toEqual(answers);
        seen[now < expiresAt ? 'before' : now === expiresAt ? 'at' : 'after']++;
      }
    }
    expect(Object.values(seen)).not.toContain(0);
  }, 30_000);
});
