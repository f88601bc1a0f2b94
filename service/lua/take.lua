-- Lease what is due in one shard: each piece goes to one caller, and comes back when the lease runs out.
-- KEYS: due.  ARGV: 1 lease in ms, 2 the most to take.
-- Answers {members taken, milliseconds until the next piece is due, or -1}.
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local taken = redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', at), 'BYSCORE', 'LIMIT', 0, tonumber(ARGV[2]))
for _, member in ipairs(taken) do
    redis.call('ZADD', KEYS[1], string.format('%.0f', at + tonumber(ARGV[1])), member)
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {taken, next[2] and math.max(0, tonumber(next[2]) - at) or -1}
