import { describe, expect, it } from 'vitest';
import { ReplayError, readReplay, warningFor, writeReplay } from './replay-file.js';

const known = { worlds: ['redis', 'memory'], defects: ['early drain'] };
const replay = { world: 'redis', defect: 'early drain', subject: 'abc', tape: [0, 3, 1] };
const text = (changes: object) => JSON.stringify({ format: 1, ...replay, ...changes });

describe('a replay file', () => {
  it('is read as it was written', () => {
    expect(readReplay(writeReplay(replay), known)).toEqual(replay);
    const { defect: _, ...withoutDefect } = replay;
    expect(readReplay(writeReplay(withoutDefect), known)).toEqual({ ...withoutDefect, defect: undefined });
  });

  it.each([
    ['of another format', text({ format: 2 }), 'has format 2; this program plays format 1'],
    ['without a format', text({ format: undefined }), 'names no format'],
    ['that is not JSON', '{"format": 1', 'is not JSON'],
    ['that is no object', '[]', 'must be a JSON object'],
    ['of an unknown world', text({ world: 'moon' }), 'has the unknown world "moon". Known: redis, memory.'],
    ['without a world', text({ world: undefined }), 'names no world'],
    ['of an unknown defect', text({ defect: 'none' }), 'has the unknown defect "none". Known: early drain.'],
    ['with an unknown field', text({ seed: 1 }), 'has an unknown field, "seed"'],
    ['without a hash', text({ subject: undefined }), 'needs `subject`'],
    ['with a choice below 0', text({ tape: [0, -1] }), 'needs `tape`'],
    ['with a fraction as a choice', text({ tape: [0.5] }), 'needs `tape`'],
    ['without a tape', text({ tape: undefined }), 'needs `tape`'],
  ])('%s is refused by name', (_, content, message) => {
    expect(() => readReplay(content, known)).toThrow(ReplayError);
    expect(() => readReplay(content, known)).toThrow(message);
  });

  it('of other code is played with a warning', () => {
    expect(warningFor(replay, 'abc')).toBeUndefined();
    expect(warningFor(replay, 'def')).toContain('other code (abc, now def)');
  });
});
