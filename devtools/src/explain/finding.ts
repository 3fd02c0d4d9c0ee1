/** One thing that may be why a delivery does not verify. */
export interface Finding {
  /** Stable identifier of the cause, such as `body-reserialized`. */
  readonly cause: string;
  /** What is wrong, in a sentence. No secret, no expected signature, nothing of the body. */
  readonly what: string;
  /** `certain`: the signature matches once it is undone. `likely`: the form shows it. `possible`: worth a look. */
  readonly confidence: 'certain' | 'likely' | 'possible';
  /** What to do about it. */
  readonly fix: string;
}
/** Something that goes wrong in practice: what to say of it, and what to do. */
export type Fault = Omit<Finding, 'confidence'>;

/** What a part of the delivery may have been, and the faults that made of it what was given. */
export interface Candidate<T> {
  readonly value: T;
  readonly faults: readonly Fault[];
}

/** A fault that a matching signature has shown. */
export const certain = (fault: Fault): Finding => ({ ...fault, confidence: 'certain' });

/** A fault that the form of a part shows. */
export const likely = (fault: Fault): Finding => ({ ...fault, confidence: 'likely' });

/** A fault that would explain it, with nothing that speaks for it. */
export const possible = (fault: Fault): Finding => ({ ...fault, confidence: 'possible' });

export const fault = (cause: string, what: string, fix: string): Fault => ({ cause, what, fix });
