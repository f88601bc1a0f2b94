-- Add what a range came to, if the range is still open: once, however many have played it.
-- KEYS: about, open, tally (of its segment, or of all), rows, workers.
-- ARGV: 1 range, 2 its segment (0 where there are none), 3 rows ('' for none), 4 worker, 5 microseconds of play,
--       6 retention in ms, then names and numbers to add.
-- Answers 1, 2 where the simulation is done with it, or 0 where the range was not open.
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then
    return 0
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local count = tonumber(string.match(ARGV[1], ':(%d+)'))
for place = 7, #ARGV, 2 do
    -- Numbers stay text: Lua's own are exact up to 2^53 only.
    redis.call('HINCRBY', KEYS[3], ARGV[place], ARGV[place + 1])
end
if ARGV[3] ~= '' then
    redis.call('HSET', KEYS[4], ARGV[1], ARGV[3])
end
redis.call('SADD', KEYS[5], ARGV[4])

local done = redis.call('HINCRBY', KEYS[1], 'done', count)
if ARGV[2] ~= '0' then
    redis.call('HINCRBY', KEYS[1], 'done:' .. ARGV[2], count)
end
redis.call('HINCRBY', KEYS[1], 'chunks', 1)
redis.call('HINCRBY', KEYS[1], 'busy', ARGV[5])
redis.call('HDEL', KEYS[1], 'tries:' .. ARGV[1])
redis.call('HSET', KEYS[1], 'chunk', count, 'speed', count * 1000000 / math.max(1, tonumber(ARGV[5])))
local over = ARGV[2] == '0' and done == tonumber(redis.call('HGET', KEYS[1], 'sets'))
if over then
    redis.call('HSET', KEYS[1], 'state', 'done', 'finished_at', string.format('%.0f', at))
end

local expires = string.format('%.0f', at + tonumber(ARGV[6]))
redis.call('HSET', KEYS[1], 'expires_at', expires)
for key = 1, 5 do
    redis.call('PEXPIREAT', KEYS[key], expires)
end
return over and 2 or 1
