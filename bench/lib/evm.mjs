import {
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  keccak256,
  numberToHex,
  slice,
  toEventSignature,
} from 'viem';
import { pick } from './effort.mjs';
import { sampleEventEmitted } from './ours.mjs';

// The built subpath. It is apart from ours.mjs, so that no benchmark of another part has it in its process.
export { contractEvent, decodeEvent } from 'event-webhook-receiver/evm';

export const input = (name, type, more) => ({ name, type, indexed: false, ...more });
const indexed = (name, type) => input(name, type, { indexed: true });
export const eventAbi = (name, ...inputs) => ({ type: 'event', name, inputs });

export const TRANSFER = eventAbi(
  'Transfer',
  indexed('from', 'address'),
  indexed('to', 'address'),
  input('value', 'uint256'),
);
export const ORDERS = eventAbi(
  'OrdersFilled',
  indexed('maker', 'address'),
  input('orders', 'tuple[]', {
    components: [
      input('id', 'bytes32'),
      input('token', 'address'),
      input('amount', 'uint256'),
      input('expiry', 'uint64'),
    ],
  }),
  input('note', 'string'),
);

/** An ABI of so many events, the given one last. Each has a signature of its own. */
export function abiOf(count, wanted) {
  const others = Array.from({ length: count - 1 }, (_, at) => ({ ...TRANSFER, name: `Approval${at}` }));
  return [...others, wanted];
}

/** So many checksummed addresses, as a function of any number; the same ones in every run. */
export function addressesOf(count) {
  const addresses = Array.from({ length: count }, (_, index) => getAddress(slice(keccak256(numberToHex(index)), 12)));
  return (index) => addresses[index % count];
}

/** A value as the service writes it: text, and JSON text of whatever has elements. */
function wireOf(value) {
  if (typeof value !== 'object') return String(value);
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
}

/** An event of the wire that holds these arguments, in its inputs and in its log. */
function emitted(item, args) {
  const sample = sampleEventEmitted();
  const { event } = sample.data;
  const inData = item.inputs.filter((each) => !each.indexed);
  const log = {
    ...JSON.parse(event.rawFields),
    topics: encodeEventTopics({ abi: [item], args }),
    data: encodeAbiParameters(
      inData,
      inData.map(({ name }) => args[name]),
    ),
  };
  const typeOf = ({ type, components }) => type.replace('tuple', () => `(${components.map(typeOf).join()})`);
  const inputs = item.inputs.map((each) => {
    return { name: each.name, value: wireOf(args[each.name]), hashed: false, type: typeOf(each) };
  });
  Object.assign(event, { name: item.name, signature: toEventSignature(item), inputs, rawFields: JSON.stringify(log) });
  return sample;
}

/** The JSON texts of deliveries of events, each with the arguments that `argsOf` gives for its number. */
export function deliveriesOf(item, argsOf, count, size = Math.min(10, count)) {
  const events = Array.from({ length: count }, (_, index) => emitted(item, argsOf(index)));
  return Array.from({ length: count / size }, (_, at) => JSON.stringify(events.slice(at * size, (at + 1) * size)));
}

/** The log in an event, parsed and no more. */
export const logOf = ({ data }) => JSON.parse(data.event.rawFields);

/** The event as it comes without `rawFields`. */
export function withoutLog(event) {
  delete event.data.event.rawFields;
  return event;
}

/**
 * Milliseconds of `work` for an event. Each delivery is parsed just before, as in a receiver, and made what `work` takes
 * by `prepare`, while the clock stands still. So every object and every string is new, and nothing that is remembered of
 * an event is of use; and the garbage of `work` is collected in its own time, as far as it is its own.
 */
export function timePerEvent({ deliveries, prepare = (event) => event, work }) {
  let [total, count] = [0, 0];
  for (const text of deliveries) {
    const given = JSON.parse(text).map(prepare);
    const start = performance.now();
    for (const one of given) if (work(one).args === undefined) throw new Error('A candidate did not do its work.');
    total += performance.now() - start;
    count += given.length;
  }
  return total / count;
}

/** Long enough for the code to be compiled. */
const WARM_UP_MS = pick(300, 300, 0);

export function warmUp(candidates) {
  for (const candidate of Object.values(candidates)) {
    const end = performance.now() + WARM_UP_MS;
    while (performance.now() < end) timePerEvent(candidate);
  }
}
