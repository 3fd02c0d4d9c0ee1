import { diag } from '@opentelemetry/api';

/**
 * Does what watches, and never throws: what a subscriber of a channel throws would end the process. A failure goes to
 * OpenTelemetry's own diagnostics.
 */
export function guarded<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch (error) {
    try {
      diag.error('event-webhook-receiver: OpenTelemetry failed.', error);
    } catch {
      // The diagnostics are the last place to tell: a logger of theirs that throws must not end the process either.
    }
    return undefined;
  }
}
