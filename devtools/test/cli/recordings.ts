import type { Output } from '../../src/cli/output.js';
import { readRecording } from '../../src/cli/recording.js';
import type { RecordedDelivery } from '../../src/deliveries/recorded.js';

export const LIMIT = 64 * 1024 * 1024;

/** An output that keeps what it is told. */
export function noting() {
  const notes: string[] = [];
  return { notes, output: { note: (message: string) => void notes.push(message) } as unknown as Output };
}

/** Every delivery of a recording, without its number. */
export async function readAll(file: string, output = noting().output): Promise<RecordedDelivery[]> {
  const found: RecordedDelivery[] = [];
  for await (const { number: _, ...delivery } of readRecording(file, output)) found.push(delivery);
  return found;
}

export const delivery: RecordedDelivery = {
  at: 1_700_000_000_123,
  method: 'POST',
  path: '/webhooks?a=1',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-Twice', 'one'],
    ['x-twice', 'two'],
  ],
  body: Buffer.from('[{"id":"\u00e9"}]'),
  status: 200,
  verdict: 'accepted',
};
