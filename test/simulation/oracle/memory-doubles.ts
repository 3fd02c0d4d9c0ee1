import type { World } from '../kernel/world.js';
import type { Ledger, Run } from './ledger.js';

/**
 * With a store in the memory of a process, what took effect twice did so only because the process died, or because a handler
 * failed after its effect or outlived its lease: it was frozen, or hung.
 */
export function explainDoublesInMemory(world: World, ledger: Ledger, leaseMs: number): void {
  // The key is claimed in the turn in which the handler begins, and recorded in the one in which it settles.
  const outlived = ({ turnAt, endedAt }: Run) => (endedAt ?? world.now) - turnAt >= leaseMs - 1;
  world.check(() => {
    for (const [id, effects] of ledger.allEffects) {
      for (let index = 1; index < effects.length; index++) {
        const first = effects[index - 1] as Run;
        const second = effects[index] as Run;
        const hasCause = first.life !== second.life || first.end === 'rejected' || outlived(first) || outlived(second);
        if (!hasCause) world.fail('effect twice without a cause', `${id} took effect twice.`);
      }
    }
  });
}
