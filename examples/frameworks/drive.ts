import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { freePort } from '../servers/free-port.js';
import { buildRecipe, pathsOf, type RecipeName, startRecipe } from './recipes.js';

const secret = 'whsec-example';

/** Builds and starts a recipe, sends it deliveries, and says whether each came to what it should. */
export async function drive(
  name: RecipeName,
  { env, cleanUp }: { env: Record<string, string | undefined>; cleanUp: (() => unknown)[] },
): Promise<boolean> {
  console.log(`building ${name}, if it has to be built …`);
  await buildRecipe(name);

  const port = await freePort();
  const effects: string[] = [];
  let printed = () => {};
  const child = await startRecipe(name, {
    port,
    secret,
    env,
    onLine(line) {
      console.log(`${name.padEnd(9)}| ${line}`);
      const [, id] = /took effect: (\S+)/.exec(line) ?? [];
      if (id !== undefined) effects.push(id);
      printed();
    },
  });
  cleanUp.unshift(() => child.kill());

  let passed = true;
  for (const path of pathsOf(name)) {
    const send = async (title: string, expected: number, delivery: ReturnType<typeof createTestDelivery>) => {
      const { status } = await delivery.send(`http://127.0.0.1:${port}${path}`);
      if (status !== expected) passed = false;
      console.log(`sender   | ${title}: ${status}`);
    };
    const [first, second, third] = [sampleEventEmitted(), sampleTransactionIncluded(), sampleEventEmitted()];
    const large = sampleEventEmitted({ data: { event: { rawFields: 'x'.repeat(2_000_000) } } });
    const genuine = createTestDelivery([first, second], { secret });
    await send('two events', 200, genuine);
    await send('the same again', 200, genuine);
    await send('a forged one', 403, createTestDelivery([sampleEventEmitted()], { secret: 'guessed' }));
    const hourAgo = Math.floor(Date.now() / 1000) - 3600;
    await send('one from an hour ago', 403, createTestDelivery([third], { secret, timestamp: hourAgo }));
    await send('one of 2 MB', 200, createTestDelivery([large], { secret }));
    await send('no JSON array', 400, createTestDelivery({ length: 0 } as never, { secret }));
    await send('a third event', 200, createTestDelivery([third], { secret }));
    // What a process printed may come after what it answered.
    while (!effects.includes(third.id)) {
      await new Promise<void>((resolve) => {
        printed = resolve;
      });
    }
    const expected = [first.id, second.id, large.id, third.id];
    if (JSON.stringify(effects.splice(0)) !== JSON.stringify(expected)) passed = false;
  }
  return passed;
}
