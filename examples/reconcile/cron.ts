// For cron, such as once an hour: `17 * * * * node cron.js`. Two runs at a time do no harm. Exit code 1: look at the log.
import { pool, run } from './receiver.js';

const closing = new AbortController();
process.once('SIGTERM', () => closing.abort());

const { failed, stopped } = await run(closing.signal);
await pool.end();
process.exitCode = failed > 0 || stopped ? 1 : 0;
