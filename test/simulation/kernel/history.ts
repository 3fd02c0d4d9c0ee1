/** One entry of what happened. */
export interface Entry {
  /** True time in ms since the start of the world. */
  readonly at: number;
  /** The process, server or other part of the world. */
  readonly who: string;
  readonly what: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What happened in a schedule, in order. */
export class History {
  readonly entries: Entry[] = [];

  constructor(private readonly now: () => number) {}

  add(who: string, what: string, details?: Readonly<Record<string, unknown>>): void {
    this.entries.push({ at: this.now(), who, what, details });
  }

  /** One line an entry. */
  lines(): string[] {
    return this.entries.map(({ at, who, what, details }) => {
      const rest = Object.entries(details ?? {}).map(([name, value]) => `${name}=${textOf(value)}`);
      return [`${at.toFixed(1).padStart(9)} ms  ${who.padEnd(10)}`, what, ...rest].join(' ');
    });
  }
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
