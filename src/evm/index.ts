export { type ContractEventHandler, type ContractEventOptions, contractEvent } from './contract-event.js';
export { DecodeError, type DecodeErrorCode } from './decode-error.js';
export { type DecodeOptions, decodeEvent } from './decode-event.js';
export { decodeTransaction } from './decode-transaction.js';
export { isRemoved, logIdentity, rawLog } from './raw-log.js';
export type {
  DecodedCall,
  DecodedEvent,
  DecodedTransaction,
  EventArgs,
  EventNames,
  Hex,
  MatchedEvent,
  RawLog,
} from './types.js';
