import type { Finding } from './finding.js';

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
