import type { Process } from './process.js';
import type { Server } from './server.js';

/** Why a request failed, as clients say it. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(readonly code: string) {
    super(`The request failed: ${code}.`);
  }
}

export interface RequestFaults {
  /** One in so many requests meets a fault: never sent, its answer lost, or never answered. 0: none. */
  readonly oneIn: number;
  /** Whether a request may reach the server twice. (Default: false.) */
  readonly doubles?: boolean | undefined;
}

/**
 * One request and its answer, as over HTTP: each takes its own time, so requests overtake one another. With faults it may
 * never arrive, take effect although its answer is lost, never be answered, or arrive twice.
 */
export function request<T>(
  process: Process,
  server: Server,
  serve: (reply: (value: T) => void) => void,
  faults: () => RequestFaults = () => ({ oneIn: 0 }),
): Promise<T> {
  const { world } = process;
  const { choices } = world;
  const { oneIn, doubles = false } = faults();
  const kinds = ['lost', 'answer lost', 'silent', ...(doubles ? ['doubled'] : [])] as const;
  const fault = oneIn > 0 && choices.oneIn(oneIn) ? choices.pick(kinds) : undefined;
  if (fault) world.history.add(process.name, `sends a request to ${server.name}: ${fault}`);
  const { life } = process;
  return new Promise<T>((resolve, reject) => {
    let isOver = false;
    const arrive = (act: () => void) => {
      world.after(choices.latency(), () =>
        process.turn(life, () => {
          if (isOver) return;
          isOver = true;
          act();
        }),
      );
    };
    const broken = () => arrive(() => reject(new NetworkError('ECONNRESET')));
    const sendAfter = (ms: number, isAnswered: boolean) => {
      world.after(process.time - world.now + ms, () =>
        server.serve(() => {
          if (!server.isUp) {
            broken();
            return;
          }
          serve((value) => {
            if (isAnswered) arrive(() => resolve(value));
            else if (fault === 'answer lost') broken();
          });
        }),
      );
    };
    if (fault === 'lost') broken();
    else sendAfter(choices.latency(), fault !== 'answer lost' && fault !== 'silent');
    if (fault === 'doubled') sendAfter(choices.latency(), true);
  });
}
