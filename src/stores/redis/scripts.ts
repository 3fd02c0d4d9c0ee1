/** How long the key of an ended lease stays, in ms, so that the next claim knows that its run was killed: 7 days. */
export const TRACE_MS = 604_800_000;

// The value of a claimed key is its owner, and `done:` with the owner once it took effect. So if a client repeats a
// command because the connection broke before the answer came, the script recognizes its work and repeats the answer.
// The key of a claim expires TRACE_MS after the lease, so the lease has ended when at most TRACE_MS is left.
// A key that has failed is a hash. The answer `other` makes the store use failed-scripts.ts: every EVAL sends its whole
// script, so these scripts are short.
// All reads are in scripts: a script always goes to the primary, while a replica may lag behind.
// A script gets keys of several runs. The arguments are a time in ms and the owner of each key. The answer for a key
// that cannot be read is its error, so that only its own run fails.

export const CLAIM = `local words = {}
for i, key in ipairs(KEYS) do
local owner = ARGV[i + 1]
if redis.call('set', key, owner, 'px', ARGV[1], 'nx') then
words[i] = 'claimed'
else
local held = redis.pcall('get', key)
if type(held) == 'table' then
words[i] = 'other'
elseif held == owner then
redis.call('pexpire', key, ARGV[1])
words[i] = 'claimed'
elseif held and string.sub(held, 1, 5) == 'done:' then
words[i] = 'duplicate'
else
local left = redis.call('pttl', key)
if left >= 0 and left < ${TRACE_MS} then
redis.call('set', key, owner, 'px', ARGV[1])
words[i] = 'abandoned'
else
words[i] = 'in-progress'
end
end
end
end
return words`;

export const RECORD = `local words = {}
for i, key in ipairs(KEYS) do
local owner, held = ARGV[i + 1], redis.pcall('get', key)
local done = 'done:' .. owner
if type(held) == 'table' then
words[i] = 'other'
else
local left = -1
if held and held ~= owner and string.sub(held, 1, 5) ~= 'done:' then left = redis.call('pttl', key) end
if not held or held == owner or held == done or left >= 0 and left < ${TRACE_MS} then
redis.call('set', key, done, 'px', ARGV[1])
words[i] = 'recorded'
else
words[i] = 'taken'
end
end
end
return words`;

export const RELEASE = `local words = {}
for i, key in ipairs(KEYS) do
local held = redis.pcall('get', key)
if held == ARGV[i + 1] then redis.call('del', key) end
words[i] = type(held) == 'table' and 'other' or 'released'
end
return words`;
