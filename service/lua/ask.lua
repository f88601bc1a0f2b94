-- Write down a job that a client asked for and make it due, once: the same request is the same job.
-- KEYS: job, due, jobs.  ARGV: 1 due member, 2 job (JSON), 3 retention in ms.  Answers 1 where the job is new.
if redis.call('EXISTS', KEYS[1]) == 1 then
    return 0
end
local now = redis.call('TIME')
local at = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
redis.call('HSET', KEYS[1], 'asked', ARGV[2], 'state', 'queued', 'asked_at', at)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], at, ARGV[1])
-- Whoever erases the game has to find its jobs: their answers are moves.
redis.call('SADD', KEYS[3], KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 1
