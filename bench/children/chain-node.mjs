// A node that counts its requests: blocks of transfers, one to a transaction.
import { createServer } from 'node:http';
import { keccak256, numberToHex, padHex } from 'viem';

const [blocks, perBlock] = process.argv.slice(2).map(Number);
const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const TRANSFER = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
const word = (value) => padHex(numberToHex(value), { size: 32 });
const hashOf = (block) => word(0xb0000000 + block);

function bloomOf(values) {
  const hashes = values.map((value) => keccak256(value, 'bytes'));
  const bits = hashes.flatMap((hash) => [0, 2, 4].map((at) => 1n << BigInt((hash[at] * 256 + hash[at + 1]) % 2048)));
  return padHex(numberToHex(bits.reduce((bloom, bit) => bloom | bit, 0n)), { size: 256 });
}
const words = Array.from({ length: perBlock + 1 }, (_, at) => word(at + 1));
const bloom = bloomOf([token, TRANSFER, ...words]);

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
    ...{ address: token, topics: [TRANSFER, word(at + 1), word(at + 2)], data: word(number * 1000 + at) },
    ...{ ...place, logIndex: numberToHex(at), removed: false },
  }));
  const header = {
    ...{ number: numberToHex(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
    ...{ timestamp: numberToHex(1_800_000_000 + number), logsBloom: bloom },
  };
  return {
    logs: logs.map((log) => JSON.stringify(log)).join(),
    full: JSON.stringify({ ...header, transactions }),
    header: JSON.stringify({ ...header, transactions: transactions.map(({ hash }) => hash) }),
  };
});

function answer(method, [first, second]) {
  if (method === 'eth_chainId') return '"0x7a69"';
  if (method === 'eth_blockNumber') return JSON.stringify(numberToHex(blocks - 1));
  if (method === 'eth_getBlockByNumber')
    return chain[first === 'finalized' ? blocks - 1 : Number(first)][second ? 'full' : 'header'];
  const { blockHash, fromBlock, toBlock } = first;
  if (blockHash) return `[${chain[Number(blockHash) - 0xb0000000].logs}]`;
  return `[${chain
    .slice(Number(fromBlock), Number(toBlock) + 1)
    .map(({ logs }) => logs)
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
