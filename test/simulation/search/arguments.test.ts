import { describe, expect, it } from 'vitest';
import { UsageError } from '../../fixtures/arguments.js';
import { readArguments } from './arguments.js';

const names = { worlds: ['redis', 'memory'], smallWorlds: ['leases'], defects: ['early drain'] };
const read = (...args: string[]) => readArguments(args, names);

describe('the arguments of simulate', () => {
  it('have defaults', () => {
    expect(read()).toMatchObject({ worlds: names.worlds, seed: 1, seeds: 10_000, failures: 1, isExhaustive: false });
    expect(read('--exhaustive').worlds).toEqual(names.smallWorlds);
  });

  it('choose worlds, seeds and a defect', () => {
    const chosen = read('--world', 'redis', '--seeds', '7', '--seed', '3', '--defect', 'early drain', '--workers', '2');
    expect(chosen).toMatchObject({ worlds: ['redis'], seeds: 7, seed: 3, defect: 'early drain', workers: 2 });
  });

  it('play a world once that is named twice', () => {
    expect(read('--world', 'redis', '--world', 'redis').worlds).toEqual(['redis']);
  });

  it.each([
    [['--sedes', '1'], "Unknown option '--sedes'"],
    [['redis'], 'Unexpected argument'],
    [['--world', 'leases'], '--world must be one of redis, memory; got "leases"'],
    [['--exhaustive', '--world', 'redis'], '--world must be one of leases'],
    [['--defect', 'x'], '--defect must be one of early drain'],
    [['--seeds', '0'], '--seeds must be a whole number from 1'],
    [['--seeds', '1e3'], '--seeds must be a whole number'],
    [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295'],
    [['--seed', '4294967295', '--seeds', '2'], '--seeds must be a whole number from 1 to 1'],
    [['--depth', '3'], '--depth needs --exhaustive'],
    [['--replay', 'f', '--seed', '1'], '--seed has no meaning with --replay'],
    [['--exhaustive', '--seeds', '1'], '--seeds has no meaning with --exhaustive'],
  ])('%j are refused', (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
