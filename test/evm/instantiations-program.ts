import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

const STRUCT =
  "components: [{ name: 'token', type: 'address' }, { name: 'amount', type: 'uint256' }, { name: 'fees', type: 'uint24[2]' }]";
const TYPES = [
  ...["'address'", "'uint256'", "'address'", "'uint256'", "'bytes32'", "'bool'", "'uint48'", "'string'", "'int24'"],
  ...["'bytes'", "'address[]'", "'uint256[]'", `'tuple', ${STRUCT}`, `'tuple[]', ${STRUCT}`],
];

/** `count` inputs of mixed types, others for another `seed`; the first two of an event are indexed. */
function inputs(seed: number, count: number, isEvent: boolean): string {
  const each = Array.from({ length: count }, (_, index) => {
    const type = TYPES[(seed * 5 + index * 3) % TYPES.length];
    return `{ name: 'input${index}', type: ${type}${isEvent ? `, indexed: ${index < 2}` : ''} }`;
  });
  return `[${each.join(', ')}]`;
}

const times = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

/** A module with the ABI of a large contract: events of one to five inputs, and functions of none to four. */
function abiModule(events: number, functions: number): string {
  return `export const abi = [
${times(events, (i) => `{ type: 'event', name: 'Event${i}', inputs: ${inputs(i, 1 + (i % 5), true)} },`)}
${times(functions, (i) => `{ type: 'function', name: 'call${i}', stateMutability: 'payable', inputs: ${inputs(i, i % 5, false)}, outputs: [] },`)}
] as const;`;
}

const log = (object: string, count: number) => `console.log(${times(count, (i) => `${object}.input${i},`)});`;

/** What a project does with an ABI: a typed handler for each event, and all events and calls told apart in one place. */
const uses = {
  none: () => '',
  handlers: (events: number) =>
    times(
      events,
      (i) => `router.on(contractEvent({ abi, name: 'Event${i}' }), ({ args, log, event }, { tx }) => {
  tx.query(event.id, log?.blockHash);
  ${log('args', 1 + (i % 5))}
});`,
    ),
  events: (events: number) => `const decoded = decodeEvent(event, abi);
switch (decoded.eventName) {
${times(events, (i) => `case 'Event${i}': ${log('decoded.args', 1 + (i % 5))} break;`)}
default: decoded satisfies never;
}`,
  calls: (_: number, functions: number) => `const { call } = decodeTransaction(transaction, abi);
switch (call?.functionName) {
${times(functions, (i) => `case 'call${i}': console.log(call.args${i % 5 ? '[0]' : ''}); break;`)}
default: call satisfies undefined;
}`,
};

function useModule(use: keyof typeof uses, events: number, functions: number): string {
  return `import { createRouter, type EventEmitted, type TransactionIncluded } from '../../src/index.js';
import { contractEvent, decodeEvent, decodeTransaction } from '../../src/evm/index.js';
import { abi } from './instantiations-abi.js';
declare const event: EventEmitted;
declare const transaction: TransactionIncluded;
export const router = createRouter<{ query(...values: unknown[]): void }>();
export { abi, contractEvent, decodeEvent, decodeTransaction, event, transaction };
${uses[use](events, functions)}`;
}

// Between two programs the two modules change and nothing else, so that the rest is read once.
let before: ts.Program | undefined;
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * Type-checks a use of a large ABI with the project's options. Gives the errors, and how often the compiler filled in the
 * parameters of a type: its own measure of how much work types are.
 */
export function compile(use: keyof typeof uses, size: { events: number; functions: number }) {
  const main = `${root}test/evm/instantiations-use.ts`;
  const modules: Record<string, string> = {
    [main]: useModule(use, size.events, size.functions),
    [`${root}test/evm/instantiations-abi.ts`]: abiModule(size.events, size.functions),
  };
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [main] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path in modules || fileExists(path);
  host.getSourceFile = (path, language) => {
    // What decodes at run time has no part in the types of ./evm, and more files than all the rest.
    const text = path.includes('/node_modules/viem/') ? '' : modules[path];
    if (text !== undefined) return ts.createSourceFile(path, text, language);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, language));
    return parsed.get(path);
  };
  const program = ts.createProgram([main], options, host, before);
  before = program;
  const found = Object.keys(modules).flatMap((path) => program.getSemanticDiagnostics(program.getSourceFile(path)));
  return { problems: ts.formatDiagnostics(found, host), instantiations: program.getInstantiationCount() };
}
