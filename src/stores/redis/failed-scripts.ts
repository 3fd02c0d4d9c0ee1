import { TRACE_MS } from './scripts.js';

// The key of a run that failed is a hash: attempts, firstFailedAt, lastFailedAt, source, errorCode, errorMessage;
// `failure`, the id of the last call, so that a call that the client repeats counts once; the owner and `until` while a
// run has the key; and `letter` if it is a dead letter. Times are in epoch ms of the server. Dead letters never expire.
// Each answer is a word or begins with `=`: Upstash parses an answer that looks like JSON.

const NOW = `local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local whole = function(number) return string.format('%.0f', number) end
local kindOf = function(key) return redis.call('type', key).ok end
local isDone = function(held) return string.sub(held, 1, 5) == 'done:' end
`;

/** Arguments: leaseMs, retentionMs, the required state of the key (`free` or `dead`), the owner. */
export const CLAIM_FAILED = `${NOW}local words, owner = {}, ARGV[4]
for i, key in ipairs(KEYS) do
local kind = kindOf(key)
if kind == 'hash' then
local held, ends, letter = unpack(redis.call('hmget', key, 'owner', 'until', 'letter'))
if held and held ~= owner and tonumber(ends) > now then
words[i] = 'in-progress'
elseif (letter and 'dead' or 'free') ~= ARGV[3] then
words[i] = 'duplicate'
else
redis.call('hset', key, 'owner', owner, 'until', whole(now + ARGV[1]))
if not letter then redis.call('pexpire', key, whole(ARGV[1] + ARGV[2])) end
words[i] = held and held ~= owner and 'abandoned' or 'claimed'
end
elseif kind == 'string' then
local isLive = redis.call('pttl', key) >= ${TRACE_MS} or ARGV[3] == 'free'
words[i] = not isDone(redis.call('get', key)) and isLive and 'in-progress' or 'duplicate'
elseif kind ~= 'none' then
words[i] = 'error:WRONGTYPE ' .. kind
elseif ARGV[3] == 'free' then
redis.call('set', key, owner, 'px', whole(ARGV[1] + ${TRACE_MS}))
words[i] = 'claimed'
else
words[i] = 'duplicate'
end
end
return words`;

/** Arguments: retentionMs, the owner. */
export const RECORD_FAILED = `${NOW}local words, owner = {}, ARGV[2]
local done = 'done:' .. owner
for i, key in ipairs(KEYS) do
local kind = kindOf(key)
words[i] = 'recorded'
if kind == 'hash' then
local held, ends, letter = unpack(redis.call('hmget', key, 'owner', 'until', 'letter'))
if held and held ~= owner and tonumber(ends) > now then
words[i] = 'taken'
elseif letter then
words[i] = 'settled'
end
elseif kind == 'string' then
local held = redis.call('get', key)
if held ~= owner and held ~= done then words[i] = 'taken' end
elseif kind ~= 'none' then
words[i] = 'error:WRONGTYPE ' .. kind
end
if words[i] == 'recorded' or words[i] == 'settled' then redis.call('set', key, done, 'px', ARGV[1]) end
end
return words`;

/** Arguments: retentionMs, the owner. */
export const RELEASE_FAILED = `${NOW}local words = {}
for i, key in ipairs(KEYS) do
if redis.pcall('hget', key, 'owner') == ARGV[2] then
redis.call('hdel', key, 'owner', 'until')
local last, letter = unpack(redis.call('hmget', key, 'lastFailedAt', 'letter'))
if not letter then redis.call('pexpireat', key, whole(last + ARGV[1])) end
end
words[i] = 'released'
end
return words`;

/**
 * Arguments: id, retentionMs, afterAttempts, afterMs, whether the index has the key, code, message, letter, and the
 * source if there is one. Answers `index`, without a change, if the key would become a dead letter but is not in the
 * index.
 */
export const FAIL = `${NOW}local key, id = KEYS[1], ARGV[1]
local kind = kindOf(key)
local killed, ends, attempts, first, letter, last
if kind == 'string' then
killed = redis.call('get', key)
local left = redis.call('pttl', key)
if isDone(killed) or left < 0 or left >= ${TRACE_MS} then return {'taken'} end
elseif kind == 'hash' then
local owner
owner, ends, attempts, first, letter, last =
unpack(redis.call('hmget', key, 'owner', 'until', 'attempts', 'firstFailedAt', 'letter', 'failure'))
if last == id then return {'=' .. attempts .. ':' .. first .. ':' .. (letter and 'dead' or 'free')} end
if owner and tonumber(ends) > now then return {'taken'} end
elseif kind ~= 'none' then
return {'error:WRONGTYPE ' .. kind}
end
attempts, first = (attempts or 0) + 1, first or now
local isDead = letter or attempts >= tonumber(ARGV[3]) and now - first >= tonumber(ARGV[4])
if isDead and not letter and ARGV[5] == 'no' then return {'index'} end
if killed then
redis.call('del', key)
redis.call('hset', key, 'owner', killed, 'until', '0')
end
attempts, first = whole(attempts), whole(first)
redis.call('hset', key, 'attempts', attempts, 'firstFailedAt', first, 'lastFailedAt', whole(now))
redis.call('hset', key, 'errorCode', ARGV[6], 'errorMessage', ARGV[7], 'failure', id)
redis.call('hdel', key, 'source')
if ARGV[9] then redis.call('hset', key, 'source', ARGV[9]) end
if isDead then
redis.call('hset', key, 'letter', ARGV[8])
redis.call('persist', key)
else
redis.call('pexpire', key, ARGV[2])
end
return {'=' .. attempts .. ':' .. first .. ':' .. (isDead and 'dead' or 'free')}`;

/** The fields of a dead letter, in the order of the answer of {@link LOOK}. */
export const FIELDS = [
  'letter',
  'errorCode',
  'errorMessage',
  'attempts',
  'firstFailedAt',
  'lastFailedAt',
  'source',
] as const;

/** Argument: the source, to return only its letters. Answers `done`, `none` or the fields. */
export const LOOK = `local words = {}
for i, key in ipairs(KEYS) do
words[i] = 'none'
local held = redis.pcall('get', key)
if type(held) == 'table' then
local found = redis.pcall('hmget', key, ${FIELDS.map((field) => `'${field}'`)})
if found[1] and (ARGV[1] == nil or ARGV[1] == found[${FIELDS.indexOf('source') + 1}]) then
for j = 1, ${FIELDS.length} do found[j] = found[j] and '=' .. found[j] or '' end
words[i] = found
end
elseif held and string.sub(held, 1, 5) == 'done:' then
words[i] = 'done'
end
end
return words`;

/** Arguments: retentionMs, an id. */
export const DISCARD = `${NOW}local words, done = {}, 'done:' .. ARGV[2]
for i, key in ipairs(KEYS) do
words[i] = 'kept'
local kind = kindOf(key)
if kind == 'hash' then
local ends, letter = unpack(redis.call('hmget', key, 'until', 'letter'))
if letter and not (ends and tonumber(ends) > now) then
redis.call('set', key, done, 'px', ARGV[1])
words[i] = 'discarded'
end
elseif kind == 'string' and redis.call('get', key) == done then
words[i] = 'discarded'
end
end
return words`;
