// Without a database, the keys of handled events are lost when the process restarts, and belong to one process. Before
// production, choose a store: event-webhook-receiver/docs/stores/index.md.
import { createReceiver } from 'event-webhook-receiver';

const received: string[] = [];

/** There is nothing to create. */
export async function migrate(): Promise<void> {}

export const receiver = createReceiver({
  secret: () => process.env.WEBHOOK_SECRET ?? '', // read for each delivery: a build has no secret
  logger: console,
  onEvent: (event) => void received.push(event.id),
});

/** How often an event took effect. */
export const effectsOf = async (id: string): Promise<number> => received.filter((each) => each === id).length;

export async function close(): Promise<void> {}
