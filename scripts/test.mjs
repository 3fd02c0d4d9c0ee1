// `npm test`, `npm run test:servers`, …: the tests of some tiers (scripts/tiers.mjs), after installing what they need
// and building.
//
//   node scripts/test.mjs [tier …] [--all] [--without-peers] [--install] [-- arguments of Vitest]
//
// `--all` takes every tier, and after them the suites with other peers, unless `--without-peers` leaves those out.
// `--install` installs what is needed and ends.
import { parseArgs } from 'node:util';
import { installNeeds } from './install-needs.mjs';
import { root, run } from './install-pins.mjs';
import { TIERS } from './tiers.mjs';

const split = process.argv.indexOf('--', 2);
const [own, vitest] =
  split < 0 ? [process.argv.slice(2), []] : [process.argv.slice(2, split), process.argv.slice(split + 1)];
const options = { all: { type: 'boolean' }, install: { type: 'boolean' }, 'without-peers': { type: 'boolean' } };
const { values, positionals } = parseArgs({ args: own, options, allowPositionals: true });
const names = values.all ? Object.keys(TIERS) : positionals;
const tiers = names.map((name) => {
  if (!Object.hasOwn(TIERS, name))
    throw new Error(`There is no tier ${name}. Tiers: ${Object.keys(TIERS).join(', ')}.`);
  return TIERS[name];
});

installNeeds(tiers.flatMap(({ needs }) => needs));
if (values.all && values.install) run(process.execPath, [`${root}scripts/test-peers.mjs`, '--install']);
if (!values.install) {
  run('npm', ['run', '--silent', tiers.some(({ builds }) => builds === 'types') ? 'build' : 'build:js']);
  const projects = names.flatMap((name) => ['--project', name]);
  run(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...projects, ...vitest]);
  if (values.all && !values['without-peers']) run(process.execPath, [`${root}scripts/test-peers.mjs`, '--built']);
}
