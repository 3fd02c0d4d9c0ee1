import { describe, expect, test } from 'vitest';
import { fc } from '../../../../test/fixtures/property.js';
import { editBody } from '../../../src/cli/edit/edit-body.js';
import { pathText, readEdits } from '../../../src/cli/edit/read-edits.js';

const edited = (body: string | Uint8Array, options: { set?: string[]; remove?: string[] }) =>
  Buffer.from(editBody(Buffer.from(body), readEdits(options))).toString();

describe('a path', () => {
  test.each<[string, (string | number)[]]>([
    ['data', ['data']],
    ['data.event.name', ['data', 'event', 'name']],
    ['[0].data.inputs[12]', [0, 'data', 'inputs', 12]],
    ['a[1][2]', ['a', 1, 2]],
    ['__proto__.constructor', ['__proto__', 'constructor']],
    ['a.5', ['a', '5']],
    ['a-b.é', ['a-b', 'é']],
  ])('%s', (text, path) => {
    expect(readEdits({ remove: [text] })).toEqual([{ path, json: undefined }]);
    expect(readEdits({ set: [`${text}=x`] })).toEqual([{ path, json: '"x"' }]);
    expect(pathText(path)).toBe(text);
  });

  test.each(['', '=', '.a', 'a.', 'a..b', '[', '[x]', 'a[1', '["a"]', 'a["x]', 'a b', 'a]', '["a"]b', '[-1]', "['a']"])(
    'is not %j',
    (text) => {
      expect(() => readEdits({ set: [`${text}=1`] })).toThrow('--set must be PATH=VALUE');
      expect(() => readEdits({ remove: [text] })).toThrow('--remove must be a path');
    },
  );
});

describe('editBody', () => {
  const body =
    '[ {"id":"a" , "n": 12345678901234567890.10, "data":{"x":[1,2 ,3],"y":{}}},\n{"id":"b","n":1e400,"data":{"x":[],"y":{"z":null}}} ]\n';

  test('leaves the bytes alone without edits', () => {
    const bytes = Buffer.from([0xff]);
    expect(editBody(bytes, [])).toBe(bytes);
  });

  test('changes a value of every event, and no other byte', () => {
    expect(edited(body, { set: ['id=c'] })).toBe(body.replace('"a"', '"c"').replace('"b"', '"c"'));
  });

  test.each<[string, { set?: string[]; remove?: string[] }, [string, string][]]>([
    ['a value of one event', { set: ['[1].id=c'] }, [['"b"', '"c"']]],
    ['a value to any JSON as it is written', { set: ['[0].id={"a": 1.0}'] }, [['"a"', '{"a": 1.0}']]],
    [
      'a number to more digits than JavaScript has',
      { set: ['[1].n=123456789012345678901234567890'] },
      [['1e400', '123456789012345678901234567890']],
    ],
    ['a value to text that looks like a number', { set: ['[0].id="5"'] }, [['"a"', '"5"']]],
    ['a value to an empty text', { set: ['[0].id='] }, [['"a"', '""']]],
    ['a value to text with an equals sign', { set: ['[0].id=a=b'] }, [['"a"', '"a=b"']]],
    ['a whole event', { set: ['[1]=null'] }, [['{"id":"b","n":1e400,"data":{"x":[],"y":{"z":null}}}', 'null']]],
    ['an element', { set: ['[0].data.x[1]=two'] }, [['2 ,', '"two" ,']]],
    ['a new key', { set: ['[1].data.y.w=1'] }, [['"z":null}', '"z":null,"w":1}']]],
    ['a new key of an empty object', { set: ['[0].data.y.__proto__=1'] }, [['"y":{}', '"y":{"__proto__":1}']]],
    ['nothing more than a key that is removed', { remove: ['[1].n'] }, [['"n":1e400,', '']]],
    ['nothing more than a first element', { remove: ['[0].data.x[0]'] }, [['1,2 ,3', '2,3']]],
    ['nothing more than the only key', { remove: ['[1].data.y.z'] }, [['"z":null', '']]],
    ['an event', { remove: ['[0]'] }, [[body.slice(2, body.indexOf('\n') + 1), '']]],
    [
      'values in order, and removes afterwards',
      { set: ['[0].new=1', '[0].new=2'], remove: ['[0].id'] },
      [
        ['"id":"a" , ', ''],
        ['12345678901234567890.10, "data"', '12345678901234567890.10,"data"'],
        ['"y":{}}}', '"y":{}},"new":2}'],
      ],
    ],
  ])('changes %s', (_, options, changes) => {
    const expected = changes.reduce((text, [from, to]) => text.replace(from, to), body);
    expect(edited(body, options)).toBe(expected);
  });

  test.each<[string, { set?: string[]; remove?: string[] }, string]>([
    ['x', { set: ['a=1'] }, 'need a body that is JSON'],
    ['\ufeff[]', { set: ['[0]=1'] }, 'need a body that is JSON'],
    [body, { remove: ['data.y.z'] }, 'The body has no [0].data.y.z. Paths that start with [0] apply to one event'],
    [body, { set: ['data.w.z=1'] }, 'The body has no [0].data.w.'],
    [body, { set: ['[0].data.x[3]=4'] }, 'The body has no [0].data.x[3].'],
    [body, { set: ['[1].data.x[0]=1'] }, 'The body has no [1].data.x[0].'],
    [body, { remove: ['[7].id'] }, 'The body has no [7].'],
    [body, { set: ['id.x=1'] }, '[0].id is not an object.'],
    [body, { set: ['data[0]=1'] }, '[0].data is not an array.'],
    ['{}', { set: ['[0].a=1'] }, 'The body is not an array.'],
    ['5', { set: ['a=1'] }, 'The body is not an object.'],
  ])('%#: says what the body lacks', (text, options, message) => {
    expect(() => edited(text, options)).toThrow(
      expect.objectContaining({ code: 'ERR_CLI_INPUT', message: expect.stringContaining(message) }),
    );
  });

  test('refuses bytes that are not UTF-8', () => {
    expect(() => edited(Buffer.from([0x22, 0xff, 0x22]), { set: ['a=1'] })).toThrow('need a body that is JSON');
  });

  test('gives what setting the value in JavaScript gives, for any JSON', () => {
    const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), json), { minLength: 1 }),
        fc.stringMatching(/^[^.[\]"=\s]+$/),
        json,
        fc.boolean(),
        (events, key, value, spaced) => {
          const text = spaced ? JSON.stringify(events, null, ' ') : JSON.stringify(events);
          const path = pathText([key]);
          const set = JSON.parse(edited(text, { set: [`${path}=${JSON.stringify(value)}`] }));
          const without = (event: object) => Object.fromEntries(Object.entries(event).filter(([each]) => each !== key));
          expect(set.map(without)).toEqual(JSON.parse(text).map(without));
          for (const event of set)
            expect(Object.getOwnPropertyDescriptor(event, key)?.value).toEqual(JSON.parse(JSON.stringify(value)));
          expect(JSON.parse(edited(JSON.stringify(set), { remove: [path] }))).toEqual(set.map(without));
        },
      ),
    );
  });

  test('takes nesting without end and a long body', { timeout: 20_000 }, () => {
    const deep = `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"b":1}]`;
    expect(edited(deep, { set: ['b=2'] })).toBe(deep.replace('1}]', '2}]'));
    const long = `[${Array.from({ length: 100_000 }, (_, at) => `{"id":${at}}`).join(',')}]`;
    expect(JSON.parse(edited(long, { set: ['x=1'] }))).toHaveLength(100_000);
  });
});
