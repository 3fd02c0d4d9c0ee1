// A node that counts its requests: blocks of logs, one to a transaction. The first block has transfers of the token; so do the
// others (`logs`), or they have logs of another contract, whose bloom filters exclude the token (`excluded`), hit it (`hit`),
// or are zeros, as are all of the chain (`useless`).
import { createServer } from 'node:http';
import { keccak256, numberToHex, padHex } from 'viem';

const [blocks, perBlock] = process.argv.slice(2).map(Number);
const shape = process.argv[4];
const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const TRANSFER = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
const word = (value) => padHex(numberToHex(value), { size: 32 });
const hashOf = (block) => word(0xb0000000 + block);

function bitsOf(value) {
  const hash = keccak256(value, 'bytes');
  return [0, 2, 4].map((at) => (hash[at] * 256 + hash[at + 1]) % 2048);
}
function bloomOf(values) {
  const bits = values.flatMap(bitsOf).map((bit) => 1n << BigInt(bit));
  return padHex(numberToHex(bits.reduce((bloom, bit) => bloom | bit, 0n)), { size: 256 });
}
/** A word that sets a bit of the filter. */
function wordWith(bit) {
  let value = 1_000_000;
  while (!bitsOf(word(value)).includes(bit)) value++;
  return word(value);
}
const other = padHex('0xabc', { size: 20 });
const OTHER = keccak256(new TextEncoder().encode('Other(uint256)'));
/** Logs of the other contract: with these topics, the filter is one that the token's transfers would leave. */
const topics = shape === 'hit' ? [token, TRANSFER].flatMap(bitsOf).map((bit) => [wordWith(bit)]) : [[OTHER]];
const written = (number, at) =>
  number === 0 || shape === 'logs'
    ? { address: token, topics: [TRANSFER, word(at + 1), word(at + 2)], data: word(number * 1000 + at) }
    : { address: other, topics: topics[at % topics.length], data: '0x' };

const chain = Array.from({ length: blocks }, (_, number) => {
  const where = { blockNumber: numberToHex(number), blockHash: hashOf(number) };
  const places = Array.from({ length: perBlock }, (_, at) => {
    return { ...where, transactionHash: word(0x7a00000000 + number * 1000 + at), transactionIndex: numberToHex(at) };
  });
  const transactions = places.map((place, at) => ({
    ...{ ...where, hash: place.transactionHash, transactionIndex: place.transactionIndex, type: '0x2' },
    ...{
      from: padHex(numberToHex(at + 1), { size: 20 }),
      to: token,
      input: `0xa9059cbb${word(at).slice(2)}${word(at).slice(2)}`,
    },
    ...{
      nonce: '0x0',
      gas: '0x5208',
      gasPrice: '0x1',
      value: '0x0',
      chainId: '0x7a69',
      r: word(1),
      s: word(2),
      v: '0x0',
    },
  }));
  const logs = places.map((place, at) => ({
    ...written(number, at),
    ...{ ...place, logIndex: numberToHex(at), removed: false },
  }));
  const values = shape === 'useless' ? [] : logs.flatMap(({ address, topics }) => [address, ...topics]);
  const bloom = bloomOf([...new Set(values)]);
  const own = logs.filter(({ address }) => address === token);
  const header = {
    ...{ number: numberToHex(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
    ...{ timestamp: numberToHex(1_800_000_000 + number), logsBloom: bloom },
  };
  return {
    logs: own.map((log) => JSON.stringify(log)).join(),
    all: JSON.stringify(logs),
    receipts: JSON.stringify(places.map((place, at) => ({ ...place, status: '0x1', logs: [logs[at]] }))),
    full: JSON.stringify({ ...header, transactions }),
    header: JSON.stringify({ ...header, transactions: transactions.map(({ hash }) => hash) }),
  };
});

function answer(method, [first, second]) {
  if (method === 'eth_chainId') return '"0x7a69"';
  if (method === 'eth_blockNumber') return JSON.stringify(numberToHex(blocks - 1));
  if (method === 'eth_getBlockByNumber') {
    const block = chain[['finalized', 'latest'].includes(first) ? blocks - 1 : Number(first)];
    return block?.[second ? 'full' : 'header'] ?? 'null';
  }
  if (method === 'eth_getBlockReceipts') return chain[Number(first) - 0xb0000000].receipts;
  const { blockHash, fromBlock, toBlock, address } = first;
  if (blockHash && !address) return chain[Number(blockHash) - 0xb0000000].all;
  if (blockHash) return `[${chain[Number(blockHash) - 0xb0000000].logs}]`;
  return `[${chain
    .slice(Number(fromBlock), Number(toBlock) + 1)
    .map(({ logs }) => logs)
    .filter((logs) => logs !== '')
    .join()}]`;
}

let count = 0;
const server = createServer(async (request, response) => {
  count++;
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { id, method, params } = JSON.parse(text);
  response
    .setHeader('content-type', 'application/json')
    .end(`{"jsonrpc":"2.0","id":${id},"result":${answer(method, params)}}`);
}).listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('message', () => process.send(count));
process.on('disconnect', () => process.exit());
