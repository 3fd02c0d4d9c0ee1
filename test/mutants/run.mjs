// `npm run mutate -- [room …]`: breaks the code in every small way (Stryker) and runs the room's tests on each mutant.
// Prints the score of each room. Fails when one is below 95 %, or when a mutant survives that survivors/ROOM.mjs does not
// name. Incremental: what neither the code nor the tests changed since is not run again.
import { readFileSync } from 'node:fs';
import { installPins, root, run } from '../../scripts/install-pins.mjs';
import { ROOMS } from './rooms.mjs';
import { judge, toText } from './survivors.mjs';

const here = `${root}test/mutants`;
const LEAST = 95;

const rooms = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ROOMS);
const unknown = rooms.find((room) => !Object.hasOwn(ROOMS, room));
if (unknown !== undefined) throw new Error(`There is no room ${unknown}. Rooms: ${Object.keys(ROOMS).join(', ')}.`);
await installPins(here);

const rows = {};
const unnamed = [];
for (const room of rooms) {
  const stryker = `${here}/node_modules/@stryker-mutator/core/bin/stryker.js`;
  await run(process.execPath, [stryker, 'run', `${here}/stryker.config.mjs`], {
    env: { ...process.env, MUTANTS_ROOM: room },
  });
  const report = JSON.parse(readFileSync(`${root}.mutants/${room}.json`, 'utf8'));
  const { survivors } = await import(`./survivors/${room}.mjs`);
  const { row, unnamed: more, gone } = judge(report, survivors);
  rows[room] = row;
  unnamed.push(...more);
  for (const each of gone) console.log(`survivors/${room}.mjs names what no longer survives: ${each.file}: ${each.to}`);
}
console.table(rows);
for (const each of unnamed) console.log(toText(each));
const low = Object.entries(rows).filter(([, row]) => row['killed %'] < LEAST);
if (unnamed.length > 0) console.log(`${unnamed.length} mutants survive and are not named in survivors/.`);
if (unnamed.length > 0 || low.length > 0) process.exitCode = 1;
