// Compiles the contracts of this directory and writes what the tests need of them to ../artifacts, which is committed; the
// one that the command line tool deploys goes to where that has it.
// The compiler is installed for that alone: npx -y -p solc@0.8.37 -c 'node test/real-chain/contracts/compile.mjs'
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);
const artifacts = new URL('../artifacts/', here);
const elsewhere = { SampleToken: new URL('../../../devtools/src/cli/anvil/', here) };
const VERSION = '0.8.37+commit.f401782d';

function solc(args, input) {
  const { status, stdout, stderr, error } = spawnSync('solcjs', args, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error || status !== 0) throw new Error(`solcjs failed: ${stderr}`, { cause: error });
  return stdout;
}

const version = solc(['--version']).trim();
if (!version.startsWith(VERSION)) throw new Error(`This is solc ${version}, and the artifacts are of ${VERSION}.`);

const files = readdirSync(here)
  .filter((file) => file.endsWith('.sol'))
  .sort();
const settings = {
  optimizer: { enabled: true, runs: 1 },
  viaIR: true,
  evmVersion: 'cancun',
  // What the bytecode is does not depend on comments, nor on where the sources lie.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
};
const input = {
  language: 'Solidity',
  sources: Object.fromEntries(files.map((file) => [file, { content: readFileSync(new URL(file, here), 'utf8') }])),
  settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
};
const printed = solc(['--standard-json'], JSON.stringify(input));
const { contracts, errors = [] } = JSON.parse(printed.slice(printed.indexOf('{')));
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));

mkdirSync(artifacts, { recursive: true });
for (const file of files) {
  const contract = file.replace('.sol', '');
  const { abi, evm } = contracts[file][contract];
  const name = contract[0].toLowerCase() + contract.slice(1);
  const text = `// Written by contracts/compile.mjs: ${file}, solc ${VERSION}, ${JSON.stringify(settings)}

// biome-ignore format: one line for each item is easier to read than one for each word.
export const ${name}Abi = [
${abi.map((item) => `  ${literal(item)},\n`).join('')}] as const;

export const ${name}Bytecode: \`0x\${string}\` =
  '0x${evm.bytecode.object}';
`;
  const directory = elsewhere[contract] ?? artifacts;
  writeFileSync(new URL(`${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`, directory), text);
}

/** The value as JavaScript, in the style of the project, and without what is only of interest to Solidity. */
function literal(value) {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const entries = Object.entries(value).filter(([key]) => key !== 'internalType');
  return `{ ${entries.map(([key, each]) => `${key}: ${literal(each)}`).join(', ')} }`;
}
