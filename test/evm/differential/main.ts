// Compares our decoder with those of viem and ethers: `npx tsx test/evm/differential/main.ts [pairs] [seed]`.
import { compare } from './compare.js';

const [pairs = 1_000_000, seed = 1] = process.argv.slice(2).map(Number);
const start = process.cpuUsage();
const { differences, mutantsRead } = compare(pairs, seed, (done) => {
  if (done % 100_000 === 0) console.log(`${done} pairs`);
});
const { user, system } = process.cpuUsage(start);
const seconds = (user + system) / 1e6;
console.log(`${pairs} pairs of seed ${seed} agree, ${Math.round(pairs / seconds)} a second of CPU.`);
console.log(`Of their mutants ${mutantsRead} are decoded. Differences, all explained:`);
for (const [name, count] of differences) console.log(`  ${String(count).padStart(8)}  ${name}`);
// A rule that explains nothing has to go.
if (pairs >= 100_000 && [...differences.values()].includes(0)) process.exitCode = 1;
