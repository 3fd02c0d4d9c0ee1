/** One possible reason why a delivery does not verify. */
export interface Finding {
  /** Stable identifier of the cause, such as `body-reserialized`. */
  readonly cause: string;
  /** What is wrong, in a sentence without secrets, expected signatures or parts of the body. */
  readonly what: string;
  /**
   * `certain`: the signature matches once the mistake is undone. `likely`: the format shows it. `possible`: worth checking.
   * Absent from a note, which says why there is no explanation; `explainFailure` returns none.
   */
  readonly confidence?: 'certain' | 'likely' | 'possible' | undefined;
  /** What to do about it. */
  readonly fix: string;
}

/** A common mistake: its description and its fix. */
export type Fault = Omit<Finding, 'confidence'>;

/** A possible original of a part of the delivery, and the fault that changed it, if any. */
export interface Candidate<T> {
  readonly value: T;
  readonly fault?: Fault | undefined;
}

/** A fault that a matching signature proves. */
export const certain = (fault: Fault): Finding => ({ ...fault, confidence: 'certain' });

/** A fault that the format of a part shows. */
export const likely = (fault: Fault): Finding => ({ ...fault, confidence: 'likely' });

/** A fault that would explain the failure, without evidence. */
export const possible = (fault: Fault): Finding => ({ ...fault, confidence: 'possible' });

export const fault = (cause: string, what: string, fix: string): Fault => ({ cause, what, fix });

/** Faults by their causes, from what is wrong and what to do. */
export const faultsOf = <Cause extends string>(
  table: Readonly<Record<Cause, readonly [what: string, fix: string]>>,
): Readonly<Record<Cause, Fault>> =>
  Object.fromEntries(
    Object.entries<readonly [string, string]>(table).map(([cause, [what, fix]]) => [cause, fault(cause, what, fix)]),
  ) as Record<Cause, Fault>;

/** Advice of the faults of headers. */
export const headerNames =
  'If the headers have other names, set the option headers: multibaasHeaders, serviceHeaders or your own.';

/** Maximum body size in bytes: explaining larger ones would take too long. */
export const MOST_BYTES = 10 * 1024 * 1024;

export const TOO_LARGE: Finding = fault(
  'body-too-large-to-explain',
  `The body is larger than ${MOST_BYTES} bytes: explaining it would take too long.`,
  'Reproduce the failure with a smaller delivery.',
);
