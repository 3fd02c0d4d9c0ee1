// In development, a refused delivery is explained in the log. Production installs leave `event-webhooks` out.
import type { OnError } from 'event-webhook-receiver';

const isDevelopment = process.env.NODE_ENV !== 'production';
const tools = isDevelopment ? await import('event-webhooks/explain').catch(() => undefined) : undefined;

/** An `onError` for the receiver of a secret, in development. */
export const explained = (secret: string): OnError | undefined => tools?.explainRefusals({ secret });
