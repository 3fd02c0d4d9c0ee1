import { describe, expect, it } from 'vitest';
import { LEASE_MS, Story } from './lease-story.js';
import type { Told } from './leases.js';

describe('the invariants of leases', () => {
  it('breaks if a run begins while another is within its lease', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.claim(story.two, 'y', 500);
    expect(await story.breaks()).toMatch(/^overtaken within its lease/);
  });

  it('holds if the clock of the server has ended the lease early', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.at(100, () => story.server.stepClock(LEASE_MS));
    story.claim(story.two, 'y', 500);
    expect(await story.breaks()).toBeUndefined();
  });

  it.each([
    [310, undefined],
    [315, /^began after its lease/],
  ])('lets a run begin %i ms after its claim: the handler has 700 of 1000 ms', async (ms, expected) => {
    const story = new Story();
    let told: Told | undefined;
    story.turn(story.one, 10, () => {
      told = story.ask(story.one, 'claim', 'x');
    });
    story.at(11, () => story.serve('claim', 'x', 'claimed'));
    story.turn(story.one, ms, () => {
      told?.answered(['claimed']);
      story.begin(story.one);
    });
    const broken = await story.breaks();
    if (expected) expect(broken).toMatch(expected);
    else expect(broken).toBeUndefined();
  });

  it('forgives what neither clock shows: sleep with a wall clock that is set back', async () => {
    const story = new Story();
    let told: Told | undefined;
    story.turn(story.one, 10, () => {
      told = story.ask(story.one, 'claim', 'x');
    });
    story.at(11, () => story.serve('claim', 'x', 'claimed'));
    story.at(12, () => {
      story.one.pause(2000, true);
      story.one.stepClock(-2000);
    });
    story.turn(story.one, 13, () => {
      told?.answered(['claimed']);
      story.begin(story.one);
    });
    expect(await story.breaks()).toBeUndefined();
  });

  it('breaks if a run begins without a claim', async () => {
    const story = new Story();
    story.turn(story.one, 10, () => void story.begin(story.one));
    expect(await story.breaks()).toMatch(/^began without a claim/);
  });

  it.each<[string, (story: Story) => void]>([
    ['nobody has claimed the key', () => {}],
    [
      'its lease is over',
      (story) => {
        story.claim(story.one, 'x', 10);
      },
    ],
    [
      'it was released',
      (story) => {
        const first = story.claim(story.one, 'x', 1500);
        story.turn(story.one, 1600, () => story.end(story.one, 'x', first, 'fails'));
      },
    ],
    [
      'it took effect',
      (story) => {
        const first = story.claim(story.one, 'x', 1500);
        story.turn(story.one, 1600, () => story.end(story.one, 'x', first, 'succeeds'));
      },
    ],
    [
      'its process has given it up',
      (story) => {
        const first = story.claim(story.one, 'x', 1500);
        story.turn(story.one, 1600, () => story.end(story.one, 'x', first, 'forgets'));
      },
    ],
  ])('breaks if a claim is refused although %s', async (_, before) => {
    const story = new Story();
    before(story);
    story.claim(story.two, 'y', 1700, 'in-progress');
    expect(await story.breaks()).toMatch(/^stuck key/);
  });

  it('holds if a claim is refused while another has the key', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.claim(story.two, 'y', 500, 'in-progress');
    expect(await story.breaks()).toBeUndefined();
  });

  it('breaks if a claim that the client repeats is refused', async () => {
    const story = new Story();
    story.turn(story.one, 10, () => void story.ask(story.one, 'claim', 'x'));
    story.at(11, () => story.serve('claim', 'x', 'claimed'));
    story.at(12, () => story.serve('claim', 'x', 'in-progress'));
    expect(await story.breaks()).toMatch(/^stuck key: .* to the owner that has it/);
  });

  it('breaks if a run that was overtaken is recorded over the one that has the key', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.claim(story.two, 'y', 1050);
    story.turn(story.one, 1100, () => {
      story.ask(story.one, 'complete', 'x');
      story.at(1, () => story.serve('complete', 'x', 'recorded'));
    });
    expect(await story.breaks()).toMatch(/^record of another/);
  });

  it('breaks if a record is refused although nobody else has the key', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.turn(story.one, 100, () => {
      story.ask(story.one, 'complete', 'x');
      story.at(1, () => story.serve('complete', 'x', 'taken'));
    });
    expect(await story.breaks()).toMatch(/^record refused/);
  });

  it('breaks if an event is acknowledged without a record', async () => {
    const story = new Story();
    story.turn(story.one, 10, () => story.acknowledge());
    expect(await story.breaks()).toMatch(/^acknowledged without a record/);
  });

  it.each([
    [1n, 1n, 2n, 2n, undefined],
    [2n, 2n, 1n, 1n, /^fencing token did not grow/],
    [1n, 2n, 3n, 3n, /^fencing token did not grow/],
  ])(
    'compares the tokens of claims and runs: %s as %s, then %s as %s',
    async (first, asFirst, second, asSecond, expected) => {
      const story = new Story();
      const run = story.claim(story.one, 'x', 10, first, asFirst);
      story.turn(story.one, 100, () => story.end(story.one, 'x', run, 'fails'));
      story.claim(story.two, 'y', 300, second, asSecond);
      const broken = await story.breaks();
      if (expected) expect(broken).toMatch(expected);
      else expect(broken).toBeUndefined();
    },
  );

  it('lets a run begin after one that got the key later, with its smaller token', async () => {
    const story = new Story();
    let told: Told | undefined;
    story.turn(story.one, 10, () => {
      told = story.ask(story.one, 'claim', 'x');
      story.at(1, () => story.serve('claim', 'x', 1n));
    });
    story.at(12, () => story.server.stepClock(LEASE_MS));
    story.claim(story.two, 'y', 20, 2n, 2n);
    story.turn(story.one, 30, () => {
      told?.answered([1n]);
      story.begin(story.one, 1n);
    });
    expect(await story.breaks()).toBeUndefined();
  });

  it('lets a lease be taken over that was over before the clock of the server was set back', async () => {
    const story = new Story();
    story.claim(story.one, 'x', 10);
    story.at(10 + LEASE_MS + 100, () => {});
    story.at(10 + LEASE_MS + 200, () => story.server.stepClock(-LEASE_MS));
    story.claim(story.two, 'y', 10 + LEASE_MS + 300);
    expect(await story.breaks()).toBeUndefined();
  });
});
