/** How long the key of an ended lease stays, in ms, so that the next claim knows that its run was killed: 7 days. */
export const TRACE_MS = 604_800_000;

// The value of a key is a row, as JSON that people can read:
//   state      `lease`, `done`, `failed` or `dead`: a dead letter
//   owner      of the last run, until the run ends or is recorded; `endsAt` is the last ms of its lease
//   record, claimedAt, doneAt, attempts, firstFailedAt, lastFailedAt, code, message, letter
//   failure    the id of the last call that counted a failure
// Times are in epoch ms of the server. A client may repeat a command because the connection broke before the answer came:
// by `owner` and `failure` the script recognizes its work and repeats the answer.
// All reads are in scripts: a script always goes to the primary, while a replica may lag behind.
// A script answers one word for each key. The answer for a key that cannot be read is its error, so that only its own run
// fails.

const ROWS = `local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function read(key)
local row, text = {}, redis.pcall('get', key)
if type(text) == 'table' then
row.error = 'error:WRONGTYPE'
elseif text and string.sub(text, 1, 1) == '{' then
row = cjson.decode(text)
elseif text then
row.error = 'error:not a row'
end
return row
end
local function write(key, row, ms)
if row.state == 'dead' then
redis.call('set', key, cjson.encode(row))
else
redis.call('set', key, cjson.encode(row), 'px', ms)
end
end
local words = {}
`;

/** Arguments: leaseMs, how long the row stays, the required state (`free` or `dead`); the owner and record of each key. */
export const CLAIM = `${ROWS}for i, key in ipairs(KEYS) do
local owner, record, row = ARGV[i + 3], ARGV[#KEYS + i + 3], read(key)
if row.error then
words[i] = row.error
elseif row.state == 'done' then
words[i] = 'duplicate'
elseif row.owner and row.owner ~= owner and row.endsAt >= now then
words[i] = 'in-progress'
elseif (row.state == 'dead') ~= (ARGV[3] == 'dead') then
words[i] = 'duplicate'
else
words[i] = row.owner and row.owner ~= owner and 'abandoned' or 'claimed'
row.state = row.state or 'lease'
row.owner, row.endsAt, row.claimedAt = owner, now + tonumber(ARGV[1]), now
if record ~= '' then row.record = cjson.decode(record) end
write(key, row, ARGV[2])
end
end
return words`;

/** Arguments: retentionMs; the owner of each key. Answers `settled` for a dead letter. */
export const RECORD = `${ROWS}for i, key in ipairs(KEYS) do
local owner, row = ARGV[i + 1], read(key)
if row.error then
words[i] = row.error
elseif row.owner ~= owner and (row.state == 'done' or row.owner and row.endsAt >= now) then
words[i] = 'taken'
else
words[i] = row.state == 'dead' and 'settled' or 'recorded'
row.state, row.owner, row.doneAt = 'done', owner, row.doneAt or now
row.endsAt, row.code, row.message, row.letter = nil
write(key, row, ARGV[1])
end
end
return words`;

/** Arguments: retentionMs; the owner of each key. */
export const RELEASE = `${ROWS}for i, key in ipairs(KEYS) do
local row = read(key)
if row.owner == ARGV[i + 1] and row.state ~= 'done' then
local left = row.state == 'failed' and row.lastFailedAt + tonumber(ARGV[1]) - now or 0
row.owner, row.endsAt = nil
if row.state == 'dead' or left > 0 then
write(key, row, left)
else
redis.call('del', key)
end
end
words[i] = 'released'
end
return words`;

/**
 * Arguments: id, retentionMs, afterAttempts, afterMs, whether the index has the key, record, code, message, letter.
 * Answers `index`, without a change, if the key would become a dead letter but is not in the index.
 */
export const FAIL = `${ROWS}local key, id = KEYS[1], ARGV[1]
local row = read(key)
if row.error then return {row.error} end
if row.failure ~= id then
if row.state == 'done' or row.owner and row.endsAt >= now then return {'taken'} end
local attempts, first = (row.attempts or 0) + 1, row.firstFailedAt or now
local isDue = attempts >= tonumber(ARGV[3]) and now - first >= tonumber(ARGV[4])
if isDue and row.state ~= 'dead' and ARGV[5] == 'no' then return {'index'} end
row.state = (isDue or row.state == 'dead') and 'dead' or 'failed'
row.attempts, row.firstFailedAt, row.lastFailedAt = attempts, first, now
row.failure, row.code, row.message = id, ARGV[7], ARGV[8]
local record = cjson.decode(ARGV[6])
if record.kind then
row.record = record
else
row.record = row.record or {}
row.record.source = record.source
end
if row.state == 'dead' then row.letter = ARGV[9] end
write(key, row, ARGV[2])
end
return {'=' .. row.attempts .. ':' .. row.firstFailedAt .. ':' .. row.state}`;

/** Answers the row after `=`, or after `~` if the lease of its run has ended; `none` for a key without a row. */
export const LOOK = `${ROWS}for i, key in ipairs(KEYS) do
local row = read(key)
if row.error or not row.state then
words[i] = 'none'
else
words[i] = (row.endsAt and row.endsAt < now and '~' or '=') .. redis.call('get', key)
end
end
return words`;

/** Arguments: retentionMs, an id. */
export const DISCARD = `${ROWS}for i, key in ipairs(KEYS) do
local row = read(key)
words[i] = row.state == 'done' and row.owner == ARGV[2] and 'discarded' or 'kept'
if row.state == 'dead' and not (row.owner and row.endsAt >= now) then
row.state, row.owner = 'done', ARGV[2]
row.endsAt, row.doneAt, row.code, row.message, row.letter = nil
write(key, row, ARGV[1])
words[i] = 'discarded'
end
end
return words`;
