// A node that counts its requests: blocks of logs, one to a transaction. The first block has transfers of the token; so do the
// others (`logs`), or they have logs of another contract, whose bloom filters exclude the token (`excluded`), hit it (`hit`),
// or are zeros, as are all of the chain (`useless`).
import { createServer } from 'node:http';
import { type Hex, keccak256, padHex } from 'viem';
import { answerOf } from '../../test/simulation/models/chain/answer.js';
import { wordOf } from '../../test/simulation/models/chain/block.js';
import { bitsOf } from '../../test/simulation/models/chain/bloom.js';
import { Chain } from '../../test/simulation/models/chain/chain.js';
import { token, transfers } from '../../test/simulation/models/chain/token.js';

const [blocks = 0, perBlock = 0] = process.argv.slice(2).map(Number);
const shape = process.argv[4];

/** A word that sets a bit of the filter. */
function wordWith(bit: number): Hex {
  let value = 1_000_000;
  while (!bitsOf(wordOf(value)).includes(bit)) value++;
  return wordOf(value);
}
const [transfer] = transfers(1).logs;
const OTHER = keccak256(new TextEncoder().encode('Other(uint256)'));
/** Logs of the other contract: with these topics, the filter is one that the token's transfers would leave. */
const hit = () => [transfer?.address, transfer?.topics[0]].flatMap((value) => bitsOf(value as Hex)).map(wordWith);
const topics = shape === 'hit' ? hit() : [OTHER];
const other = (at: number) => ({
  logs: [{ address: padHex('0xabc', { size: 20 }), topics: [topics[at % topics.length] as Hex], data: '0x' as const }],
});

const chain = new Chain();
const places = Array.from({ length: perBlock }, (_, at) => at);
chain.drop(1);
for (let number = 0; number < blocks; number++) {
  const isOfToken = number === 0 || shape === 'logs';
  chain.mine(places.map((at) => ({ ...(isOfToken ? transfers(1) : other(at)), to: token.address })));
}
const view = {
  ...{ chain: chain.blocks, finalized: blocks - 1, safe: blocks - 1 },
  ...(shape === 'useless' && { bloomOf: () => padHex('0x', { size: 256 }) }),
};

let count = 0;
const server = createServer(async (request, response) => {
  count++;
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { id, method, params } = JSON.parse(text);
  const result = answerOf(view, method, params);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}).listen(0, '127.0.0.1', () => process.send?.(Object(server.address()).port));
process.on('message', () => process.send?.(count));
process.on('disconnect', () => process.exit());
