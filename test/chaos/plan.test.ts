import { describe, expect, it } from 'vitest';
import { isModeName, type Mode, modes } from './modes.js';
import { makePlan } from './plan.js';

const settings = { seed: 7, events: 60, spreadMs: 1500, kills: 4, faults: 12, misuses: 8 };

describe('what the chaos test plans', () => {
  const shape = (mode: Mode, seed: number) => {
    const { deliveries, sendings, faults, misuses } = makePlan(mode, { ...settings, seed });
    return {
      ids: deliveries.map(({ ids }) => ids),
      sendings: sendings.map(({ delivery, ...rest }) => ({ ...rest, delivery: delivery.name })),
      faults,
      misuses,
    };
  };

  it('follows from the seed alone', () => {
    expect(shape(modes.bullmq, 1)).toEqual(shape(modes.bullmq, 1));
    expect(shape(modes.bullmq, 1)).not.toEqual(shape(modes.bullmq, 2));
  });

  for (const name of Object.keys(modes).filter(isModeName)) {
    it(`${name}: has every kind of fault that the mode has, kills each of its servers, and has handlers end transactions if there are any`, () => {
      const mode: Mode = modes[name];
      const { faults, misuses } = makePlan(mode, settings);
      const others = mode.faults.filter((kind) => kind !== 'kill');
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(mode.faults));
      for (const kind of others) expect(faults.filter((fault) => fault.kind === kind).length).toBeGreaterThan(1);
      expect(faults.map(({ victim }) => victim)).toEqual(expect.arrayContaining([...mode.kills]));
      expect(faults.every(({ victim, index }) => victim !== 'receiver' || index < mode.receivers)).toBe(true);
      const pauses = faults.filter(({ kind }) => kind === 'pause');
      const handlers = Object.values(misuses).map(({ then }) => then);
      expect(new Set(handlers)).toEqual(new Set(mode.transactional ? ['throws', 'returns', 'dies'] : []));
      if (pauses.length > 2) expect(pauses.some(({ ms }) => ms > mode.holdMs)).toBe(true);
    });
  }
});
