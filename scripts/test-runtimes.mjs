// `npm run test:runtimes`: the conformance suite in every runtime. Fetches the runtimes through npm where they are not
// there in the pinned versions, builds, and runs test/runtimes; arguments go to vitest. `--install` only fetches.
import { installPins, root, run } from './install-pins.mjs';

const args = process.argv.slice(2);
installPins(`${root}test/runtimes`);
if (!args.includes('--install')) {
  run(process.execPath, [`${root}node_modules/tsup/dist/cli-default.js`, '--silent']);
  run(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', 'test/runtimes', ...args]);
}
