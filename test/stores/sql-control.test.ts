import { describe, expect, it } from 'vitest';
import { isControl } from '../../src/stores/sql-control.js';

describe('a statement that ends the transaction', () => {
  it.each([
    'commit',
    ' COMMIT AND CHAIN',
    'end',
    'Abort',
    'begin',
    'start transaction',
    "prepare transaction 'x'",
    'rollback',
    'rollback work',
    ';commit',
    'select 1; commit',
    '-- why\ncommit',
    '/* why */ commit',
    '/* /* */ why */ commit',
    "/* it's */ commit",
    "select 'it''s'; commit",
    "select E'\\'; '; commit",
    "select E'a''\\\\'; commit",
    `select 'a\\'; commit`,
    'select "a;b"; commit',
    'select $$a$$; commit',
    'select $a$ $$; $a$; commit',
    "select 'begin atomic'; commit",
    'commit; create function f() returns int begin atomic select 1; end',
  ])('is found in %j', (text) => expect(isControl(text)).toBe(true));

  it.each([
    '',
    'select 1',
    'rollback to savepoint a',
    'rollback work to a',
    'savepoint a; release a',
    'prepare p as select 1',
    'select 1 as commit',
    'select case when true then 1 end',
    "select 'a; commit'",
    "select E'\\'; commit'",
    "select 'it''s; commit'",
    'select "a"";commit"',
    '-- ; commit',
    '/* ; commit',
    '/* /* */ ; commit */ select 1',
    'select $$; commit $$',
    'do $a$ begin $$; commit; end $a$',
    'create function f() returns int begin atomic select 1; end',
    "select '; commit",
  ])('is not found in %j', (text) => expect(isControl(text)).toBe(false));

  it('is looked for in a text of some MiB as well', () => {
    for (const unit of ["'", "E'\\'", '/*', '$a$', ';', '"', '--', 'begin ']) {
      expect(isControl(`${`select ${unit}`.repeat(500_000)} x commit`), unit).toBe(false);
    }
  });
});
