-- Write down a job that a client asked for and make it due, once: the same request is the same job.
-- KEYS: job, due, jobs, waiting (of the game).  ARGV: 1 due member, 2 job (JSON), 3 retention in ms, 4 seat, 5 job id,
--       6 the most that may wait for this seat (0 for any).
-- Answers 1 where the job is new, 0 where it is there, -1 where too many wait.
if redis.call('EXISTS', KEYS[1]) == 1 then
    return 0
end
local now = redis.call('TIME')
local at = string.format('%.0f', tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
local oldest = string.format('%.0f', tonumber(at) - tonumber(ARGV[3]))
local waiting = 0
for _, member in ipairs(redis.call('ZRANGE', KEYS[4], oldest, '+inf', 'BYSCORE')) do
    if string.sub(member, 1, 2) == ARGV[4] .. ':' then
        waiting = waiting + 1
    end
end
if ARGV[6] ~= '0' and waiting >= tonumber(ARGV[6]) then
    return -1
end
redis.call('ZADD', KEYS[4], at, ARGV[4] .. ':' .. ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', '(' .. oldest)
redis.call('PEXPIRE', KEYS[4], ARGV[3])
redis.call('HSET', KEYS[1], 'asked', ARGV[2], 'state', 'queued', 'asked_at', at)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], at, ARGV[1])
-- Whoever erases the game has to find its jobs: their answers are moves.
redis.call('SADD', KEYS[3], KEYS[1], ARGV[1], KEYS[4])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 1
