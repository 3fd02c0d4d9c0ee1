/** The format that this program writes and plays. */
const FORMAT = 1;

/** A schedule in a file. */
export interface Replay {
  readonly world: string;
  /** The defect that the schedule was found with. */
  readonly defect?: string | undefined;
  /** Hash of the code that the schedule was found with. */
  readonly subject: string;
  readonly tape: readonly number[];
}

/** What a replay file may name. */
export interface Known {
  readonly worlds: readonly string[];
  readonly defects: readonly string[];
}

/** A replay file that this program cannot play. The message says why. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

export function writeReplay({ world, defect, subject, tape }: Replay): string {
  const named = { format: FORMAT, world, ...(defect !== undefined && { defect }), subject };
  // The tape on one line.
  return `${JSON.stringify(named, null, 2).replace(/\n\}$/, '')},\n  "tape": ${JSON.stringify(tape)}\n}\n`;
}

/** Reads a replay file. Throws ReplayError for anything that this program cannot play. */
export function readReplay(text: string, known: Known): Replay {
  const content = parsed(text);
  const { format, world, defect, subject, tape, ...others } = content;
  if (format !== FORMAT) {
    const found = format === undefined ? 'names no format' : `has format ${JSON.stringify(format)}`;
    throw new ReplayError(`The replay file ${found}; this program plays format ${FORMAT}.`);
  }
  const [other] = Object.keys(others);
  if (other !== undefined) throw new ReplayError(`The replay file has an unknown field, ${JSON.stringify(other)}.`);
  if (typeof subject !== 'string') throw new ReplayError('The replay file needs `subject`, the hash of the code.');
  if (!isTape(tape)) throw new ReplayError('The replay file needs `tape`, a list of whole numbers of 0 or more.');
  return {
    world: oneOf(known.worlds, world, 'world'),
    defect: defect === undefined ? undefined : oneOf(known.defects, defect, 'defect'),
    ...{ subject, tape },
  };
}

/** Says that the code is not that of the file; undefined if it is. */
export function warningFor(replay: Replay, subject: string): string | undefined {
  if (replay.subject === subject) return undefined;
  return `The schedule was found with other code (${replay.subject}, now ${subject}), so it may not reproduce.`;
}

function parsed(text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new ReplayError(`The replay file is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content };
  throw new ReplayError('The replay file must be a JSON object.');
}

function isTape(tape: unknown): tape is number[] {
  return Array.isArray(tape) && tape.every((value) => Number.isSafeInteger(value) && value >= 0);
}

function oneOf(known: readonly string[], name: unknown, what: string): string {
  if (typeof name === 'string' && known.includes(name)) return name;
  const found = name === undefined ? `names no ${what}` : `has the unknown ${what} ${JSON.stringify(name)}`;
  throw new ReplayError(`The replay file ${found}. Known: ${known.join(', ') || 'none'}.`);
}
