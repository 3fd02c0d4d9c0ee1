import { describe, expect, it } from 'vitest';
import { expectNothingUnhandled, Log } from '../matrix/app.js';
import { framed, genuine } from '../matrix/deliveries.js';
import { Wire } from '../matrix/wire.js';
import { create, forged, inject, listen } from './fastify-app.js';

expectNothingUnhandled();

describe('fastifyPlugin in the life of an app', () => {
  it('answers to app.inject() at once, and closes no connection', async () => {
    const { app } = create({ options: { receiveTimeoutMs: 20 } });
    expect(await inject(app, genuine())).toMatchObject({ statusCode: 200, body: '' });
    expect(await inject(app, forged())).toMatchObject({ statusCode: 403, body: '' });
    const answers = [
      await inject(app, genuine()),
      await inject(app, { ...genuine(), signature: '' }),
      await inject(app, genuine(), { simulate: { end: false, split: true, error: false, close: false } }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403, 503]);
    for (const { headers } of answers) expect(headers.connection).not.toBe('close');
  });

  it('lets what is under way finish when the app closes, before its onClose hooks run', async () => {
    const steps = new Log<string>();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { app } = create({
      options: {
        async onEvent() {
          steps.add('started');
          await finished;
          steps.add('handled');
        },
      },
      before: (app) =>
        app
          .addHook('preClose', async () => void steps.add('closing'))
          .addHook('onClose', async () => void steps.add('closed')),
    });
    const wire = await Wire.open(await listen(app));
    await wire.send(framed(genuine()));
    await steps.reaches(1);
    const closed = app.close();
    await steps.reaches(2);
    finish();
    expect(await wire.answer()).toMatchObject({ status: 200 });
    wire.end();
    await closed;
    expect(steps.entries).toEqual(['started', 'closing', 'handled', 'closed']);
  });

  it("leaves the answer to Fastify when its handlerTimeout is over, whatever the app's hooks do then", async () => {
    const { app, passed, refused } = create({
      server: { handlerTimeout: 20 },
      options: { receiveTimeoutMs: 60 },
      before: (app) =>
        app.addHook('onSend', async () => {
          await refused.reaches(1);
          await new Promise(setImmediate);
        }),
    });
    const wire = await Wire.open(await listen(app));
    await wire.send(framed(genuine()).subarray(0, -1));
    expect(await wire.answer()).toMatchObject({ status: 500, body: '' });
    wire.end();
    await wire.closed();
    expect(passed.entries).toMatchObject([{ code: 'FST_ERR_HANDLER_TIMEOUT' }]);
    expect(refused.entries).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
  });
});
