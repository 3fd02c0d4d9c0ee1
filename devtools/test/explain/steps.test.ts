import { describe, expect, it } from 'vitest';
import { frames, repeated, steps, units } from './counting/steps.js';

describe('each step of explainFailure', () => {
  it.each([...steps])('takes any text: %s', (_, prepare) => {
    for (const unit of units) {
      for (const frame of frames)
        for (const times of [0, 1, 2, 7]) expect(prepare(repeated(frame, unit, times))).not.toThrow(RangeError);
    }
  });
});
