-- Append one entry to a game's log, with everything that follows from it, or change nothing. A new game that waits
-- for its seats has no entry yet.
-- KEYS: game, log, deals, gone, due, changed (the channel that wakes readers)
-- ARGV: 1 game id, 2 header ('' unless the game is new), 3 expected version, 4 entry (a JSON object, not empty)
--       ('' for a new game that waits), 5 standing, 6 status, 7 the state that a new deal starts from ('' unless there is one),
--       8 due kind ('' for none), 9 due delay in ms, 10 retention in ms, 11 tombstone retention in ms,
--       12 tombstone (a JSON object), 13 expected cursor ('' for any), 14 when it is due, in ms ('' for the delay)
-- Answers {1, version, cursor, at, expires_at, due_at}, or {0, version} where the game has moved on, is new or is gone.
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local has = redis.call('HMGET', KEYS[1], 'version', 'cursor', 'due')
if (ARGV[2] ~= '') == (has[1] ~= false) then
    return {0, tonumber(has[1] or -1)}
end
if (has[1] or '0') ~= ARGV[3] or (ARGV[13] ~= '' and has[2] ~= ARGV[13]) then
    return {0, tonumber(has[1])}
end

-- The log, and the cursor that names this point of this history.
local version = tonumber(ARGV[3]) + (ARGV[4] == '' and 0 or 1)
local cursor = ARGV[4] == '' and '0-' or version .. '-' .. string.sub(redis.sha1hex((has[2] or ARGV[1]) .. ARGV[4] .. at), 1, 12)
if ARGV[4] ~= '' then
    redis.call('RPUSH', KEYS[2], '{"version":' .. version .. ',"cursor":"' .. cursor .. '","at":'
        .. string.format('%.0f', at) .. ',' .. string.sub(ARGV[4], 2))
end

-- The game as it is now.
local expires = at + tonumber(ARGV[10])
redis.call('HSET', KEYS[1], 'version', version, 'cursor', cursor, 'standing', ARGV[5], 'status', ARGV[6],
    'turn_at', string.format('%.0f', at), 'expires_at', string.format('%.0f', expires))
if ARGV[2] ~= '' then
    redis.call('HSET', KEYS[1], 'header', ARGV[2], 'created_at', string.format('%.0f', at))
end
if ARGV[7] ~= '' then
    redis.call('HSET', KEYS[1], 'start', ARGV[7], 'start_version', version)
    redis.call('RPUSH', KEYS[3], ARGV[7])
end

-- What has to happen next, written with the move, so that no crash can come between them.
if has[3] and has[3] ~= '' then
    redis.call('ZREM', KEYS[5], has[3])
end
local due, due_at = '', 0
if ARGV[8] ~= '' then
    due = ARGV[1] .. ':' .. version .. ':' .. ARGV[8]
    due_at = ARGV[14] ~= '' and tonumber(ARGV[14]) or at + tonumber(ARGV[9])
    redis.call('ZADD', KEYS[5], string.format('%.0f', due_at), due)
end
redis.call('HSET', KEYS[1], 'due', due, 'due_at', string.format('%.0f', due_at))

-- Retention: every key has its end, and the tombstone outlives the game.
for key = 1, 3 do
    redis.call('PEXPIREAT', KEYS[key], string.format('%.0f', expires))
end
redis.call('SET', KEYS[4], ARGV[12], 'PXAT', string.format('%.0f', expires + tonumber(ARGV[11])))
redis.call('PUBLISH', KEYS[6], ARGV[1] .. ' ' .. version)
return {1, version, cursor, at, expires, due_at}
