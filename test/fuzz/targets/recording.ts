import { constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../../devtools/src/cli/command-error.js';
import type { Output } from '../../../devtools/src/cli/output.js';
import { readRecording } from '../../../devtools/src/cli/recording.js';
import { openRecording } from '../../../devtools/src/cli/recording-writer.js';
import { type RecordedDelivery, readLine, recordingLine } from '../../../devtools/src/deliveries/recorded.js';
import { check, type Target } from '../target.js';
import { temporaryDirectory } from '../temporary.js';

const file = join(temporaryDirectory(), 'recording');
const LIMIT = 1024 * 1024;

const delivery: RecordedDelivery = {
  ...{ at: 1_700_000_000_123, method: 'POST', path: '/a', status: 200, verdict: 'accepted', authentic: true },
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from('[{"id":"\u00e9"}]'),
};
const line = recordingLine(delivery);

interface Reading {
  readonly deliveries: readonly RecordedDelivery[];
  readonly notes: readonly string[];
  readonly refusal?: string;
}

function noting() {
  const notes: string[] = [];
  return { notes, output: { note: (text: string) => void notes.push(text) } as unknown as Output };
}

/** Whether an error names the file; throws any other. */
function refusalOf(error: unknown): string {
  if (!(error instanceof CommandError)) throw error;
  check(error.message.includes(file), 'a refusal names the file');
  return error.message;
}

async function read(): Promise<Reading> {
  const { notes, output } = noting();
  const deliveries: RecordedDelivery[] = [];
  try {
    for await (const each of readRecording(file, output)) deliveries.push(each);
    return { deliveries, notes };
  } catch (error) {
    return { deliveries, notes, refusal: refusalOf(error) };
  }
}

/** The lines of a file by hand, without empty ones. */
const linesOf = (input: Buffer): readonly string[] =>
  input
    .toString('utf8')
    .split('\n')
    .map((each) => each.replace(/\r$/, ''))
    .filter((each) => each !== '');

/** Whether a line is the beginning of a delivery. */
function isIncomplete(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return text.startsWith('{"at":"') || '{"at":"'.startsWith(text);
  }
}

async function append(): Promise<{ readonly refusal?: string }> {
  try {
    const recording = await openRecording(file, { output: noting().output, limit: LIMIT });
    try {
      await recording.write(delivery);
    } finally {
      await recording.close();
    }
    return {};
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

/** The bytes of a recording. */
export const target: Target = {
  seeds: [
    line,
    `${line}\r\n${line}`,
    line.slice(0, -9),
    `${line}${line.slice(0, -1)}`,
    line.replace(',"authentic":true', ''),
    '{"at":"',
  ],
  dictionary: ['\n', '\r\n', line, ',"authentic":true}', '"bodyBase64":"', '=', 'null', '{}', '\xff'],
  mostBytes: 2048,
  async run(input) {
    writeFileSync(file, input, { mode: constants.S_IRUSR | constants.S_IWUSR });
    const before = await read();
    const lines = linesOf(input);
    const broken = lines.findIndex((text) => typeof readLine(text) === 'string' && !isIncomplete(text));
    const readable = broken < 0 ? lines : lines.slice(0, broken);
    const incomplete = readable.filter(isIncomplete).length;
    check(before.deliveries.length === readable.length - incomplete, 'every line before a broken one is a delivery');
    check((before.refusal !== undefined) === broken >= 0, 'a broken line is refused');
    check(before.notes.length === incomplete, 'incomplete lines are told');
    for (const each of before.deliveries) {
      const again = readLine(recordingLine(each));
      check(
        typeof again !== 'string' && recordingLine(again) === recordingLine(each),
        'a delivery is written as it was read',
      );
    }

    const { refusal } = await append();
    const after = readFileSync(file);
    if (refusal !== undefined) return check(after.equals(input), 'a refused file is left unchanged');
    check(after.subarray(0, input.length).equals(input), 'nothing is lost');
    check(after.toString('latin1').endsWith(`\n${line}`) || after.equals(Buffer.from(line)), 'the line is the last');
    const again = await read();
    if (again.refusal !== undefined) return check(before.refusal !== undefined, 'what could be read can be read still');
    check(again.deliveries.length === before.deliveries.length + 1, 'one delivery is added');
  },
};
