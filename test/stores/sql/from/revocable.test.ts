import { describe, expect, it } from 'vitest';
import { revocable } from '../../../../src/stores/sql/from/revocable.js';

class Manager {
  /** What its methods were given. */
  readonly given: unknown[] = [];
  readonly name = 'manager';

  find(...args: unknown[]): void {
    this.given.push(...args);
  }
  transaction(work: (manager: Manager) => unknown): unknown {
    return work(new Manager());
  }
  where(work: (this: { id: number }, ...args: never[]) => unknown): unknown {
    return work.call({ id: 7 });
  }
}

describe('a transaction that can be closed', () => {
  it('passes on classes as they are', () => {
    class Entity {}
    // As TypeScript compiles a class for ES5.
    const Old: () => void = new Function() as never;
    const manager = new Manager();
    revocable(manager).tx.find(Entity, Old, 'text');
    expect(manager.given[0]).toBe(Entity);
    expect(manager.given[1]).toBe(Old);
    expect(manager.given[2]).toBe('text');
  });

  it('gives callbacks the transaction within it, which can be closed too', async () => {
    const { tx, close } = revocable(new Manager());
    const inner: Manager[] = [];
    tx.transaction((each) => inner.push(each));
    tx.transaction(function work(each) {
      inner.push(each);
    });
    close();
    for (const each of inner) await expect(each.find('late')).rejects.toThrow('can no longer be used');
    expect(inner).toHaveLength(2);
  });

  it('leaves `this` to callbacks', () => {
    const { tx } = revocable(new Manager());
    const id = tx.where(function (this: { id: number }) {
      return this.id;
    });
    const withArgument = tx.where(function (this: { id: number }, ..._: never[]) {
      return this.id;
    });
    expect([id, withArgument]).toEqual([7, 7]);
  });
});
