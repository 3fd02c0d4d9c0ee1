import { connect } from 'node:net';

/** The bytes of an HTTP POST, made before the clock starts. */
export function toRequest({ rawBody: body, headers }) {
  const all = { Host: 'localhost', 'Content-Type': 'application/json', ...headers, 'Content-Length': body.length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /webhooks HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

const CONTENT_LENGTH = /^content-length: (\d+)/im;

/** The length of the answer at the beginning of the text, or 0 while there is no whole one. */
function answerLength(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(`Not answered 200 but: ${text.slice(0, 80)}`);
  const length = head + 4 + Number(CONTENT_LENGTH.exec(text.slice(0, head))?.[1]);
  return text.length < length ? 0 : length;
}

/** Sends requests one after another over one connection until `next` gives no more. */
function worker(port, next) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let text = '';
    const send = () => {
      const request = next();
      if (request === undefined) socket.end();
      else socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      text += chunk;
      try {
        const length = answerLength(text);
        if (length === 0) return;
        text = text.slice(length);
        send();
      } catch (error) {
        socket.destroy(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', resolve);
  });
}

/**
 * Sends all requests over so many connections, each waiting for its answer, and gives the seconds that it took. It
 * stays awake the while: waking a process that sleeps costs whoever writes to it more than its whole request, so that
 * the faster server would pay for having to wait for more.
 */
export async function sendAll(port, requests, connections = 16) {
  let sent = 0;
  const next = () => requests[sent++];
  let awake = true;
  const spin = () => awake && setImmediate(spin);
  const start = performance.now();
  spin();
  await Promise.all(Array.from({ length: connections }, () => worker(port, next)));
  awake = false;
  return (performance.now() - start) / 1000;
}
