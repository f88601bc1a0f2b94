-- Finish a job that a client asked for, once.  KEYS: job, due, changed, waiting (of the game).
-- ARGV: 1 due member, 2 state, 3 answer (JSON), 4 job id.  Answers 1, or 0 where it was finished before or is gone.
redis.call('ZREM', KEYS[2], ARGV[1])
local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'done' or state == 'failed' then
    return 0
end
redis.call('ZREM', KEYS[4], cjson.decode(redis.call('HGET', KEYS[1], 'asked')).seat .. ':' .. ARGV[4])
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'answer', ARGV[3])
redis.call('PUBLISH', KEYS[3], ARGV[4] .. ' 0')
return 1
