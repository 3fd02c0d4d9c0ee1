import { describe, expect, it } from 'vitest';
import { PostgresServer, type Session } from './postgres/server.js';

/** A server whose time the test sets, with a table of one row. */
function open(version = 18) {
  let now = 1e12;
  const server = new PostgresServer(() => now, { version });
  const told: string[] = [];
  const connect = (name: string): Session => {
    const session = server.connect();
    session.onTerminate(({ code }) => told.push(`${name} ended ${code}`));
    return session;
  };
  const sessions = { a: connect('a'), b: connect('b') };
  const say = (name: 'a' | 'b', text: string) => {
    sessions[name].query(text, (error, results) => {
      told.push(`${name} ${error ? `${error.severity} ${error.code}` : results.map(({ command }) => command).join()}`);
    });
  };
  say('a', `CREATE TABLE t (id text PRIMARY KEY, n int); INSERT INTO t VALUES ('x', 1), ('y', 1)`);
  told.length = 0;
  /** Lets time pass until the server has something to do. Returns how long that took, in ms. */
  const pass = () => {
    const passed = (server.nextWake() ?? Number.POSITIVE_INFINITY) - now;
    if (Number.isFinite(passed)) now += passed;
    server.wake();
    return passed;
  };
  return { server, sessions, say, told, pass };
}

describe('the time limits of the model of Postgres', () => {
  it('end a transaction that is idle', () => {
    const { say, told, pass, server } = open();
    say('a', `SET idle_in_transaction_session_timeout = '2s'; BEGIN; UPDATE t SET n = 2`);
    say('b', 'UPDATE t SET n = 3');
    // It looks for a deadlock first.
    expect([pass(), pass()]).toEqual([1000, 1000]);
    expect(told).toEqual(['a SET,BEGIN,UPDATE', 'a ended 25P03', 'b UPDATE']);
    expect(server.table('t')).toEqual([
      { id: 'x', n: 3 },
      { id: 'y', n: 3 },
    ]);
    expect(server.nextWake()).toBe(undefined);
  });

  it('end a transaction that has lasted too long, though it is not idle', () => {
    const { say, told, pass } = open();
    say('a', `BEGIN; SELECT set_config('transaction_timeout', '300', true)`);
    say('a', 'SELECT pg_sleep(60)');
    expect(pass()).toBe(300);
    expect(told).toEqual(['a BEGIN,SELECT', 'a FATAL 25P04', 'a ended 25P04']);
  });

  it('are forgotten with the transaction', () => {
    const { say, server } = open();
    for (const end of ['COMMIT', 'ROLLBACK', 'SELECT 1/0']) {
      say('a', `BEGIN; SELECT set_config('transaction_timeout', '300', true)`);
      expect(server.nextWake()).toBe(1e12 + 300);
      say('a', end);
      expect(server.nextWake()).toBe(undefined);
      say('a', 'ROLLBACK');
    }
  });

  it('have no transaction_timeout before version 17', () => {
    const { say, told } = open(16);
    say('a', `SELECT current_setting('transaction_timeout', true)`);
    say('a', `SELECT current_setting('transaction_timeout')`);
    expect(told).toEqual(['a SELECT', 'a ERROR 42704']);
  });

  it('give up a statement that waits, and wake one that sleeps', () => {
    const { say, told, pass } = open();
    say('a', 'BEGIN; UPDATE t SET n = 2');
    say('b', 'SET lock_timeout = 100');
    say('b', 'UPDATE t SET n = 3');
    expect(pass()).toBe(100);
    say('b', 'SET statement_timeout = 50');
    say('b', 'UPDATE t SET n = 3');
    expect(pass()).toBe(50);
    say('b', 'SET statement_timeout = 0');
    say('b', 'SELECT pg_sleep(0.5)');
    expect(pass()).toBe(500);
    expect(told).toEqual(['a BEGIN,UPDATE', 'b SET', 'b ERROR 55P03', 'b SET', 'b ERROR 57014', 'b SET', 'b SELECT']);
  });
});

describe('the model of Postgres', () => {
  it('fails the session that looks for a deadlock first', () => {
    const { say, told, pass } = open();
    say('a', `BEGIN; UPDATE t SET n = 2 WHERE id = 'x'`);
    say('b', `BEGIN; UPDATE t SET n = 2 WHERE id = 'y'`);
    say('a', `UPDATE t SET n = 2 WHERE id = 'y'`);
    say('b', `UPDATE t SET n = 2 WHERE id = 'x'`);
    expect(pass()).toBe(1000);
    expect(told.slice(2)).toEqual(['a ERROR 40P01', 'b UPDATE']);
  });

  it('never answers after the client is gone, and finishes what it was running', () => {
    const { say, told, sessions, server } = open();
    say('a', 'BEGIN; UPDATE t SET n = 2');
    say('b', 'UPDATE t SET n = n + 10');
    sessions.b.end();
    say('b', 'SELECT 1');
    sessions.a.end();
    expect(told).toEqual(['a BEGIN,UPDATE']);
    expect(server.table('t')).toEqual([
      { id: 'x', n: 11 },
      { id: 'y', n: 11 },
    ]);
  });

  it.each(['MERGE INTO t', 'SELECT nonsense(1)', 'SELECT 1 FROM t LEFT JOIN t ON true', 'LISTEN x', 'SELECT $1'])(
    'names what it does not know: %s',
    (text) => {
      const { say } = open();
      expect(() => say('a', text)).toThrow('The Postgres model does not know');
    },
  );
});
