import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { SignedRequest } from '../../../src/receive/request.js';
import { EPOCH_MS, type Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';

export const SECRET = 'whsec-simulation';

/** A replica as the sender sees it: a process that may have a receiver. */
export interface Target {
  readonly process: Process;
  readonly receiver: { handle(delivery: SignedRequest): Promise<DeliveryResult> } | undefined;
}

export interface SenderOptions {
  readonly targets: readonly Target[];
  /** No request or answer is lost after this time. */
  readonly horizonMs: number;
  /** How long it waits for an answer. */
  readonly timeoutMs: number;
  /** The longest pause between two tries. */
  readonly backoffMs: number;
  /** How often it tries after the horizon. Then the schedule has failed. */
  readonly mostTries?: number;
  /** Called in the turn in which a receiver has answered. */
  readonly onAnswer: (events: readonly WebhookEvent[], result: DeliveryResult, process: Process) => void;
}

/**
 * A sender that delivers at least once. It signs by itself, as the specification says (section 5.2), sends each delivery to any replica, and
 * again after any answer but 200 and after none. Requests and answers are delayed, lost and doubled, and deliveries overtake
 * one another.
 */
export class Sender {
  /** Deliveries without a 200. */
  pending = 0;

  constructor(
    private readonly world: World,
    private readonly options: SenderOptions,
  ) {}

  /** Sends a delivery until it is answered 200. */
  send(events: readonly WebhookEvent[], name = events.map(({ id }) => id).join(' ')): void {
    this.pending++;
    const body = Buffer.from(JSON.stringify(events));
    this.#try({ events, body, name, tries: 0, isDone: false });
  }

  #try(delivery: Delivery): void {
    const { choices, now } = this.world;
    const { targets, horizonMs, timeoutMs, mostTries = 40 } = this.options;
    const isHealed = now >= horizonMs;
    if (isHealed && ++delivery.tries > mostTries) {
      this.world.fail(
        'never took effect',
        `${delivery.name} was not acknowledged in ${mostTries} tries without faults.`,
      );
    }
    const target = choices.pick(targets);
    const fault = isHealed ? 'none' : choices.pick(FAULTS);
    this.world.history.add(
      'sender',
      `sends ${delivery.name} to ${target.process.name}`,
      fault === 'none' ? undefined : { fault },
    );
    let isOver = false;
    const over = (status: number | undefined) => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      this.#answered(delivery, status);
    };
    const timer = this.world.after(timeoutMs, () => over(undefined));
    const answered = fault === 'answer lost' ? () => {} : over;
    if (fault !== 'lost') this.#post(delivery, target, answered);
    if (fault === 'doubled') this.#post(delivery, target, () => {});
  }

  #post({ events, body }: Delivery, target: Target, answered: (status: number | undefined) => void): void {
    const world = this.world;
    const { choices } = world;
    const timestamp = String(Math.floor((EPOCH_MS + world.now) / 1000));
    const signature = createHmac('sha256', SECRET).update(body).update(timestamp).digest('hex');
    world.after(choices.latency(), () => {
      const { process } = target;
      const { life } = process;
      if (process.state === 'down' || !target.receiver) {
        world.after(choices.latency(), () => answered(undefined));
        return;
      }
      process.turn(life, () => {
        const { receiver } = target;
        if (!receiver) return;
        receiver
          .handle({ rawBody: body, signature, timestamp })
          .then(
            (result) => {
              this.options.onAnswer(events, result, process);
              world.after(process.time - world.now + choices.latency(), () => answered(result.status));
            },
            (error: unknown) => {
              // Recorded by the world, even though it is thrown where nobody listens.
              world.fail('handle rejected', String(error));
            },
          )
          .catch(() => {});
      });
    });
  }

  #answered(delivery: Delivery, status: number | undefined): void {
    const { choices, history } = this.world;
    history.add('sender', `gets ${status ?? 'no answer'} for ${delivery.name}`);
    if (status === 200) {
      if (!delivery.isDone) this.pending--;
      delivery.isDone = true;
      return;
    }
    this.world.after(10 + choices.below(this.options.backoffMs), () => this.#try(delivery));
  }
}

interface Delivery {
  readonly events: readonly WebhookEvent[];
  readonly body: Buffer;
  readonly name: string;
  tries: number;
  isDone: boolean;
}

const FAULTS = [...Array<'none'>(13).fill('none'), 'lost', 'answer lost', 'doubled'] as const;
