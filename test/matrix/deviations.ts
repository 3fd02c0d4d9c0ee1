import { format } from 'node:util';
import { it as every, expect } from 'vitest';
import type { Target } from './targets.js';

/** What is seen of a host that does part of a receiver's work before any code of ours is asked. */
export interface Deviation {
  /** Completes the title: "…: no, because <why>". */
  readonly why: string;
  /** What holds in place of the case. */
  readonly test: (target: Target) => Promise<void>;
}

/** By the title of the case that each stands in for. */
export type Deviations = ReadonlyMap<string, Deviation>;

/** Titles of cases that had a deviation, by target. */
const met = new WeakMap<Target, Set<string>>();

/** `it` for one target: where that deviates from a case, what holds instead is tested in its place. */
export function itOf(target: Target) {
  const titles = met.get(target) ?? new Set();
  met.set(target, titles);

  function one(title: string, body: () => Promise<void>, timeout?: number): void {
    const deviation = target.deviations?.get(title);
    if (deviation === undefined) {
      every(title, body, timeout);
      return;
    }
    titles.add(title);
    every(`${title}: no, because ${deviation.why}`, () => deviation.test(target), timeout);
  }

  function each<const Row extends readonly [unknown, ...unknown[]]>(
    table: readonly Row[],
  ): (title: string, body: (...values: [...Row]) => Promise<void>) => void;
  function each(table: readonly string[]): (title: string, body: (value: string) => Promise<void>) => void;
  function each(table: readonly (string | readonly unknown[])[]) {
    return (title: string, body: (...values: never[]) => Promise<void>) => {
      for (const row of table) {
        const values = [row].flat();
        const shown = values.slice(0, title.split('%s').length - 1);
        one(format(title, ...shown), () => body(...(values as never[])));
      }
    };
  }

  return Object.assign(one, { each });
}

/** A deviation that stands in for no case would not be tested. */
export function deviationCases(target: Target): void {
  const { deviations } = target;
  if (deviations === undefined) return;
  every('deviates from cases that there are', () => {
    expect([...deviations.keys()].filter((title) => !met.get(target)?.has(title))).toEqual([]);
  });
}
