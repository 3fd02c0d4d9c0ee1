import type { ReconcileCursor } from '../../../src/stores/cursor.js';
import type { Process } from '../kernel/process.js';
import { type RequestFaults, request } from '../kernel/request.js';
import type { Server } from '../kernel/server.js';

/**
 * A cursor of `reconcile` on a server that all replicas share: its text is compared and replaced in one step. Answers may be
 * lost after the write, and a write may arrive twice, in which case either answer may come first.
 */
export class SharedCursor {
  text: string | undefined;

  constructor(
    private readonly server: Server,
    private readonly onWrite: (text: string, process: Process) => void,
  ) {}

  /** The cursor as a process has it. */
  of(process: Process, faults: () => RequestFaults): ReconcileCursor {
    const doubling = () => ({ ...faults(), doubles: true });
    return {
      read: () => request<string | undefined>(process, this.server, (reply) => reply(this.text), faults),
      write: (next, expected) =>
        request<boolean>(process, this.server, (reply) => reply(this.#replace(next, expected, process)), doubling),
    };
  }

  #replace(next: string, expected: string | undefined, process: Process): boolean {
    if (this.text !== expected) return false;
    this.text = next;
    this.onWrite(next, process);
    return true;
  }
}
