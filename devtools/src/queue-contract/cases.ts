import { isDeepStrictEqual } from 'node:util';
import { toMessage } from 'event-webhook-receiver/queues';
import { HOSTILE_KEYS } from '../store-contract/keys.js';
import { eventOf, expectThat, LOST, SOURCE, some, type Trial } from './trial.js';
import { type Effect, FAILURE, POISON } from './worker.js';

/** Cases by their titles. */
export type Cases = Readonly<Record<string, (trial: Trial) => Promise<void>>>;

/** Keys with a meaning for an engine: numbers, separators, names of its keys, ids derived from other keys. */
const ENGINE_KEYS = [
  ...['0', '-5', '007', '1e5', 'Infinity', '0:1', 'a:b', 'a:b:c', 'a.b', 'a.*', '>', '#', ''],
  ...['meta', 'wait', 'id', 'events', 'completed', 'waiting-children', 'repeat'],
  ...['66f0a5c6-1f0b-4c7e-9d3c-2d6f0a6b7c11', '66F0A5C6-1F0B-4C7E-9D3C-2D6F0A6B7C11'],
  ...['66f0a5c6-1f0b-5c7e-9d3c-2d6f0a6b7c11', '66f0a5c61f0b4c7e9d3c2d6f0a6b7c11'],
];
const HOSTILE_TEXTS = ['\0', 'a\0b', '\ud800', '\udfff', '\\u0000', '\u2028', '😀', '\r\n'];
const context = { signal: new AbortController().signal, timestamp: '1700000000', source: SOURCE };
const TWICE = 'an event that was delivered twice takes effect twice, or its handler runs again';
const UNANSWERED = 'the sender gets no answer in time, or a 200 for an event that is not stored';

export const deliveryCases: Cases = {
  async 'the worker gets each event as it arrived, with its key, source and timestamp'(trial) {
    const queue = await trial.open();
    const keys = [...HOSTILE_KEYS, ...ENGINE_KEYS];
    const events = some(keys.length);
    for (const [at, event] of events.entries()) {
      const text = HOSTILE_TEXTS[at % HOSTILE_TEXTS.length] as string;
      Object.assign(event.data, { hostile: text, [text]: 1 });
    }
    for (const _ of [1, 2]) {
      await queue.enqueue(
        events.map((event, at) => ({ event, idempotencyKey: keys[at] as string })),
        context,
      );
    }
    await trial.work(queue);
    await trial.took(events, 'an event is lost because its key or its text is unusual, or was confused with another');
    const got = new Map((await trial.effects()).map((effect) => [effect.event.id, effect]));
    for (const [at, event] of events.entries()) {
      const { timestamp, source } = context;
      const expected = { event, idempotencyKey: keys[at], source, timestamp };
      const effect = JSON.parse(JSON.stringify(expected));
      expectThat(isDeepStrictEqual(got.get(event.id), effect), JSON.stringify(effect), got.get(event.id), TWICE);
    }
  },

  async 'an event takes effect once, however often it is delivered and copied'(trial) {
    const [queue, other] = [await trial.open(), await trial.open()];
    const receivers = [queue, other].map((each) => trial.receiver(each));
    const events = some(50);
    const storm = () =>
      Promise.all(
        receivers.flatMap((each) =>
          [events, events.toReversed(), events].map(async (given) => {
            const status = await trial.deliver(each, given);
            expectThat(status === 200, 'status 200 for each redelivery', [status, trial.reported.at(-1)], UNANSWERED);
          }),
        ),
      );
    await storm();
    await trial.work(queue);
    await trial.work(other);
    await trial.took(events);
    await storm();
    const [first] = (await trial.effects()) as [Effect];
    const copy = toMessage({ event: first.event, idempotencyKey: first.idempotencyKey }, context);
    const copies = trial.options.deduplicates ? 0 : 20;
    for (let copied = 0; copied < copies; copied++) await queue.add(copy);
    const last = some(1);
    await trial.delivered(receivers[0] as (typeof receivers)[0], last);
    await trial.took(last);
    const effects = await trial.effects();
    expectThat(effects.length === 51, '51 effects', effects.length, TWICE);
    const runs = Object.values(trial.runs).filter((count) => count > 1).length;
    if (trial.options.deduplicates) expectThat(runs === 0, 'one run of each handler', trial.runs, TWICE);
  },

  async 'an event of 10 MiB is handled or refused, and its neighbors are handled'(trial) {
    const queue = await trial.open();
    const receiver = trial.receiver(queue);
    const [large, ...small] = some(3);
    Object.assign((large as (typeof small)[0]).data, { text: 'x'.repeat(10 * 2 ** 20) });
    const delivery = [small[0], large, small[1]] as typeof small;
    const status = await trial.deliver(receiver, delivery);
    const isStored = status === 200;
    expectThat(isStored || status === 503, 'status 200 or 503', status, UNANSWERED);
    const isTold = /^ERR_WEBHOOK_ENQUEUE: .{10}/.test(trial.reported[0] ?? '');
    expectThat(isStored || isTold, 'an error that says why', trial.reported, 'nobody sees why the delivery fails');
    await trial.work(queue);
    await trial.took(isStored ? delivery : small, 'an oversized event holds up the events beside it');
  },

  async 'a shutdown waits for handlers, and the next worker handles the rest'(trial) {
    const queue = await trial.open();
    const events = some(30, 'Slow');
    await trial.delivered(trial.receiver(queue), events);
    const stop = await trial.work(queue);
    await trial.until(async () => Object.keys(trial.runs).length > 0 || 'a run');
    await stop();
    const started = Object.keys(trial.runs).length;
    const done = (await trial.effects()).length;
    expectThat(done === started, `${started} effects, one of each handler that had started`, done, TWICE);
    await trial.work(await trial.open());
    await trial.took(events);
  },
};

export const failureCases: Cases = {
  async 'events that fail become dead letters with their reasons, and hold up nobody'(trial) {
    const queue = await trial.open({ attempts: 3, backoffMs: 1000 });
    const receiver = trial.receiver(queue);
    const [poison, failing, good] = [some(10, 'Poison'), some(10, 'Failing'), some(30)];
    for (const events of [poison, failing, good]) await trial.delivered(receiver, events);
    await trial.work(queue);
    await trial.took(good, 'one bad event holds up the events behind it');
    const reasons = [...poison.map(() => new RegExp(POISON)), ...failing.map(() => new RegExp(FAILURE))];
    await trial.died(queue, reasons);
    for (const [events, count] of [
      [poison, 1],
      [failing, 3],
      [good, 1],
    ] as const) {
      const runs = events.map(({ id }) => trial.runs[id]);
      expectThat(
        runs.every((each) => each === count),
        `${count} runs of each event named ${events === good ? 'Good' : 'Poison or Failing'}`,
        runs,
        'handlers run again for nothing, or give up early',
      );
    }
  },

  async 'messages of strangers and of other versions become dead letters, and hold up nobody'(trial) {
    const queue = await trial.open();
    const [event, older, newer] = some(3) as [
      ReturnType<typeof eventOf>,
      ReturnType<typeof eventOf>,
      ReturnType<typeof eventOf>,
    ];
    const message = JSON.parse(toMessage({ event: newer, idempotencyKey: newer.id }, context));
    await queue.add('not JSON');
    await queue.add('{"nothing":true}');
    await queue.add(JSON.stringify({ event: older }));
    await queue.add(JSON.stringify({ ...message, addedLater: { to: 'the message' } }));
    await trial.delivered(trial.receiver(queue), [event]);
    await trial.work(queue);
    await trial.took([event, newer]);
    await trial.died(queue, [/./, /./, /idempotencyKey/]);
  },
};

export const serverCases: Cases = {
  async 'an acknowledged event survives a crash of the engine right after'(trial) {
    const queue = await trial.open();
    const events = some(20);
    await trial.delivered(trial.receiver(queue), events);
    await trial.options.server?.().kill();
    await trial.options.server?.().restart();
    await trial.work(await trial.open());
    await trial.took(events);
  },

  async 'a crash of the engine, and of a worker, while events are stored and handled loses none'(trial) {
    const receiver = trial.receiver(await trial.open());
    const killWorker = trial.options.worker && trial.supervise();
    const deliveries = Array.from({ length: 40 }, () => some(10));
    const first = trial.delivered(receiver, deliveries[0] as (typeof deliveries)[0]);
    const rest = Promise.all(deliveries.slice(1).map((events) => trial.deliver(receiver, events)));
    await first;
    await trial.options.server?.().kill();
    const statuses = [200, ...(await rest)];
    await trial.options.server?.().restart();
    for (const [at, events] of deliveries.entries()) if (statuses[at] !== 200) await trial.delivered(receiver, events);
    await trial.until(async () => !killWorker || (await trial.effects()).length > 0 || 'an effect');
    killWorker?.();
    if (!killWorker) await trial.work(await trial.open());
    await trial.took(deliveries.flat());
  },

  async 'while the engine is frozen or down, deliveries are answered 503; they succeed afterwards'(trial) {
    const server = trial.options.server?.();
    const queue = await trial.open();
    const receiver = trial.receiver(queue, 2000);
    const events = some(5);
    await trial.delivered(receiver, some(1));
    server?.pause();
    const frozen = await trial.deliver(receiver, events).finally(() => server?.resume());
    expectThat(frozen === 503, 'status 503 while the engine is frozen', frozen, UNANSWERED);
    await trial.delivered(receiver, events);
    await server?.kill();
    const down = await trial.deliver(receiver, some(1));
    // What opens a queue may reject or wait while the engine is down.
    const opening = trial
      .open()
      .then((late) => trial.deliver(trial.receiver(late, 2000), events))
      .catch(() => 503);
    const early = await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 3000, 503))]);
    await server?.restart();
    expectThat(down === 503 && early === 503, 'status 503 while the engine is down', [down, early], UNANSWERED);
    const later = some(5);
    await trial.delivered(receiver, later);
    await trial.work(await trial.open());
    await trial.took([...events, ...later]);
  },
};

export const workerCases: Cases = {
  async 'an event whose worker was killed twice before the effect takes effect'(trial) {
    const queue = await trial.open();
    const events = some(1);
    await trial.delivered(trial.receiver(queue), events);
    for (const _ of [1, 2]) await trial.killWorker('before');
    await trial.work(queue);
    await trial.took(events, `${LOST}, or is a dead letter because its workers died`);
  },

  async 'an event whose worker was killed after the effect does not take effect again'(trial) {
    const queue = await trial.open();
    const events = some(1);
    await trial.delivered(trial.receiver(queue), events);
    await trial.killWorker('after');
    await trial.took(events);
    await trial.work(queue);
    const last = some(1);
    await trial.delivered(trial.receiver(queue), last);
    await trial.took(last);
    const dead = await queue.deadLetters();
    const runs = trial.runs[events[0]?.id as string] ?? 0;
    expectThat(runs === 0 && dead.length === 0, 'no further run and no dead letter', { runs, dead }, TWICE);
  },
};

export const fullCases: Cases = {
  async 'a full engine refuses events, and stores each of them once it has room'(trial) {
    const queue = await trial.open();
    const receiver = trial.receiver(queue);
    const events = [...some(500), eventOf('Unstorable'), ...some(499)];
    const makeRoom = await trial.options.full?.(trial.name);
    const status = await trial.deliver(receiver, events).finally(makeRoom);
    expectThat(status === 503, 'status 503', status, UNANSWERED);
    await trial.work(queue);
    await trial.delivered(receiver, events);
    await trial.took(events);
    const effects = await trial.effects();
    expectThat(effects.length === events.length, `${events.length} effects`, effects.length, TWICE);
  },
};
