-- Take work on a simulation: a range of sets whose lease ran out, a look that is due, or a new range.
-- The bounds of a range are fixed here and never change, so that it counts once, whoever plays it and how often.
-- KEYS: about, open (sorted set of ranges `first:count`, by the end of their lease in ms).
-- ARGV: 1 lease in ms, 2 seconds that a new range should take, 3 how many segments may be open, 4 how often a range
--       may be taken, 5 the failure of a range that was taken more often (JSON).
-- Answers {'over'}, {'wait'} while others do the rest, {'look', its number}, or {'range', first, count}.
local has = redis.call('HMGET', KEYS[1], 'state', 'next', 'sets', 'every', 'looks', 'chunk', 'speed')
if has[1] ~= 'waiting' and has[1] ~= 'running' then
    return {'over'}
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local lease = string.format('%.0f', at + tonumber(ARGV[1]))

local lost = redis.call('ZRANGE', KEYS[2], '-inf', string.format('%.0f', at), 'BYSCORE', 'LIMIT', 0, 1)[1]
if lost then
    if redis.call('HINCRBY', KEYS[1], 'tries:' .. lost, 1) > tonumber(ARGV[4]) then
        redis.call('HSET', KEYS[1], 'state', 'failed', 'failure', ARGV[5], 'finished_at', string.format('%.0f', at))
        redis.call('DEL', KEYS[2])
        return {'over'}
    end
    redis.call('ZADD', KEYS[2], lease, lost)
    local first, count = string.match(lost, '(%d+):(%d+)')
    return {'range', tonumber(first), tonumber(count)}
end

local first, sets, every, looks = tonumber(has[2]), tonumber(has[3]), tonumber(has[4]), tonumber(has[5])
if every > 0 then
    local size = math.min(every, sets - looks * every)
    if tonumber(redis.call('HGET', KEYS[1], 'done:' .. looks + 1) or 0) == size then
        return {'look', looks + 1}
    end
end
if first >= sets or (every > 0 and math.floor(first / every) >= looks + tonumber(ARGV[3])) then
    return {'wait'}
end

-- So many as should take the time, at most many times what was measured, and at the end a fair share of the rest.
local speed, live = tonumber(has[7]), redis.call('ZCARD', KEYS[2])
local wanted = math.min(math.floor(speed * tonumber(ARGV[2])), 32 * tonumber(has[6]))
wanted = math.min(wanted, math.max(math.ceil((sets - first) / (live + 2)), math.floor(speed * tonumber(ARGV[2]) / 8)))
local bound = every > 0 and math.min((math.floor(first / every) + 1) * every, sets) or sets
local count = math.max(1, math.min(wanted, bound - first))
local range = string.format('%.0f:%.0f', first, count)
redis.call('ZADD', KEYS[2], lease, range)
redis.call('HSET', KEYS[1], 'next', string.format('%.0f', first + count), 'state', 'running', 'tries:' .. range, 1)
redis.call('HSETNX', KEYS[1], 'started_at', string.format('%.0f', at))
redis.call('PEXPIREAT', KEYS[2], redis.call('HGET', KEYS[1], 'expires_at'))
return {'range', first, count}
