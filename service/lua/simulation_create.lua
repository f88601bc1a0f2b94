-- Write a new simulation down, once.
-- KEYS: about.  ARGV: 1 retention in ms, then fields and values.
-- Answers 1, or 0 where it is there already.
if redis.call('EXISTS', KEYS[1]) == 1 then
    return 0
end
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local expires = string.format('%.0f', at + tonumber(ARGV[1]))
for place = 2, #ARGV, 2 do
    redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
end
redis.call('HSET', KEYS[1], 'state', 'waiting', 'next', 0, 'done', 0, 'looks', 0, 'chunk', 0, 'speed', 0, 'busy', 0,
    'chunks', 0, 'created_at', string.format('%.0f', at), 'expires_at', expires)
redis.call('PEXPIREAT', KEYS[1], expires)
return 1
