-- Erase a game, and leave word that it was erased.
-- KEYS: game, log, deals, gone, due, changed.  ARGV: 1 game id, 2 tombstone (a JSON object), 3 its retention in ms.
-- Answers 1, or 0 where there is no game.
local due = redis.call('HGET', KEYS[1], 'due')
if not due then
    return 0
end
if due ~= '' then
    redis.call('ZREM', KEYS[5], due)
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[4], ARGV[2], 'PX', ARGV[3])
redis.call('PUBLISH', KEYS[6], ARGV[1] .. ' -1')
return 1
