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
