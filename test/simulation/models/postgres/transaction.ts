import type { Version } from './heap.js';

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** A version that was added (without a mark), or marked, and how it was marked before. */
interface Change {
  readonly version: Version;
  readonly marker: Transaction | undefined;
  readonly mark: Version['mark'] | undefined;
  readonly markCommand: number;
}

export interface Savepoint {
  readonly name: string;
  readonly changes: number;
  readonly advisory: number;
  readonly local: ReadonlyMap<string, string> | undefined;
  readonly lasting: ReadonlyMap<string, string> | undefined;
}

export class Transaction {
  status: 'open' | 'committed' | 'aborted' = 'open';
  /** Its place among the commits. */
  committedAs = 0;
  /** Assigned by its first write, or when it is asked for. */
  id: number | undefined;
  /** Counts its statements. */
  command = 0;
  /** What is seen: the commits up to this one. Kept from the first statement on unless statements see later commits. */
  snapshot: number | undefined;
  isolation: Isolation;
  /** `now()`. */
  readonly startedAt: number;
  readonly changes: Change[] = [];
  readonly advisory: bigint[] = [];
  readonly savepoints: Savepoint[] = [];
  /** Settings until its end, and those that its session keeps if it commits. */
  local: Map<string, string> | undefined;
  lasting: Map<string, string> | undefined;
  /** Called when it has ended or given up a part of what it held. */
  waiters: (() => void)[] = [];

  /** The session that runs it. */
  readonly pid: number;

  constructor(pid: number, isolation: Isolation, startedAt: number) {
    this.pid = pid;
    this.isolation = isolation;
    this.startedAt = startedAt;
  }

  mark(version: Version, mark: Version['mark'], next?: Version): void {
    const { marker, mark: before, markCommand } = version;
    if (marker === this && mark === 'lock') return;
    this.changes.push({ version, marker, mark: before, markCommand });
    version.marker = this;
    version.mark = mark;
    version.markCommand = this.command;
    version.next = next;
  }

  /** Undoes all after a number of changes. */
  undo(kept: number): void {
    while (this.changes.length > kept) {
      const change = this.changes.pop();
      if (!change) return;
      const { version, marker, mark, markCommand } = change;
      if (mark === undefined) {
        version.writer = undefined;
        version.table.remove(version);
      } else {
        version.marker = marker;
        version.mark = mark;
        version.markCommand = markCommand;
        version.next = undefined;
      }
    }
  }

  /** Lets those who wait for it look again, in the order in which they came. */
  wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter();
  }
}

/** Whether a statement sees a version: written by a commit of its snapshot or by an earlier statement of its transaction. */
export function sees(reader: Transaction, snapshot: number, version: Version): boolean {
  const { writer, marker } = version;
  if (writer === reader) {
    if (version.command >= reader.command) return false;
  } else if (writer?.status !== 'committed' || writer.committedAs > snapshot) return false;
  if (marker === undefined || version.mark === 'lock' || marker.status === 'aborted') return true;
  if (marker === reader) return version.markCommand >= reader.command;
  return marker.status === 'open' || marker.committedAs > snapshot;
}

/** Whom a writer of the version must wait for: another open transaction that has marked it. */
export function holderOf(version: Version, writer: Transaction): Transaction | undefined {
  const { marker } = version;
  return marker !== writer && marker?.status === 'open' ? marker : undefined;
}

/** Whether it was replaced or deleted for good. */
export function isGone({ marker, mark }: Version): boolean {
  return mark !== 'lock' && marker?.status === 'committed';
}
