// Written by contracts/compile.mjs: SampleToken.sol, solc 0.8.37+commit.f401782d, {"optimizer":{"enabled":true,"runs":1},"viaIR":true,"evmVersion":"cancun","metadata":{"bytecodeHash":"none","appendCBOR":false}}

// biome-ignore format: one line for each item is easier to read than one for each word.
export const sampleTokenAbi = [
  { inputs: [], stateMutability: 'nonpayable', type: 'constructor' },
  { anonymous: false, inputs: [{ indexed: true, name: 'from', type: 'address' }, { indexed: true, name: 'to', type: 'address' }, { indexed: false, name: 'value', type: 'uint256' }], name: 'Transfer', type: 'event' },
  { inputs: [{ name: 'owner', type: 'address' }], name: 'balanceOf', outputs: [{ name: '', type: 'uint256' }], stateMutability: 'view', type: 'function' },
  { inputs: [], name: 'decimals', outputs: [{ name: '', type: 'uint8' }], stateMutability: 'view', type: 'function' },
  { inputs: [], name: 'name', outputs: [{ name: '', type: 'string' }], stateMutability: 'view', type: 'function' },
  { inputs: [], name: 'symbol', outputs: [{ name: '', type: 'string' }], stateMutability: 'view', type: 'function' },
  { inputs: [], name: 'totalSupply', outputs: [{ name: '', type: 'uint256' }], stateMutability: 'view', type: 'function' },
  { inputs: [{ name: 'to', type: 'address' }, { name: 'value', type: 'uint256' }], name: 'transfer', outputs: [{ name: '', type: 'bool' }], stateMutability: 'nonpayable', type: 'function' },
] as const;

export const sampleTokenBytecode: `0x${string}` =
  '0x60808060405234606757335f525f6020526b033b2e3c9fd0803ce800000060405f20556b033b2e3c9fd0803ce800000081525f7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60203393a3604051610273908161006c8239f35b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c806306fdde03146101e257806318160ddd146101bc578063313ce567146101a157806370a082311461016a57806395d89b41146101025763a9059cbb1461005b575f80fd5b346100fe5760403660031901126100fe5761007461025d565b60243590335f525f60205260405f208054908382039182116100ea575560018060a01b031690815f525f60205260405f208054908282018092116100ea57556040519081527fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60203392a3602060405160018152f35b634e487b7160e01b5f52601160045260245ffd5b5f80fd5b346100fe575f3660031901126100fe5760408051908101906001600160401b038211818310176101565761015291604052600681526553414d504c4560d01b602082015260405191829182610233565b0390f35b634e487b7160e01b5f52604160045260245ffd5b346100fe5760203660031901126100fe576001600160a01b0361018b61025d565b165f525f602052602060405f2054604051908152f35b346100fe575f3660031901126100fe57602060405160128152f35b346100fe575f3660031901126100fe57604051676765c793fa10079d601b1b8152602090f35b346100fe575f3660031901126100fe5760408051908101906001600160401b038211818310176101565761015291604052600b81526a29b0b6b83632aa37b5b2b760a91b6020820152604051918291825b602060409281835280519182918282860152018484015e5f828201840152601f01601f1916010190565b600435906001600160a01b03821682036100fe5756';
