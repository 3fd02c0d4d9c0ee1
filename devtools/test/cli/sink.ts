import { Writable } from 'node:stream';

/** A stream that passes on what is written as text, with the properties of a terminal if they are given. */
export const sink = <More extends object>(add: (text: string) => void, more = {} as More) =>
  Object.assign(
    new Writable({
      write(chunk, _, done) {
        add(String(chunk));
        done();
      },
    }),
    more,
  );

/** Two streams, and the texts that were written to them. */
export function sinks<More extends object>(more?: More) {
  const texts = { stdout: '', stderr: '' };
  const to = (name: keyof typeof texts) =>
    sink((text) => {
      texts[name] += text;
    }, more);
  return { texts, stdout: to('stdout'), stderr: to('stderr') };
}
