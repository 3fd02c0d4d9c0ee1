import { expect, it } from 'vitest';
import { fullUrl, readUrl } from '../../src/cli/urls.js';

it.each([
  ['3000', 'http://localhost:3000'],
  ['3000/hooks?a=b', 'http://localhost:3000/hooks?a=b'],
  [':3000', 'http://localhost:3000'],
  [':3000/hooks', 'http://localhost:3000/hooks'],
  ['localhost', 'http://localhost'],
  ['localhost:3000/webhooks', 'http://localhost:3000/webhooks'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['[::1]:8080/x', 'http://[::1]:8080/x'],
  ['shop.localhost/x', 'http://shop.localhost/x'],
])('takes %s for a URL of this machine', (text, url) => {
  expect(fullUrl(text)).toBe(url);
  expect(readUrl(text, 'It').href).toBe(new URL(url).href);
});

it.each([
  ...['http://localhost:3000/x', 'https://shop.example', 'shop.example', 'shop.example:3000/x', '300000', ''],
  ...['whsec-123', 'localhost@shop.example', 'a:b'],
])('leaves %s as it is', (text) => {
  expect(fullUrl(text)).toBe(text);
});

it.each(['99999', 'shop.example:3000', 'localhost@shop.example', 'whsec-123', ''])('does not read %s', (text) => {
  expect(() => readUrl(text, 'The receiver')).toThrow(
    /^The receiver must be an absolute http or https URL, such as http:.*, or a port of this machine, such as 3000\.$/,
  );
});
