import { RangeFlaw } from './range-flaw.js';
import { RpcError } from './rpc.js';

/** How long after a failure a node is asked last, in ms. */
const LAST_MS = 60_000;

/** Several nodes of a chain. Each question goes to `agree` of them; those that failed recently are asked last. */
export class NodePool<Node> {
  readonly #failedAt = new Map<Node, number>();

  constructor(
    private readonly nodes: readonly Node[],
    private readonly agree: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** The answers of `agree` nodes. A failed node is replaced with another. */
  async ask<Answer>(question: (node: Node) => Promise<Answer>): Promise<Answer[]> {
    const failed = (node: Node) => isWithin(this.now() - (this.#failedAt.get(node) ?? -Infinity), LAST_MS);
    const left = [...this.nodes.filter((node) => !failed(node)), ...this.nodes.filter(failed)];
    const answers: Answer[] = [];
    const errors: unknown[] = [];
    const one = async () => {
      for (let node = left.shift(); node; node = left.shift()) {
        try {
          answers.push(await question(node));
          return;
        } catch (error) {
          errors.push(error);
          this.#failedAt.set(node, this.now());
        }
      }
    };
    await Promise.all(Array.from({ length: this.agree }, one));
    if (answers.length >= this.agree) return answers;
    // Report a range that one node refuses as too long, even if another node did not answer.
    throw errors.find(isTooMuch) ?? errors.at(-1);
  }
}

/** Whether a smaller range may avoid the error. Providers use different messages for their limits. */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof RpcError) || error instanceof RangeFlaw) return false;
  return error.reason !== 'rate-limited' && error.reason !== 'aborted';
}

/** Whether a time is less than `ms` ago. False for a time in the future, after the clock was set back. */
export function isWithin(pastMs: number, ms: number): boolean {
  return pastMs >= 0 && pastMs < ms;
}
