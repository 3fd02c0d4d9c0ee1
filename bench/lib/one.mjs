// Runs benchmarks of one file, and sends the rows of each, or the error with which it failed, to the process that forked
// this one.
import { inspect } from 'node:util';
import { pick } from './effort.mjs';

const [file, ...indices] = process.argv.slice(2);
const send = (message) => new Promise((resolve) => process.send(message, resolve));
const fail = (error) => send({ error: inspect(error) });
process.on('uncaughtException', async (error) => {
  await fail(error);
  process.exit();
});

const { benchmarks } = await import(file);
for (const index of indices) {
  try {
    const rows = await benchmarks[index].run({ quick: pick(false, true, true) });
    await send(rows.length > 0 ? { rows } : { error: 'The benchmark gives no row.' });
  } catch (error) {
    await fail(error);
  }
}
process.exit();
