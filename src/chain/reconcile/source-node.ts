import { followParents, KnownBlocks, MOST_LINKS } from '../ancestry.js';
import { type Header, LONGEST_GAP } from '../answers.js';
import { type Evidence, replaced } from '../evidence.js';
import { ChainNode } from '../node.js';
import type { Tag } from '../node-options.js';
import { RangeFlaw } from '../range-flaw.js';
import { ifRefused, type RpcOptions } from '../rpc.js';
import type { RpcUrl } from '../rpc-url.js';

/** A node during one run. */
export class SourceNode extends ChainNode {
  readonly #known = new KnownBlocks();

  constructor(
    url: RpcUrl,
    readonly evidence: Evidence,
    options: RpcOptions,
  ) {
    super(url, options);
  }

  /** The block with a number, or the next lower one if the chain skipped this number. */
  async upTo(number: number): Promise<Header> {
    for (let at = number; at >= 0 && at > number - LONGEST_GAP; at--) {
      const header = await this.header(at).catch(ifRefused);
      if (header) return header;
    }
    throw new RangeFlaw('absent', `The node at ${this.origin} does not have block ${number}`);
  }

  /** The last block, and the last final one: undefined if no block is final yet. */
  async ends({ tag, depth }: Tag): Promise<{ readonly head: Header; readonly final: Header | undefined }> {
    const tagged = await this.tagged(tag);
    const head = tag === 'latest' ? tagged : await this.tagged('latest');
    const number = tagged.number - depth;
    if (number < 0) return { head, final: undefined };
    const final = depth === 0 ? tagged : await this.upTo(number);
    await this.link(final, tagged);
    return { head, final };
  }

  /** Throws unless `top` is an ancestor of `end`, or the same block. */
  async link(top: Header, end: Header): Promise<void> {
    if (end.number - top.number > MOST_LINKS) {
      // A different block means that another node behind the URL answered.
      for (const each of [end, top]) {
        if ((await this.upTo(each.number)).hash !== each.hash) throw replaced(each.number);
      }
      return;
    }
    let last = end;
    await followParents(this, this.#known, [end, top.number], (block) => {
      last = block;
    });
    if (last.hash === top.hash) return;
    throw new RangeFlaw('changed', `Block ${top.number} is not an ancestor of the final block`);
  }
}
