import { ConfigError } from '../../errors.js';
import type { ChainNode } from './chain-node.js';

/** The nodes of a run. Each question goes to `agree` of them; those that failed recently are asked last. */
export class NodePool {
  #nodes: readonly ChainNode[];

  constructor(
    nodes: readonly ChainNode[],
    private readonly agree: number,
    /** Whether a smaller request may avoid the error. */
    private readonly isTooMuch: (error: unknown) => boolean,
  ) {
    this.#nodes = nodes;
  }

  /** The answers of `agree` nodes. A failed node is replaced with another. */
  async ask<Answer>(question: (node: ChainNode) => Promise<Answer>): Promise<Answer[]> {
    const left = [...this.#nodes];
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
          this.#nodes = [...this.#nodes.filter((each) => each !== failed), failed];
          if (error instanceof ConfigError) return;
        }
      }
    };
    await Promise.all(Array.from({ length: this.agree }, one));
    if (answers.length >= this.agree) return answers;
    // Report a range that one node refuses as too long, even if another node did not answer.
    throw errors.find((error) => error instanceof ConfigError) ?? errors.find(this.isTooMuch) ?? errors.at(-1);
  }
}
