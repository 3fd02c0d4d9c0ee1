import { describe, expect, it } from 'vitest';
import { answerText } from '../../src/deliveries/answer-text.js';
import { responseOf } from './answers.js';

const lines = (body: string) => answerText(responseOf(body), (text) => text).lines;

describe('answerText', () => {
  it.each([
    ['plain text: its first line', '\n No such user \nat x', ['No such user']],
    [
      'Fastify',
      '{"statusCode":500,"code":"X","error":"Internal Server Error","message":"No database"}',
      ['No database', 'Internal Server Error', 'X'],
    ],
    [
      'NestJS with several messages',
      '{"message":["a is wrong","b is wrong"],"error":"Bad Request"}',
      ['a is wrong', 'b is wrong', 'Bad Request'],
    ],
    ['a nested error', '{"error":{"message":"No database"}}', ['No database']],
    ['an error nested too deeply', '{"error":{"error":{"error":{"message":"x"}}}}', []],
    ['lists nested too deeply', '{"error":[[[["x"]]]]}', []],
    ['JSON that is no error', '{"ok":false}', []],
    ['a JSON text', '"No database"', ['No database']],
    ['a JSON number', '7', []],
    ['nothing', '', []],
    [
      'the error page of Express',
      '<!DOCTYPE html>\n<html lang="en"><head>\n<title>Error</title>\n</head>\n<body>\n<pre>TypeError: a &lt; b &amp;&#39;&#x41;&apos;&nope;&#x110000;<br> &nbsp; &nbsp;at f (x.js:1:2)</pre></body></html>',
      ["TypeError: a < b &'A'&nope;&#x110000;", 'Error'],
    ],
    [
      'the error page of Next.js',
      '<!DOCTYPE html><html><head><title>500: Internal Server Error</title></head><script id="__NEXT_DATA__" type="application/json">{"page":"/_error","err":{"name":"Error","message":"No database"}}</script></html>',
      ['No database', '500: Internal Server Error'],
    ],
    [
      'a page of a proxy',
      '<html>\n<head><title>502 Bad Gateway</title></head><body><center><h1>502 <b>Bad</b> Gateway</h1></center>',
      ['502 Bad Gateway', '502 Bad Gateway'],
    ],
    ['a page that was cut', '<html><title>Nothing here', ['Nothing here']],
    ['a page with other data of Next.js', '<html><script id="__NEXT_DATA__">[1]</script><title>Oops</title>', ['Oops']],
  ])('reads %s', (_, body, expected) => {
    expect(lines(body)).toEqual(expected);
  });

  it('shows no control characters and no more than 300 characters of a line', () => {
    const [line = ''] = lines(`<html><title>\u001b[31m\u202e&#27;[0m&#0;${'x'.repeat(10_000)}</title>`);
    expect(line).toHaveLength(300);
    expect(line).not.toMatch(/\p{C}/u);
  });

  it('takes a time proportional to the size', () => {
    for (const piece of ['<', '<pre', '<title>', '&#', '</', '<br', '[', '{"message":']) {
      const body = `<html><pre>${piece.repeat(16_000 / piece.length)}`;
      // The fastest of some runs: what else the machine does makes the others slower.
      const times = Array.from({ length: 5 }, () => {
        const start = performance.now();
        answerText(responseOf(body), (text) => text);
        return performance.now() - start;
      });
      expect(Math.min(...times)).toBeLessThan(200);
    }
  });
});
