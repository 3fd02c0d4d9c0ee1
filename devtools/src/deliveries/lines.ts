const NEWLINE = 10;

/** A line of a recording. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Its bytes without the newline; undefined once it is known to be too long. */
  readonly bytes: Buffer | undefined;
  /** Whether a newline follows. */
  readonly ended: boolean;
}

/** Splits chunks into lines. At most `most` bytes of a line are in memory. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let [number, length] = [1, 0];

  function* add(part: Buffer, ended: boolean): Generator<Line> {
    const wasTooLong = length > most;
    length += part.length;
    if (length <= most) parts.push(part);
    else if (!wasTooLong) yield { number, bytes: undefined, ended };
    if (!ended) return;
    if (length <= most) yield { number, bytes: Buffer.concat(parts), ended };
    number++;
    parts = [];
    length = 0;
  }

  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield* add(chunk.subarray(from, end), true);
      from = end + 1;
    }
    yield* add(chunk.subarray(from), false);
  }
  if (length > 0 && length <= most) yield { number, bytes: Buffer.concat(parts), ended: false };
}
