import { ConfigError } from '../errors.js';
import { RangeFlaw } from './range-flaw.js';
import { RpcError } from './rpc.js';

/** Several nodes of a chain. Each question goes to `agree` of them; those that failed recently are asked last. */
export class NodePool<Node> {
  constructor(
    private nodes: readonly Node[],
    private readonly agree: number,
  ) {}

  /** The answers of `agree` nodes. A failed node is replaced with another. */
  async ask<Answer>(question: (node: Node) => Promise<Answer>): Promise<Answer[]> {
    const left = [...this.nodes];
    const answers: Answer[] = [];
    const errors: unknown[] = [];
    const one = async () => {
      for (let node = left.shift(); node; node = left.shift()) {
        try {
          answers.push(await question(node));
          return;
        } catch (error) {
          errors.push(error);
          const failed = node;
          this.nodes = [...this.nodes.filter((each) => each !== failed), failed];
          if (error instanceof ConfigError) return;
        }
      }
    };
    await Promise.all(Array.from({ length: this.agree }, one));
    if (answers.length >= this.agree) return answers;
    // Report a range that one node refuses as too long, even if another node did not answer.
    throw errors.find((error) => error instanceof ConfigError) ?? errors.find(isTooMuch) ?? errors.at(-1);
  }
}

/** Whether a smaller range may avoid the error. Providers use different messages for their limits. */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof RpcError) || error instanceof RangeFlaw) return false;
  return error.reason !== 'rate-limited' && error.reason !== 'aborted';
}
