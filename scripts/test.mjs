// `npm test`, `npm run test:tier servers`, …: the tests of some tiers (scripts/tiers.mjs), after installing what they need
// and building.
//
//   node scripts/test.mjs [tier …] [--all] [--without-peers] [--install] [--built] [arguments of Vitest]
//
// `peers` is the suites with other peers. `--all` takes every tier and these, which `--without-peers` leaves out.
// `--install` installs what is needed and ends. `--built`: both packages have been built, with their types.
import { installNeeds } from './install-needs.mjs';
import { root, run } from './install-pins.mjs';
import { TIERS } from './tiers.mjs';

const args = process.argv.slice(2);
const names = new Set();
const flags = new Set();
while (args.length > 0) {
  if (Object.hasOwn(TIERS, args[0]) || args[0] === 'peers') names.add(args.shift());
  else if (['--all', '--without-peers', '--install', '--built'].includes(args[0])) flags.add(args.shift());
  else break;
}
if (flags.has('--all')) for (const name of [...Object.keys(TIERS), 'peers']) names.add(name);
if (flags.has('--without-peers')) names.delete('peers');
if (names.size === 0) throw new Error(`Name a tier: ${[...Object.keys(TIERS), 'peers'].join(', ')}.`);

const withPeers = names.delete('peers');
const tiers = [...names].map((name) => TIERS[name]);
await installNeeds(tiers.flatMap(({ needs }) => needs));
const peers = (...given) => run(process.execPath, [`${root}scripts/test-peers.mjs`, ...given]);
if (flags.has('--install')) {
  if (withPeers) await peers('--install');
} else {
  if (tiers.length > 0) {
    const build = tiers.some(({ builds }) => builds === 'types') ? 'build' : 'build:js';
    if (!flags.has('--built')) await run('npm', ['run', '--silent', build]);
    const projects = [...names].flatMap((name) => ['--project', name]);
    await run(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...projects, ...args]);
  }
  if (withPeers)
    await peers(...(tiers.length > 0 || flags.has('--built') ? ['--built'] : []), ...(tiers.length > 0 ? [] : args));
}
