import { describe, expect, it } from 'vitest';
import { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import type { LeaseCall, Told } from './lease-claims.js';
import { Leases } from './leases.js';
import { Ledger, type Run } from './ledger.js';

const KEY = 'event.emitted:a';
const LEASE_MS = 1000;
const TIMEOUT_MS = 400;

/** Two replicas whose story a test tells: what they ask, what the server does, and what they are told. */
class Story {
  readonly world = new World(Choices.ofTape([]));
  readonly ledger = new Ledger(this.world);
  readonly server = this.world.server('store');
  readonly one = this.#start('one');
  readonly two = this.#start('two');
  readonly #leases = new Leases(this.world, this.ledger, {
    leaseMs: LEASE_MS,
    timeoutMs: TIMEOUT_MS,
    handlerMs: 700,
    server: this.server,
    pausesInSilence: false,
  });

  #start(name: string): Process {
    const process = this.world.process(name);
    process.start(() => {});
    return process;
  }

  at(ms: number, act: () => void): this {
    this.world.after(ms, act);
    return this;
  }

  /** A turn of a process. */
  turn(process: Process, ms: number, act: () => void): this {
    return this.at(ms, () => process.turn(process.life, act));
  }

  ask(process: Process, call: LeaseCall, owner: string): Told {
    return this.#leases.asked(process, call, [KEY], [owner]);
  }

  serve(call: LeaseCall, owner: string, word: unknown): void {
    this.#leases.served(call, KEY, owner, word);
  }

  begin(process: Process, token?: bigint): Run {
    const run = this.ledger.begin(process, 'a', KEY);
    this.#leases.began(run, token);
    return run;
  }

  acknowledge(): void {
    this.#leases.acknowledged([KEY]);
  }

  /** A claim that is asked for at `ms`, granted 1 ms and told 2 ms later. Then its handler begins. */
  claim(process: Process, owner: string, ms: number, word: unknown = 'claimed', token?: bigint): { run?: Run } {
    const result: { run?: Run } = {};
    let told: Told | undefined;
    this.turn(process, ms, () => {
      told = this.ask(process, 'claim', owner);
    });
    this.at(ms + 1, () => this.serve('claim', owner, word));
    this.turn(process, ms + 2, () => {
      told?.answered([word]);
      if (word === 'claimed' || typeof word === 'bigint') result.run = this.begin(process, token);
    });
    return result;
  }

  /** Its event takes effect and its handler ends. What is asked then arrives 1 ms later, unless it is lost. */
  end(process: Process, owner: string, { run }: { run?: Run }, how: End): void {
    if (run === undefined) throw new Error('It has not begun.');
    this.ledger.effect(run);
    this.ledger.end(run, how === 'fails' ? 'rejected' : 'resolved');
    if (how === 'forgets') return;
    const call = how === 'succeeds' || how === 'its record is lost' ? 'complete' : 'release';
    const told = this.ask(process, call, owner);
    if (how === 'its record is lost') return;
    this.at(1, () => this.serve(call, owner, call === 'complete' ? 'recorded' : 'released'));
    this.turn(process, 2, () => told.answered(['recorded']));
  }

  /** The invariant that breaks, and what broke it. */
  async breaks(): Promise<string | undefined> {
    try {
      await this.world.run();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

type End = 'succeeds' | 'fails' | 'its record is lost' | 'forgets' | 'is released';

/** A first run that ends as told at 100 ms, and what a second one does from `againAt` on. */
function twice(how: End, againAt: number, between: (story: Story) => void = () => {}): Story {
  const story = new Story();
  const { one, two } = story;
  const first = story.claim(one, 'x', 10);
  story.turn(one, 100, () => story.end(one, 'x', first, how));
  between(story);
  const second = story.claim(two, 'y', againAt);
  story.turn(two, againAt + 50, () => story.end(two, 'y', second, 'succeeds'));
  return story;
}

describe('effect twice without a cause', () => {
  const name = 'effect twice without a cause';

  it.each<[string, () => Story]>([
    ['the handler failed after its effect', () => twice('fails', 300)],
    [
      'the process died before its record',
      () => twice('its record is lost', 1200, ({ one, world }) => world.after(101, () => one.crash())),
    ],
    [
      'the record is lost, and the next try is not due yet',
      () => twice('its record is lost', 1200, (story) => story.at(101, () => story.one.pause(1200))),
    ],
    [
      'every try of the record was lost',
      () =>
        twice('its record is lost', 1200, (story) => {
          for (const ms of [525, 975]) story.turn(story.one, ms, () => void story.ask(story.one, 'complete', 'x'));
        }),
    ],
    [
      'the clock of the server was set forward, and the record is on its way',
      () => twice('its record is lost', 110, (story) => story.at(105, () => story.server.stepClock(LEASE_MS))),
    ],
  ])('holds if %s', async (_, tell) => {
    expect(await tell().breaks()).toBeUndefined();
  });

  it.each<[string, string, () => Story]>([
    ['the server had recorded it', 'the server had recorded it', () => twice('succeeds', 1200)],
    ['its lease was not over', 'its lease was not over', () => twice('its record is lost', 300)],
    ['the server released a run that did not fail', 'it was released although', () => twice('is released', 300)],
    ['the record was not tried again', 'its record was not tried again', () => twice('its record is lost', 1200)],
    [
      'the record was tried late',
      'its record was tried late',
      () =>
        twice(
          'its record is lost',
          1200,
          (story) => void story.turn(story.one, 800, () => story.ask(story.one, 'complete', 'x')),
        ),
    ],
    [
      'a process died that had nothing to do with it',
      'its lease was not over',
      () =>
        twice('its record is lost', 300, ({ two, world }) =>
          world.after(20, () => {
            two.crash();
            two.start(() => {});
          }),
        ),
    ],
  ])('breaks if %s', async (_, why, tell) => {
    expect(await tell().breaks()).toMatch(new RegExp(`^${name}: .*${why}`));
  });

  it('holds for a handler that outlives its lease', async () => {
    const story = new Story();
    const first = story.claim(story.one, 'x', 10);
    const second = story.claim(story.two, 'y', 1050);
    story.turn(story.two, 1100, () => story.end(story.two, 'y', second, 'succeeds'));
    story.turn(story.one, 1500, () => story.end(story.one, 'x', first, 'its record is lost'));
    expect(await story.breaks()).toBeUndefined();
  });
});

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

  it('tells a run from a claim of the same process that was released late', async () => {
    const story = new Story();
    let first: Told | undefined;
    let late: Told | undefined;
    story.turn(story.one, 10, () => {
      first = story.ask(story.one, 'claim', 'x');
      late = story.ask(story.one, 'claim', 'y');
    });
    story.at(11, () => story.serve('claim', 'y', 'claimed'));
    story.turn(story.one, 12, () => {
      late?.answered(['claimed']);
      story.ask(story.one, 'release', 'y');
      story.at(1, () => {
        story.serve('release', 'y', 'released');
        story.serve('claim', 'x', 'claimed');
      });
    });
    story.turn(story.one, 20, () => {
      first?.answered(['claimed']);
      story.begin(story.one);
    });
    expect(await story.breaks()).toBeUndefined();
  });
});
