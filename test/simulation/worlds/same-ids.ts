import { createHmac } from 'node:crypto';
import type { SecretRequest } from '../../../src/receive/options.js';
import type { Choices } from '../kernel/choices.js';
import { EPOCH_MS } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { eventOf } from '../models/events.js';
import type { Subject } from '../subject/load.js';
import type { WorldDefinition } from './world-definition.js';

const SECRET = 'whsec-simulation';
/** Read without care, a source and an id below are another source and another id. */
const SOURCES = ['', 'a', 'b', 'a:event.emitted:b', 'a::event.emitted:b', 'a%3A'] as const;
const IDS = ['x', 'y', 'b:event.emitted:x', 'a::event.emitted:x', ':x'] as const;
const KINDS = ['event.emitted', 'transaction.included'] as const;

/** Events that share their ids, but differ in their source or their kind: each of them takes effect. */
export const sameIds: WorldDefinition = {
  name: 'same-ids',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const process = world.process('app');
    const effects = new Set<string>();
    const nameOf = (...parts: readonly string[]) => parts.join(' | ');
    process.start(() => {
      const receiver = subject.createReceiver({
        secret: ({ url = '' }: SecretRequest) => (url === '' ? SECRET : { secret: SECRET, source: url }),
        store: subject.memoryStore(),
        onEvent: ({ event, id }, { source = '' }) => {
          const name = nameOf(source, event, id);
          world.history.add('app', `effect of ${name}`);
          if (effects.has(name)) world.fail('effect twice without a cause', name);
          effects.add(name);
        },
      });
      for (let delivery = 0; delivery < 2 + choices.below(5); delivery++) {
        const source = choices.pick(SOURCES);
        const events = Array.from({ length: 1 + choices.below(2) }, () =>
          ofKind(choices.pick(IDS), choices.pick(KINDS)),
        );
        const names = events.map(({ id, event }) => nameOf(source, event, id));
        const rawBody = JSON.stringify(events);
        process.deliver(1 + choices.below(5), () => {
          world.history.add('sender', `sends ${names.join(', ')}`);
          const timestamp = String(Math.floor((EPOCH_MS + world.now) / 1000));
          const signature = createHmac('sha256', SECRET).update(rawBody).update(timestamp).digest('hex');
          const request = { header: () => undefined, url: source };
          receiver
            .handle({ rawBody, signature, timestamp, request })
            .then(
              ({ status }) => {
                if (status !== 200) world.fail('never took effect', `${names.join(', ')} was answered ${status}.`);
                for (const name of names) {
                  if (!effects.has(name)) world.fail('acknowledged without effect', `${name} has not taken effect.`);
                }
              },
              (error: unknown) => world.fail('handle rejected', String(error)),
            )
            .catch(() => {});
        });
      }
    });
    await world.run();
    return world;
  },
};

function ofKind(id: string, kind: (typeof KINDS)[number]) {
  return kind === 'event.emitted' ? eventOf(id) : { id, event: kind, data: { status: 'included' } };
}
