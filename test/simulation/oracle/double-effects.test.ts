import { describe, expect, it } from 'vitest';
import { type End, LEASE_MS, Story } from './lease-story.js';

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

  it('breaks if a process handles again what it still tries to record', async () => {
    const story = new Story();
    const first = story.claim(story.one, 'x', 10);
    story.turn(story.one, 900, () => story.end(story.one, 'x', first, 'its record is lost'));
    const second = story.claim(story.one, 'y', 1200);
    story.turn(story.one, 1250, () => story.end(story.one, 'y', second, 'succeeds'));
    expect(await story.breaks()).toMatch(/^effect twice without a cause: .*the process knew/);
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
