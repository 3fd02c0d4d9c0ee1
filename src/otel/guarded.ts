import { diag } from '@opentelemetry/api';

/**
 * Runs instrumentation code and never throws: an error in a subscriber of a channel would end the process. Failures go to
 * OpenTelemetry's diagnostics.
 */
export function guarded<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch (error) {
    try {
      diag.error('event-webhook-receiver: OpenTelemetry failed.', error);
    } catch {
      // A diagnostics logger that throws cannot be reported, and must not end the process.
    }
    return undefined;
  }
}
