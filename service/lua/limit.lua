-- Take some of what a bucket holds: it holds `capacity` at most, and fills by `count` in `seconds`.
-- KEYS: bucket (the time in microseconds at which it will be full again).
-- ARGV: 1 how many are wanted, 2 capacity, 3 count, 4 seconds, 5 how many must be there: then all that are wanted are
--       taken, if that leaves the bucket in debt; '' where some will do.
-- Answers {how many were taken, milliseconds until that would be possible}.
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000000 + tonumber(now[2])
local each = tonumber(ARGV[4]) * 1000000 / tonumber(ARGV[3])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or at), at)
local free = tonumber(ARGV[2]) - (full - at) / each
local needed = tonumber(ARGV[5]) or 1
if math.floor(free + 0.000001) < needed then
    return {0, math.ceil((needed - free) * each / 1000)}
end
local taken = ARGV[5] ~= '' and tonumber(ARGV[1]) or math.min(tonumber(ARGV[1]), math.floor(free + 0.000001))
full = full + taken * each
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - at) / 1000))
return {taken, 0}
