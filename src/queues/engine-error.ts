import { InvalidEventError } from '../errors.js';

export const LONGEST_TEXT = 10_000;

/**
 * The error that an engine gets for a failed job. Engines store its message and stack: if the database rejected the
 * text, the failure would not be recorded and the job would hang. Never throws.
 */
export function engineError(error: unknown, options?: ErrorOptions): Error {
  try {
    const failure = new Error(storableText(reasonOf(error)), options);
    const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (root instanceof Error) failure.stack = storableText(String(root.stack));
    return failure;
  } catch {
    // User code can throw any value, even one that throws when it is read.
    return new Error('The handler threw a value that cannot be read.');
  }
}

/** Why a job failed, with the causes. */
function reasonOf(error: unknown): string {
  if (error instanceof InvalidEventError) {
    const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`);
    return `The job data is not an event job: ${issues.join('; ')}`;
  }
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} Cause: ${reasonOf(error.cause)}`;
}

/** Text of bounded length that every database stores. */
function storableText(text: string): string {
  return text.slice(0, LONGEST_TEXT).replaceAll('\0', '\ufffd').toWellFormed();
}
