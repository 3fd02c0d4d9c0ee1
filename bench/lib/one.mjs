// Runs one benchmark and sends its rows, or the error with which it failed, to the process that forked this one.
import { inspect } from 'node:util';
import { pick } from './effort.mjs';

const [file, index] = process.argv.slice(2);
const end = (message) => process.send(message, () => process.exit());
process.on('uncaughtException', (error) => end({ error: inspect(error) }));

const { benchmarks } = await import(file);
const rows = await benchmarks[index].run({ quick: pick(false, true, true) });
end(rows.length > 0 ? { rows } : { error: 'The benchmark gives no row.' });
