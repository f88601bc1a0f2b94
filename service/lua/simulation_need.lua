-- How much work on a simulation there is for those who do not work on it.
-- KEYS: about, open.  ARGV: 1 how many segments may be open.
-- Answers {state or '', ranges under lease, 1 where there is work to take}.
local has = redis.call('HMGET', KEYS[1], 'state', 'next', 'sets', 'every', 'looks')
if not has[1] then
    return {'', 0, 0}
end
local now = redis.call('TIME')
local at = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
local live = redis.call('ZCOUNT', KEYS[2], '(' .. at, '+inf')
if redis.call('ZCARD', KEYS[2]) > live then
    return {has[1], live, 1}
end
local first, sets, every, looks = tonumber(has[2]), tonumber(has[3]), tonumber(has[4]), tonumber(has[5])
local open = first < sets and (every == 0 or math.floor(first / every) < looks + tonumber(ARGV[1]))
local due = every > 0 and tonumber(redis.call('HGET', KEYS[1], 'done:' .. looks + 1) or 0)
        == math.min(every, sets - looks * every)
return {has[1], live, (open or due) and 1 or 0}
